#include "sandbox.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "channel.h"
#include "regions.h"
#include "syscall_filter.h"

namespace probe {
namespace {

// Addresses below this are a null pointer plus an offset. 64 KiB is what Linux keeps unmapped.
constexpr uintptr_t kNullBand = 0x10000;

void limit(int resource, rlim_t value) {
  struct rlimit bound {value, value};
  if (setrlimit(resource, &bound) != 0) {
    _exit(97);
  }
}

const char* place_of(int signal_number, const siginfo_t& info, uint64_t* offset) {
  if (signal_number == SIGABRT || signal_number == SIGFPE || signal_number == SIGSYS ||
      info.si_code <= 0) {
    return "";  // no memory access is to blame
  }
  if (info.si_code == SI_KERNEL) {
    return "other";  // not even a canonical address; the kernel reports 0
  }
  uintptr_t address = reinterpret_cast<uintptr_t>(info.si_addr);
  const char* known = region_of(address, offset);
  if (known != nullptr) {
    return known;
  }
  return address < kNullBand ? "null" : "other";
}

void on_crash(int signal_number, siginfo_t* info, void*) {
  SharedPage& shared = page();
  if (shared.crash_signal == 0) {
    shared.crash_signal = signal_number;
    shared.crash_code = info->si_code;
    shared.crash_address = reinterpret_cast<uint64_t>(info->si_addr);
    uint64_t offset = 0;
    const char* region = place_of(signal_number, *info, &offset);
    std::strncpy(shared.crash_region, region, sizeof shared.crash_region - 1);
    shared.crash_offset = offset;
  }
  // SA_RESETHAND has put the default action back. A faulting instruction faults again when this
  // returns; a signal that was sent has to be sent again.
  if (info->si_code <= 0 || signal_number == SIGABRT) {
    raise(signal_number);
  }
}

}  // namespace

void watch_crashes() {
  page();  // mapped before any handler runs
  const size_t size = 64 * 1024;
  stack_t stack{};
  stack.ss_sp = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = size;
  if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, nullptr) != 0) {
    _exit(97);
  }
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS}) {
    sigaction(number, &action, nullptr);
  }
}

bool enter_sandbox(const Limits& limits) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.seconds * 16)) + 2);  // threads add up
  if (limits.real_device) {
    // The driver reserves address space by the terabyte; bound what can be filled instead.
    limit(RLIMIT_DATA, limits.memory_bytes * 4);
  } else {
    limit(RLIMIT_AS, limits.memory_bytes);
    // Worker threads of a delegate must not eat the address space on a machine of many cores.
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) == 0) {
      pthread_attr_setstacksize(&attributes, 1 << 20);
      pthread_setattr_default_np(&attributes);
      pthread_attr_destroy(&attributes);
    }
  }
  return install_syscall_filter(limits.real_device);
}

}  // namespace probe
