// A seccomp filter for a child that runs an untrusted program.
#pragma once

namespace probe {

// Refuses (EPERM) new processes, program starts, sockets, signals to others, tracing, and every
// way to create, change or remove a file. Needs no privilege. With `real_device` files may be
// opened for writing but not created, and local sockets are allowed: the CUDA driver talks to its
// device nodes. False where the kernel or the architecture has no such filter.
bool install_syscall_filter(bool real_device);

}  // namespace probe
