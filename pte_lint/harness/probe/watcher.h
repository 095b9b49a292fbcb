// Follows an execution through the runtime's event tracer: which instruction runs, and which
// values kernels have written so far. It keeps addresses of values and never looks at contents,
// so a value on a device is as good as any.
#pragma once

#include <executorch/runtime/core/event_tracer.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recording.h"

namespace probe {

class Watcher final : public executorch::runtime::EventTracer {
 public:
  // Call before and after Method::execute; between them every instruction counts.
  void begin_execution();
  void end_execution();

  // A value counts as written with its slot and with its tensor: a MoveCall copies the handle of a
  // tensor into another slot.
  void mark_written(const executorch::runtime::EValue& value);
  bool written(const executorch::runtime::EValue& value) const;

  // The instructions that were started in all executions, as JSON: for each chain its ranges,
  // [[chain, first, last], ...].
  std::string visited() const;

  // The instructions that were followed by themselves or an earlier one of their chain, as JSON:
  // [[chain, instruction], ...].
  std::string turned_back() const;

  void create_event_block(const char*) override {}
  executorch::runtime::EventTracerEntry start_profiling(
      const char* name,
      executorch::runtime::ChainID chain_id,
      executorch::runtime::DebugHandle debug_handle) override;
  executorch::runtime::EventTracerEntry start_profiling_delegate(
      const char*, executorch::runtime::DelegateDebugIntId) override {
    return {};
  }
  void end_profiling_delegate(
      executorch::runtime::EventTracerEntry, const void*, size_t) override {}
  void log_profiling_delegate(
      const char*,
      executorch::runtime::DelegateDebugIntId,
      et_timestamp_t,
      et_timestamp_t,
      const void*,
      size_t) override {}
  void end_profiling(executorch::runtime::EventTracerEntry entry) override;
  void track_allocation(executorch::runtime::AllocatorID, size_t) override {}
  executorch::runtime::AllocatorID track_allocator(const char*) override { return 0; }
  executorch::runtime::Result<bool> log_evalue(
      const executorch::runtime::EValue& value, executorch::runtime::LoggedEValueType) override;
  executorch::runtime::Result<bool> log_intermediate_output_delegate(
      const char*,
      executorch::runtime::DelegateDebugIntId,
      const executorch::aten::Tensor&) override {
    return true;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(
      const char*,
      executorch::runtime::DelegateDebugIntId,
      const executorch::runtime::ArrayRef<executorch::aten::Tensor>) override {
    return true;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(
      const char*, executorch::runtime::DelegateDebugIntId, const int&) override {
    return true;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(
      const char*, executorch::runtime::DelegateDebugIntId, const bool&) override {
    return true;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(
      const char*, executorch::runtime::DelegateDebugIntId, const double&) override {
    return true;
  }
  void set_delegation_intermediate_output_filter(
      executorch::runtime::EventTracerFilterBase*) override {}

 private:
  void visit(size_t chain, size_t instruction);

  std::set<const void*> written_;
  std::vector<std::vector<bool>> visited_;  // by chain and instruction
  std::set<std::pair<size_t, size_t>> turned_back_;
  std::optional<std::pair<size_t, size_t>> last_;  // of this execution
  bool executing_ = false;
  bool in_delegate_ = false;
  DelegateRecord delegate_;
};

}  // namespace probe
