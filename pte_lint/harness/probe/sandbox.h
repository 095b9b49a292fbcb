// What a child may do before it touches a program: bounded memory and time, no network, no new
// processes, no writes to any file; and how its crash is recorded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace probe {

struct Limits {
  uint64_t memory_bytes = uint64_t{4} << 30;  // address space; private data with a real device
  double seconds = 20.0;                      // wall clock, enforced by the parent
  bool real_device = false;                   // the CUDA driver needs more than a program does
};

// In the child, right after fork. Returns whether the kernel accepted the system call filter;
// everything else is mandatory and ends the child when refused.
bool enter_sandbox(const Limits& limits);

// Records signal, code, address and the region the address lies in to the shared page, on a
// stack of its own, then lets the signal take its course.
void watch_crashes();

}  // namespace probe
