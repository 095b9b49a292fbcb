#include "older.h"

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/log.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace probe {

using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Kernel;
using executorch::runtime::Method;

size_t withdraw_kernels(const std::string& prefix) {
  size_t count = 0;
  for (const Kernel& kernel : executorch::runtime::get_registered_kernels()) {
    if (kernel.name_ != nullptr && std::strncmp(kernel.name_, prefix.c_str(), prefix.size()) == 0) {
      // The registry has no way to take a kernel out. Its table is plain writable memory, so the
      // entry gets a name that no program can ask for (names end at 99 characters).
      static const std::string unfindable(200, '-');
      const_cast<Kernel&>(kernel).name_ = unfindable.c_str();
      ++count;
    }
  }
  return count;
}

void withdraw_newer_kernels(int minor) {
  if (minor >= 4) {
    return;
  }
  withdraw_kernels("et_copy::");
  for (const char* name : {"sym_int.Scalar", "sym_not.Scalar", "sym_ite.Scalar"}) {
    withdraw_kernels(std::string("executorch_prim::") + name);
  }
}

void withdraw_vendors_backends() {
  for (size_t i = 0; i < executorch::runtime::get_num_registered_backends(); ++i) {
    auto found = executorch::runtime::get_backend_name(i);
    if (!found.ok()) {
      continue;
    }
    const std::string name = found.get();
    if (name != "QnnBackend" && name != "OpenvinoBackend" && name != "VgfBackend") {
      continue;
    }
    // There is no way to take a backend out either, and its name is in memory for reading only.
    char* text = const_cast<char*>(found.get());
    const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t start = reinterpret_cast<uintptr_t>(text) / page * page;
    const size_t bytes = reinterpret_cast<uintptr_t>(text) + 1 - start;
    if (mprotect(reinterpret_cast<void*>(start), bytes, PROT_READ | PROT_WRITE) == 0) {
      text[0] = '-';
    }
  }
}

Error set_input_as_before_1_5(Method* method, const EValue& given, size_t index) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const EValue& slot = method->get_input(index);  // also marks the input as set
#pragma GCC diagnostic pop
  if (!slot.isTensor() || !given.isTensor()) {
    return method->set_input(given, index);
  }
  const auto& target = slot.toTensor();
  const auto& source = given.toTensor();
  if (target.scalar_type() != source.scalar_type()) {
    ET_LOG(Error, "input %zu has another dtype", index);
    return Error::InvalidArgument;
  }
  Error resized = executorch::runtime::resize_tensor(target, source.sizes());
  if (resized != Error::Ok) {
    return resized;
  }
  auto meta = method->method_meta().input_tensor_meta(index);
  if (!meta.ok()) {
    return meta.error();
  }
  if (!meta->is_memory_planned()) {
    return executorch::runtime::internal::share_tensor_data(target, source);
  }
  void* to = target.mutable_data_ptr();
  const void* from = source.const_data_ptr();
  if ((to == nullptr && target.nbytes() > 0) || (from == nullptr && source.nbytes() > 0) ||
      target.nbytes() != source.nbytes()) {
    ET_LOG(Error, "input %zu: no memory on one side, or sizes differ", index);
    return Error::InvalidArgument;
  }
  if (source.nbytes() > 0) {
    std::memcpy(to, from, source.nbytes());
  }
  return Error::Ok;
}

}  // namespace probe
