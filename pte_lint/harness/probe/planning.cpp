#include "planning.h"

#include "devices.h"
#include "release.h"

#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>

namespace probe {

using executorch::runtime::Error;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::Span;
using executorch::runtime::etensor::Device;
using executorch::runtime::etensor::DeviceType;

Error PlannedArenas::lay_out(
    const executorch::runtime::MethodMeta& meta, const PlanPolicy& policy) {
  const size_t count = meta.num_memory_planned_buffers();
  bool any_device = false;
  for (size_t i = 0; i < count; ++i) {
    auto device = meta.memory_planned_buffer_device(i);
    devices_.push_back(
        device.ok() && !policy.ignore_devices ? device.get() : Device(DeviceType::CPU, 0));
    any_device = any_device || !devices_.back().is_cpu();
  }
  const bool checked = policy.abort_on_failure && any_device;
  for (size_t i = 0; i < count; ++i) {
    auto size = meta.memory_planned_buffer_size(i);
    if (!size.ok()) {
      ET_CHECK_MSG(!checked, "size of buffer %zu", i);
      return size.error();
    }
    const bool filled =
        policy.filled_arena == 0 || static_cast<size_t>(policy.filled_arena) == i + 1;
    if (devices_[i].is_cpu()) {
      host_.emplace_back(
          static_cast<size_t>(size.get()), static_cast<uint8_t>(filled ? policy.host_fill : 0));
      spans_.emplace_back(host_.back().data(), static_cast<size_t>(size.get()));
      continue;
    }
    if (devices().ready()) {
      devices().fill_new_with(filled ? policy.device_fill : -1);
    }
    auto buffer = device_memory(static_cast<size_t>(size.get()), devices_[i]);
    if (!buffer.ok()) {
      ET_CHECK_MSG(!checked, "device memory of buffer %zu", i);
      ET_LOG(Error, "device memory of buffer %zu", i);
      return buffer.error();
    }
    spans_.emplace_back(buffer->as_span());
    device_.push_back(std::move(buffer.get()));
  }
  Span<Span<uint8_t>> spans(spans_.data(), spans_.size());
  if (any_device) {
    allocator_ = arenas_on(spans, Span<const Device>(devices_.data(), devices_.size()));
  } else {
    allocator_ = std::make_unique<HierarchicalAllocator>(spans);
  }
  return Error::Ok;
}

}  // namespace probe
