#include "crashes.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "channel.h"
#include "regions.h"

namespace probe {
namespace {

// Addresses below this are a null pointer plus an offset. 64 KiB is what Linux keeps unmapped.
constexpr uintptr_t kNullBand = 0x10000;

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

}  // namespace probe
