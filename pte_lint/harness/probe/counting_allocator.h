#pragma once

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>

namespace probe {

// Memory of the system, as Module's own allocators give it, that counts what a MemoryAllocator over
// one block, aligned to 16, would need for the same requests.
class CountingAllocator final : public executorch::extension::MallocMemoryAllocator {
 public:
  void* allocate(size_t size, size_t alignment) override {
    used_ = (used_ + alignment - 1) / alignment * alignment + size;
    most_ = used_ > most_ ? used_ : most_;
    return MallocMemoryAllocator::allocate(size, alignment);
  }

  void reset() override {
    used_ = 0;
    MallocMemoryAllocator::reset();
  }

  size_t most() const { return most_; }

 private:
  size_t used_ = 0;
  size_t most_ = 0;
};

// The allocators of a module, which owns them.
struct Allocators {
  CountingAllocator* method = nullptr;
  CountingAllocator* temporary = nullptr;
};

}  // namespace probe
