// What the releases that the probe is built against do not have alike.
#pragma once

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>

#include <memory>

// The release's 1.x, named by the build where it is older than what the probe was written for.
#ifndef PTE_RUNTIME_MINOR
#define PTE_RUNTIME_MINOR 5
#endif

namespace probe {

// What is older than this is replayed; this itself is what the linked libraries do.
constexpr int kRuntimeMinor = PTE_RUNTIME_MINOR;

// 1.3 declares device memory, and its library has none of it: every arena is host memory there.
#if PTE_RUNTIME_MINOR >= 4
inline void register_with_runtime(executorch::runtime::DeviceAllocator* allocator) {
  executorch::runtime::register_device_allocator(allocator);
}

inline executorch::runtime::Result<executorch::runtime::DeviceMemoryBuffer> device_memory(
    size_t bytes, executorch::runtime::etensor::Device device) {
  return executorch::runtime::DeviceMemoryBuffer::create(bytes, device.type(), device.index());
}

inline std::unique_ptr<executorch::runtime::HierarchicalAllocator> arenas_on(
    executorch::runtime::Span<executorch::runtime::Span<uint8_t>> arenas,
    executorch::runtime::Span<const executorch::runtime::etensor::Device> devices) {
  return std::make_unique<executorch::runtime::HierarchicalAllocator>(arenas, devices);
}
#else
inline void register_with_runtime(executorch::runtime::DeviceAllocator*) {}

inline executorch::runtime::Result<executorch::runtime::DeviceMemoryBuffer> device_memory(
    size_t, executorch::runtime::etensor::Device) {
  return executorch::runtime::Error::NotSupported;
}

inline std::unique_ptr<executorch::runtime::HierarchicalAllocator> arenas_on(
    executorch::runtime::Span<executorch::runtime::Span<uint8_t>> arenas,
    executorch::runtime::Span<const executorch::runtime::etensor::Device>) {
  return std::make_unique<executorch::runtime::HierarchicalAllocator>(arenas);
}
#endif

}  // namespace probe
