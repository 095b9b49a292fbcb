#include "standin.h"

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/log.h>

#include <setjmp.h>
#include <signal.h>

#include <cstring>
#include <vector>

#include "channel.h"
#include "devices.h"
#include "json.h"
#include "standin_compute.h"
#include "target_device.h"
#include "values.h"

namespace probe {
namespace {

using executorch::runtime::ArrayRef;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::BackendInterface;
using executorch::runtime::CompileSpec;
using executorch::runtime::DelegateHandle;
using executorch::runtime::Error;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::MethodMeta;
using executorch::runtime::Result;
using executorch::runtime::Span;

// One delegate of a method, between init and destroy.
struct Instance {
  TargetDevice target;
  uint64_t blob_digest = 0;
  std::map<std::pair<int, int>, size_t> outputs;  // decided at the first call
};

// Why an argument is not where this delegate needs it; empty if it is. Up to 1.3 the CUDA backend,
// the only one with a target device then, brought host arguments to the device by itself, and in
// 1.2 there were no tags.
struct ArgumentFacts {
  std::string problem;
  bool misplaced = false;  // the pointer, not only the tag
};

ArgumentFacts judge_argument(
    const Tensor& tensor, const Place& place, const TargetDevice& target, int minor) {
  ArgumentFacts facts;
  size_t bytes = 0;
  const bool empty = tensor_bytes(tensor, &bytes) && bytes == 0;
  const bool on_cuda = target.kind == TargetDevice::Kind::kCuda;
  auto complain = [&](const std::string& text, bool misplaced) {
    facts.problem += (facts.problem.empty() ? "" : "; ") + text;
    facts.misplaced = facts.misplaced || misplaced;
  };
  if (place.kind == Place::Kind::kNull) {
    if (!empty) {
      complain("pointer is null", true);
    }
  } else if (target.kind == TargetDevice::Kind::kHost && place.kind == Place::Kind::kDevice) {
    complain("device pointer given to a host delegate", true);
  } else if (on_cuda && place.kind == Place::Kind::kHost) {
    if (minor >= 4) {
      complain("host pointer given to a delegate for " + target.name(), true);
    }
  } else if (on_cuda && target.index != TargetDevice::kAnyIndex && target.index >= 0 &&
             place.index != target.index) {
    complain("pointer lies on " + place.name() + ", the delegate runs on " + target.name(), true);
  }
  const bool known = target.kind != TargetDevice::Kind::kUnknown;
  if (minor >= 3 && known && !target.matches(device_tag(tensor))) {
    complain("tag " + device_tag(tensor) + " is not " + target.name(), false);
  }
  return facts;
}

class Standin final : public BackendInterface {
 public:
  explicit Standin(std::string id) : id_(std::move(id)) {}

  const char* id() const { return id_.c_str(); }
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(
      BackendInitContext&,
      FreeableBuffer* processed,
      ArrayRef<CompileSpec> specs) const override {
    auto* instance = new Instance;
    instance->target = target_device(specs);
    if (id_ == "CudaBackend" && instance->target.kind != TargetDevice::Kind::kCuda) {
      // It takes CUDA memory only, and never looks at the spec.
      instance->target.kind = TargetDevice::Kind::kCuda;
      instance->target.index = TargetDevice::kAnyIndex;
    }
    size_t size = processed != nullptr ? processed->size() : 0;
    const void* blob = processed != nullptr ? processed->data() : nullptr;
    instance->blob_digest = blob != nullptr ? fnv64(blob, size) : 0;
    Array spec_list;
    for (const CompileSpec& spec : specs) {
      spec_list.raw(Object().add("key", spec.key)
                        .add("value", std::string_view(
                            static_cast<const char*>(spec.value.buffer),
                            std::min<size_t>(spec.value.nbytes, 256))).str());
    }
    Object entry;
    entry.add("backend", id_).add("expects", instance->target.name())
        .add("blob_bytes", static_cast<uint64_t>(size))
        .add("blob_digest", hex64(instance->blob_digest)).raw("compile_specs", spec_list.str());
    reporter()->append("standin_inits", entry.str());
    return instance;
  }

  Error execute(
      BackendExecutionContext&, DelegateHandle* handle, Span<EValue*> args) const override {
    auto* instance = static_cast<Instance*>(handle);
    const StandinSettings& settings = standin_settings();
    Error verdict = Error::Ok;
    if (settings.strict.count(id_) != 0) {
      verdict = refuse_as_cuda(args, settings.minor);
    }
    size_t outputs = output_count(instance, args);
    // A loop may call a delegate a million times; describing takes reading every argument.
    const bool tell = settings.report_calls && reporter()->has_room("delegate_calls");
    Object call;
    if (tell) {
      call = describe_call(args, outputs, *instance);
    }
    std::string remark;
    if (verdict == Error::Ok) {
      remark = compute_outputs(args, outputs, instance->blob_digest);
      for (size_t i = args.size() - outputs; i < args.size(); ++i) {
        if (settings.watcher != nullptr) {
          settings.watcher->mark_written(*args[i]);
        }
      }
    }
    if (tell) {
      call.raw("compute", remark.empty() ? "null" : json_string(remark));
      reporter()->append("delegate_calls", call.add("returned", error_name(verdict)).str());
    }
    return verdict;
  }

  void destroy(DelegateHandle* handle) const override { delete static_cast<Instance*>(handle); }

 private:
  // The tests of the CUDA backend's execute, in its order (backends/cuda/runtime/
  // cuda_backend.cpp, CudaBackend::execute): every argument is taken for a tensor (which aborts
  // if it is none), must be tagged CUDA, and its pointer, unless null, must be device memory.
  static Error refuse_as_cuda(Span<EValue*> args, int minor) {
    if (minor <= 2) {
      return Error::Ok;
    }
    for (size_t i = 0; i < args.size(); ++i) {
      const Tensor& tensor = args[i]->toTensor();
      int type = static_cast<int>(tensor.unsafeGetTensorImpl()->device_type());
      if (type != 1) {
        ET_LOG(Error, "stand-in: tensor %zu is not tagged CUDA but %d", i, type);
        return Error::InvalidArgument;
      }
      Place place = devices().locate(tensor.const_data_ptr());
      if (minor >= 4 && place.kind == Place::Kind::kHost) {
        ET_LOG(Error, "stand-in: tensor %zu is tagged CUDA, its pointer is not device memory", i);
        return Error::InvalidArgument;
      }
    }
    return Error::Ok;
  }

  // Nothing in a program says which arguments are outputs. Told by the driver, or else: the
  // longest run of tensors at the end that nothing has written yet, at least one.
  static size_t output_count(Instance* instance, Span<EValue*> args) {
    std::pair<int, int> where(page().chain, page().instruction);
    const StandinSettings& settings = standin_settings();
    auto told = settings.outputs.find(where);
    if (told != settings.outputs.end()) {
      return std::min(static_cast<size_t>(std::max(told->second, 0)), args.size());
    }
    auto decided = instance->outputs.find(where);
    if (decided != instance->outputs.end()) {
      return std::min(decided->second, args.size());
    }
    size_t count = 0;
    while (count < args.size() && is_unwritten(args[args.size() - 1 - count])) {
      ++count;
    }
    if (count == 0 && args.size() > 0) {
      count = 1;
    }
    instance->outputs[where] = count;
    return count;
  }

  static bool is_unwritten(const EValue* value) {
    const Watcher* watcher = standin_settings().watcher;
    return value->isTensor() && watcher != nullptr && !watcher->written(*value);
  }

  Object describe_call(Span<EValue*> args, size_t outputs, const Instance& instance) const {
    Array described;
    for (size_t i = 0; i < args.size(); ++i) {
      bool output = i + outputs >= args.size();
      described.raw(describe_argument(*args[i], i, output, instance.target));
    }
    return Object().add("backend", id_).add("expects", instance.target.name())
        .add("instruction", static_cast<int>(page().instruction)).raw("args", described.str());
  }

  static std::string describe_argument(
      const EValue& value, size_t position, bool output, const TargetDevice& target) {
    Object out;
    out.add("arg", static_cast<int>(position)).add("output", output);
    if (!value.isTensor()) {
      return out.add("kind", value.isNone() ? "none" : "scalar").str();
    }
    const Tensor& tensor = value.toTensor();
    Place place = devices().locate(tensor.const_data_ptr());
    size_t bytes = 0;
    bool sized = tensor_bytes(tensor, &bytes);
    out.add("kind", "tensor").add("dtype", dtype_name(tensor.scalar_type()))
        .add("tag", device_tag(tensor)).add("where", place.name())
        .raw("nbytes", sized ? std::to_string(bytes) : "null");
    if (!output) {
      std::vector<uint8_t> contents;
      if (place.kind != Place::Kind::kNull && read_contents(tensor, &contents)) {
        out.add("digest", hex64(fnv64(contents.data(), contents.size())));
      }
    }
    ArgumentFacts facts = judge_argument(tensor, place, target, standin_settings().minor);
    if (!facts.problem.empty()) {
      out.add("problem", facts.problem).add("misplaced", facts.misplaced);
    }
    return out.str();
  }

  std::string id_;
};

sigjmp_buf unreadable;

void leave(int) { siglongjmp(unreadable, 1); }

// The name of a backend, nullptr where it cannot be read: MethodMeta reads it without looking
// whether there is one, and an application that loads the method does not ask it.
const char* readable_backend_name(const MethodMeta& meta, size_t i) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = leave;
  action.sa_flags = SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before);
  const char* volatile name = nullptr;
  if (sigsetjmp(unreadable, 0) == 0) {
    auto found = meta.get_backend_name(i);
    if (found.ok()) {
      // Reading is the test; a volatile sink keeps it.
      volatile size_t length = std::strlen(found.get());
      (void)length;
      name = found.get();
    }
  }
  sigaction(SIGSEGV, &before, nullptr);
  return name;
}

}  // namespace

StandinSettings& standin_settings() {
  static StandinSettings settings;
  return settings;
}

void register_standins(const MethodMeta& meta) {
  for (size_t i = 0; i < meta.num_backends(); ++i) {
    const char* id = readable_backend_name(meta, i);
    if (id == nullptr || executorch::runtime::get_backend_class(id) != nullptr) {
      continue;
    }
    auto* standin = new Standin(id);
    // The runtime keeps the name by address, so it has to live as long as the process.
    Error error = executorch::runtime::register_backend({standin->id(), standin});
    reporter()->append("standins", Object().add("backend", standin->id())
        .add("error", error_name(error)).str());
  }
}

}  // namespace probe
