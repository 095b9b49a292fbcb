#include "given_values.h"

#include <algorithm>

#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/platform/log.h>

#include <cstdlib>
#include <cstring>

#include "devices.h"
#include "json.h"
#include "older.h"
#include "release.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // Method::get_input is the only way

namespace probe {

using executorch::aten::TensorImpl;
using executorch::runtime::Error;
using executorch::runtime::Method;
using executorch::runtime::etensor::DeviceType;

namespace {

// Memory of `bytes` bytes, on the host or on device `index`; nullptr where there is none.
void* obtain(size_t bytes, bool on_device, int index) {
  if (on_device) {
    int used = 0;
    return devices().ready() ? devices().allocate(bytes, index, &used) : nullptr;
  }
  void* memory = nullptr;
  return posix_memalign(&memory, 64, bytes + 64) == 0 ? memory : nullptr;
}

bool tagged_for_device(const Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->device_type() != DeviceType::CPU;
}

bool is_planned_input(const Method& method, size_t i) {
  Quiet quiet;
  auto info = method.method_meta().input_tensor_meta(i);
  return info.ok() && info->is_memory_planned();
}

// Whether an application has to bring memory for an output. Asked through the metadata first:
// reading an output whose index is out of range would end the process here and not where an
// application meets it.
enum class Giving { kNeeded, kNotNeeded, kUnknowable };

Giving output_giving(const Method& method, size_t i) {
  Quiet quiet;
  auto tag = method.method_meta().output_tag(i);
  if (!tag.ok()) {
    return Giving::kUnknowable;
  }
  if (tag.get() != executorch::runtime::Tag::Tensor) {
    return Giving::kNotNeeded;
  }
  auto info = method.method_meta().output_tensor_meta(i);
  if (!info.ok()) {
    return Giving::kUnknowable;
  }
  return !info->is_memory_planned() && method.get_output(i).isTensor() ? Giving::kNeeded
                                                                       : Giving::kNotNeeded;
}

}  // namespace

Error GivenValues::set_outputs(
    Method* method, int as_minor, int host_fill, Reporter& reporter) {
  for (size_t i = 0; i < method->outputs_size(); ++i) {
    Giving giving = output_giving(*method, i);
    if (giving == Giving::kUnknowable) {
      break;
    }
    size_t bytes = 0;
    if (giving == Giving::kNotNeeded || !tensor_bytes(method->get_output(i).toTensor(), &bytes)) {
      continue;
    }
    reporter.note("outputs_not_given", 1);
    const Tensor* tensor = &method->get_output(i).toTensor();
    void* memory = obtain(
        bytes, tagged_for_device(*tensor) && as_minor >= 3,
        static_cast<int>(tensor->unsafeGetTensorImpl()->device_index()));
    Object entry;
    entry.add("output", static_cast<int>(i)).add("given", devices().locate(memory).name());
    if (memory == nullptr) {
      reporter.append("outputs_given", entry.add("problem", "no memory of that kind").str());
      continue;
    }
    if (devices().locate(memory).kind == Place::Kind::kHost) {
      std::memset(memory, host_fill, bytes);
    }
    Error error = method->set_output_data_ptr(memory, bytes, i);
    reporter.append("outputs_given", entry.add("error", error_name(error)).str());
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

GivenValues::Made* GivenValues::make_tensor(
    const Tensor& like, bool on_device, Values values, int salt) {
  size_t bytes = 0;
  if (!tensor_bytes(like, &bytes) || bytes > (uint64_t{1} << 40)) {
    return nullptr;
  }
  Made* made = &inputs_[static_cast<size_t>(salt)];
  made->sizes.assign(like.sizes().begin(), like.sizes().end());
  auto chosen = sizes_.find(static_cast<size_t>(salt));
  if (chosen != sizes_.end() && chosen->second.size() == made->sizes.size()) {
    made->sizes = chosen->second;
    size_t needed = element_bytes(like.scalar_type());
    for (int32_t size : made->sizes) {
      if (__builtin_mul_overflow(needed, static_cast<size_t>(size), &needed)) {
        return nullptr;
      }
    }
    // The memory of the serialized sizes stays, which are the largest that a method takes.
    bytes = std::max(bytes, needed);
  }
  made->dim_order.assign(like.dim_order().begin(), like.dim_order().end());
  made->strides.resize(made->sizes.size());
  executorch::runtime::dim_order_to_stride_nocheck(
      made->sizes.data(), made->dim_order.data(), made->sizes.size(), made->strides.data());
  const TensorImpl* impl = like.unsafeGetTensorImpl();
  made->data = obtain(bytes, on_device, static_cast<int>(impl->device_index()));
  std::vector<uint8_t> contents;
  try {
    contents.resize(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  if (made->data == nullptr) {
    return nullptr;
  }
  const auto type = like.scalar_type();
  fill(contents.data(), type, bytes / element_bytes(type), values, salt);
  const auto given = contents_->find(static_cast<size_t>(salt));
  if (given != contents_->end() && !given->second.empty()) {
    for (size_t i = 0; i < bytes; i += given->second.size()) {
      std::memcpy(
          contents.data() + i, given->second.data(), std::min(given->second.size(), bytes - i));
    }
  }
  devices().write(made->data, contents.data(), bytes);
  made->impl = std::make_unique<TensorImpl>(
      like.scalar_type(), static_cast<ssize_t>(made->sizes.size()), made->sizes.data(), made->data,
      made->dim_order.data(), made->strides.data(),
      executorch::runtime::TensorShapeDynamism::STATIC,
      on_device ? impl->device_type() : DeviceType::CPU,
      on_device ? impl->device_index() : static_cast<decltype(impl->device_index())>(0));
  return made;
}

Error GivenValues::set_input(
    Method* method, size_t i, const Variant& variant, int as_minor, Reporter* reporter) {
  const EValue& slot = method->get_input(i);
  auto known = inputs_.find(i);
  // A caller passes the same again and again, whatever the method leaves in the slot.
  if (!slot.isTensor() && known != inputs_.end()) {
    return method->set_input(EValue{Tensor(known->second.impl.get())}, i);
  }
  if (!slot.isTensor()) {
    return method->set_input(first_values_.emplace(i, slot).first->second, i);
  }
  if (first_values_.count(i) != 0) {
    return method->set_input(first_values_.at(i), i);
  }
  const Tensor& tensor = slot.toTensor();
  const bool planned = is_planned_input(*method, i);
  bool on_device = tagged_for_device(tensor) && as_minor >= 3 &&  // 1.2 shows no tags
      (planned ? variant.device_memory_for_planned : !variant.host_memory_for_device_inputs);
  Made* made = known != inputs_.end()
      ? &known->second
      : make_tensor(tensor, on_device, variant.values, static_cast<int>(i));
  if (reporter != nullptr) {
    if (tagged_for_device(tensor)) {
      reporter->note(planned ? "device_inputs" : "host_inputs", 1);
    }
    reporter->append("inputs_given", Object().add("input", static_cast<int>(i))
        .add("tag", device_tag(tensor)).add("planned", planned)
        .add("given", made != nullptr ? devices().locate(made->data).name() : "nothing").str());
  }
  if (made == nullptr) {
    ET_LOG(Error, "the probe cannot make a tensor for input %zu", i);
    return Error::MemoryAllocationFailed;
  }
  EValue value{Tensor(made->impl.get())};
  return as_minor >= kRuntimeMinor ? method->set_input(value, i)
                                   : set_input_as_before_1_5(method, value, i);
}

}  // namespace probe
