// Planned memory of a method, laid out as Module does, with the differences a variant asks for.
#pragma once

#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/method_meta.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace probe {

struct PlanPolicy {
  bool ignore_devices = false;    // Module before 1.4 gives every arena host memory
  bool abort_on_failure = false;  // Module of 1.4 checks where 1.5 returns an error
  int host_fill = 0;              // Module zeroes host arenas
  int device_fill = -1;           // as it comes
  int filled_arena = 0;           // the only one to get these contents; 0: all of them
};

// Owns the arenas of one method; they live as long as this does.
class PlannedArenas {
 public:
  // Same order and same results as Module (extension/module/module.cpp, load_method and
  // make_planned_memory_with_devices), except where the policy says otherwise.
  executorch::runtime::Error lay_out(
      const executorch::runtime::MethodMeta& meta, const PlanPolicy& policy);
  executorch::runtime::HierarchicalAllocator* get() { return allocator_.get(); }

 private:
  std::vector<std::vector<uint8_t>> host_;
  std::vector<executorch::runtime::DeviceMemoryBuffer> device_;
  std::vector<executorch::runtime::Span<uint8_t>> spans_;
  std::vector<executorch::runtime::etensor::Device> devices_;
  std::unique_ptr<executorch::runtime::HierarchicalAllocator> allocator_;
};

}  // namespace probe
