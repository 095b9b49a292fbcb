// What a child may do once it is to touch a program: compute, and say what happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace probe {

struct Limits {
  uint64_t memory_bytes = uint64_t{4} << 30;  // address space; private data with a real device
  double seconds = 20.0;                      // wall clock, enforced by the parent
  bool real_device = false;                   // a driver has been started: see `syscall_filter.h`
  bool unfenced = false;                      // run also where the fence cannot be raised
  bool bare = false;                          // no fence at all: see `ProbeOptions.bare`
  int empty_folder = -1;                      // what is to be the child's whole file system
  bool own_user_namespace = false;            // threads of the user elsewhere do not count
};

// What became of the fence.
struct Fence {
  std::string broken;                // why it does not hold; empty: it holds
  std::vector<std::string> missing;  // layers behind the filter that this machine does not give
};

// In the child, right before the first byte of a program is read; from here on the process can do
// nothing but what `syscall_filter.h` lists. The layers, outermost first: limits (time, memory of
// every kind, threads, descriptors, files, no core dump), an empty file system, an ordinary user
// without capabilities in place of root, Landlock, the filter. Without the filter the fence does
// not hold; the others are second lines, and where one is missing that is told.
// Returns whether it holds. Limits that cannot be set end the process.
bool enter_sandbox(const Limits& limits, Fence* fence = nullptr);

}  // namespace probe
