// A seccomp filter for a child that runs an untrusted program.
#pragma once

namespace probe {

// Allows the system calls that a loaded program needs, with the arguments it needs them with, and
// refuses every other: EPERM, or ENOSYS for calls younger than Linux 5.1, whose callers all know
// what to do without them. A refusal and not a kill, because libraries also ask for what they can
// do without, and a program has to end here as it ends outside. A call by another architecture's
// numbers ends the process.
//
// Allowed are: reading and writing what is open already, memory that is neither executable nor
// shared for writing, threads, signals to itself, clocks, random numbers. No file, socket, process,
// memory file or descriptor of another process can be had.
//
// `real_device` adds what the driver of a real device is asked for once it has been started, and
// nothing else: ioctl with the numbers of NVIDIA's driver, shared mappings for writing, waiting for
// descriptors, and descriptors for its events. The driver opens its devices before.
//
// Holds for all threads of the process. Needs no privilege but no_new_privs, which the caller has
// set. Returns 0, or the error number of the kernel; ENOSYS on an architecture without a list.
int install_syscall_filter(bool real_device);

// The same while libraries are loaded whose own code may run as they are: also allowed is to read
// files and to map them for execution, and what `enter_sandbox` does next to put up the rest.
int install_loading_filter(bool real_device);

}  // namespace probe
