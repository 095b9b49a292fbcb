#include "session.h"

#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/executor/method.h>

#include <executorch/runtime/platform/log.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "allocator.h"
#include "jobs.h"
#include "standin.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // Module::method and its like

namespace probe {

using executorch::aten::TensorImpl;
using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::Method;
using executorch::runtime::Program;

namespace {

// A tensor on the host that an application made. Never freed: the process ends with the session.
struct MadeTensor {
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  std::vector<int32_t> strides;
  std::unique_ptr<TensorImpl> impl;
};

// Elements that are infinite or no number.
int64_t count_not_finite(const Tensor& tensor) {
  std::vector<uint8_t> bytes;
  int64_t found = 0;
  if (is_float(tensor.scalar_type()) && read_contents(tensor, &bytes)) {
    const size_t count = bytes.size() / element_bytes(tensor.scalar_type());
    for (size_t i = 0; i < count; ++i) {
      found += std::isfinite(element(bytes.data(), tensor.scalar_type(), i)) ? 0 : 1;
    }
  }
  return found;
}

class Conversation {
 public:
  Conversation(const Options& options, Reporter& reporter)
      : options_(options), reporter_(reporter) {}

  bool load(bool full_verification) {
    reporter_.stage(Stage::kLoadProgram);
    prepare_process(options_, &watcher_, -1);
    report_copies(false);
    standin_settings().report_calls = false;
    module_ = open_module(options_);
    return fine(module_->load(
        full_verification ? Program::Verification::InternalConsistency
                          : Program::Verification::Minimal));
  }

  bool make(const SessionCall& call) {
    Method* method = loaded(call.method);
    if (method == nullptr) {
      return false;
    }
    reporter_.stage(Stage::kSetInput);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      page().input = static_cast<int32_t>(i);
      executorch::runtime::EValue value;
      if (!make_input(call.inputs[i], &value) || !fine(method->set_input(value, i))) {
        return false;
      }
    }
    page().input = -1;
    reporter_.stage(Stage::kExecute);
    watcher_.begin_execution();
    if (!fine(method->execute())) {
      return false;
    }
    watcher_.end_execution();
    reporter_.stage(Stage::kGetOutput);
    Array told;
    auto& outputs = outputs_.emplace_back();
    for (size_t i = 0; i < method->outputs_size(); ++i) {
      const auto& output = outputs.emplace_back(method->get_output(i));
      Object described = describe(output);
      if (output.isTensor()) {
        described.add("not_finite", count_not_finite(output.toTensor()));
      }
      told.raw(described.str());
    }
    reporter_.append("results", Object().raw("outputs", told.str()).str());
    return true;
  }

 private:
  bool fine(Error error) {
    if (error != Error::Ok) {
      reporter_.error(static_cast<uint32_t>(error));
    }
    return error == Error::Ok;
  }

  Method* loaded(const std::string& name) {
    reporter_.stage(Stage::kLoadMethod);
    for (size_t i = 0; i < module_->program()->num_methods(); ++i) {
      auto found = module_->program()->get_method_name(i);
      if (found.ok() && name == found.get()) {
        expect_delegate_outputs(options_, static_cast<int>(i));
        break;
      }
    }
    if (!module_->is_method_loaded(name)) {
      auto meta = module_->method_meta(name);
      if (!meta.ok()) {
        fine(meta.error());
        return nullptr;
      }
      register_standins(*meta);
      if (!fine(module_->load_method(name, nullptr, &watcher_))) {
        return nullptr;
      }
    }
    auto method = module_->method(name);
    return method.ok() || !fine(method.error()) ? method.get() : nullptr;
  }

  bool make_input(const CallInput& input, executorch::runtime::EValue* value) {
    if (input.from_call >= 0) {
      const size_t call = static_cast<size_t>(input.from_call);
      const size_t output = static_cast<size_t>(input.from_output);
      if (call >= outputs_.size() || output >= outputs_[call].size()) {
        ET_LOG(Error, "call %zu has no output %zu", call, output);
        return fine(Error::InvalidArgument);
      }
      *value = outputs_[call][output];
      return true;
    }
    MadeTensor& made = made_.emplace_back();
    made.sizes = input.sizes;
    for (size_t i = 0; i < input.sizes.size(); ++i) {
      made.dim_order.push_back(static_cast<uint8_t>(i));
    }
    made.strides.resize(input.sizes.size());
    executorch::runtime::dim_order_to_stride_nocheck(
        made.sizes.data(), made.dim_order.data(), made.sizes.size(), made.strides.data());
    const auto type = static_cast<ScalarType>(input.type);
    size_t bytes = element_bytes(type);
    for (int32_t size : made.sizes) {
      if (__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)) {
        return fine(Error::MemoryAllocationFailed);
      }
    }
    void* memory = nullptr;
    if (bytes > (size_t{1} << 40) || posix_memalign(&memory, 64, bytes + 64) != 0) {
      return fine(Error::MemoryAllocationFailed);
    }
    std::memset(memory, 0, bytes);
    const size_t length = input.contents.size();
    for (size_t i = 0; length != 0 && i < bytes; i += length) {
      std::memcpy(
          static_cast<uint8_t*>(memory) + i, input.contents.data(), std::min(length, bytes - i));
    }
    made.impl = std::make_unique<TensorImpl>(
        type, static_cast<ssize_t>(made.sizes.size()), made.sizes.data(), memory,
        made.dim_order.data(), made.strides.data(),
        executorch::runtime::TensorShapeDynamism::STATIC);
    *value = executorch::runtime::EValue{Tensor(made.impl.get())};
    return true;
  }

  const Options& options_;
  Reporter& reporter_;
  Watcher watcher_;
  std::unique_ptr<Module> module_;
  std::vector<std::vector<executorch::runtime::EValue>> outputs_;
  std::deque<MadeTensor> made_;
};

}  // namespace

void session_job(
    const Options& options, bool full_verification, const Session& session, Reporter& reporter) {
  // Never destroyed, as a method's own run is not.
  auto* conversation = new Conversation(options, reporter);
  if (!conversation->load(full_verification)) {
    return;
  }
  for (const SessionCall& call : session) {
    if (!conversation->make(call)) {
      return;
    }
  }
  reporter.stage(Stage::kDone);
}

}  // namespace probe
