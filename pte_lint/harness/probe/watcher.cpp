#include "watcher.h"

#include <algorithm>
#include <cstring>

#include "channel.h"
#include "json.h"

namespace probe {

using executorch::runtime::ChainID;
using executorch::runtime::DebugHandle;
using executorch::runtime::EventTracerDebugLogLevel;
using executorch::runtime::EventTracerEntry;

namespace {
constexpr int64_t kInstruction = 1;
}

void Watcher::mark_written(const executorch::runtime::EValue& value) {
  written_.insert(&value);
  if (value.isTensor()) {
    written_.insert(value.toTensor().unsafeGetTensorImpl());
  }
}

bool Watcher::written(const executorch::runtime::EValue& value) const {
  return written_.count(&value) != 0 ||
      (value.isTensor() && written_.count(value.toTensor().unsafeGetTensorImpl()) != 0);
}

void Watcher::visit(size_t chain, size_t instruction) {
  if (chain >= visited_.size()) {
    visited_.resize(chain + 1);
  }
  std::vector<bool>& here = visited_[chain];
  if (instruction >= here.size()) {
    here.resize(std::max(instruction + 1, 2 * here.size()));
  }
  here[instruction] = true;
  if (last_ && last_->first == chain && instruction <= last_->second) {
    turned_back_.insert(*last_);
  }
  last_ = {chain, instruction};
}

std::string Watcher::turned_back() const {
  Array jumps;
  for (const auto& [chain, instruction] : turned_back_) {
    jumps.raw("[" + std::to_string(chain) + "," + std::to_string(instruction) + "]");
  }
  return jumps.str();
}

std::string Watcher::visited() const {
  Array ranges;
  for (size_t chain = 0; chain < visited_.size(); ++chain) {
    const std::vector<bool>& here = visited_[chain];
    for (size_t i = 0; i < here.size(); ++i) {
      if (!here[i]) {
        continue;
      }
      const size_t first = i;
      while (i + 1 < here.size() && here[i + 1]) {
        ++i;
      }
      ranges.raw(
          "[" + std::to_string(chain) + "," + std::to_string(first) + "," + std::to_string(i) + "]");
    }
  }
  return ranges.str();
}

void Watcher::begin_execution() {
  executing_ = true;
  last_.reset();
  page().executing = 1;
}

void Watcher::end_execution() {
  executing_ = false;
  page().executing = 0;
}

EventTracerEntry Watcher::start_profiling(const char* name, ChainID, DebugHandle) {
  EventTracerEntry entry{};
  // Method::execute names the kind of instruction right before it runs it: OPERATOR_CALL,
  // DELEGATE_CALL, JF_CALL, MOVE_CALL, FREE_CALL. Kernels open scopes of their own inside.
  const char* end = name + std::strlen(name);
  if (executing_ && end - name > 5 && std::strcmp(end - 5, "_CALL") == 0) {
    SharedPage& shared = page();
    shared.chain = static_cast<int32_t>(current_chain_id());
    shared.instruction = static_cast<int32_t>(current_debug_handle());
    shared.instructions = shared.instructions + 1;
    visit(static_cast<size_t>(shared.chain), static_cast<size_t>(shared.instruction));
    in_delegate_ = std::strcmp(name, "DELEGATE_CALL") == 0;
    if (in_delegate_) {
      delegate_.begin();
    }
    entry.event_id = kInstruction;
    // Only inside an instruction: with this level the runtime would also look up every method
    // output at the end of execute, where an application's run does not.
    set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  }
  return entry;
}

void Watcher::end_profiling(EventTracerEntry entry) {
  if (entry.event_id == kInstruction) {
    if (in_delegate_) {
      delegate_.end();
    }
    set_event_tracer_debug_level(EventTracerDebugLogLevel::kNoLogging);
  }
}

executorch::runtime::Result<bool> Watcher::log_evalue(
    const executorch::runtime::EValue& value, executorch::runtime::LoggedEValueType type) {
  // After a delegate call the runtime logs all of its arguments, inputs too.
  if (in_delegate_) {
    delegate_.argument(value);
  }
  if (!in_delegate_ && type == executorch::runtime::LoggedEValueType::kIntermediateOutput) {
    mark_written(value);
  }
  return true;
}

}  // namespace probe
