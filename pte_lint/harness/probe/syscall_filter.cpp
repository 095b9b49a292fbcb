#include "syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>
#include <vector>

namespace probe {

#if defined(__x86_64__)
#define PROBE_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PROBE_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef PROBE_AUDIT_ARCH
namespace {

// Calls from here on have the same number on every architecture, and came with Linux 5.1 or later.
// The numbers of x86-64's x32 variant lie far above and get the same answer.
constexpr uint32_t kYoung = 424;

// What must hold for one argument; its low word unless said otherwise, which is all the kernel
// itself looks at for flags and numbers.
struct Condition {
  enum Test { kNoneOf, kOneOf, kMasked } test;
  int argument;
  std::vector<uint32_t> values;  // kNoneOf: a mask; kMasked: a mask and what is left under it
  bool high = false;
};

Condition none_of(int argument, uint32_t mask) { return {Condition::kNoneOf, argument, {mask}}; }
Condition one_of(int argument, std::vector<uint32_t> values) {
  return {Condition::kOneOf, argument, std::move(values)};
}
Condition zero(int argument) { return one_of(argument, {0}); }
Condition high_zero(int argument) { return {Condition::kOneOf, argument, {0}, true}; }
Condition masked(int argument, uint32_t mask, uint32_t value) {
  return {Condition::kMasked, argument, {mask, value}};
}

class Program {
 public:
  Program() {
    load(offsetof(struct seccomp_data, arch));
    jump(BPF_JEQ, PROBE_AUDIT_ARCH, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(struct seccomp_data, nr));
  }

  void allow(std::initializer_list<uint32_t> numbers) {
    for (uint32_t number : numbers) {
      jump(BPF_JEQ, number, 0, 1);
      answer(SECCOMP_RET_ALLOW);
    }
  }

  // Allows the call where all conditions hold; several such rules for one call are alternatives.
  void allow_if(uint32_t number, const std::vector<Condition>& conditions) {
    Program rule(0);
    for (const Condition& condition : conditions) {
      rule.test(condition);
    }
    rule.answer(SECCOMP_RET_ALLOW);
    const size_t length = rule.code_.size();
    jump(BPF_JEQ, number, 0, static_cast<uint8_t>(length + 1));
    for (size_t at = 0; at < length; ++at) {
      struct sock_filter step = rule.code_[at];
      // A jump of 255 leaves the rule, for the load of the number behind it.
      const uint8_t leave = static_cast<uint8_t>(length - at - 1);
      step.jt = step.jt == kLeave ? leave : step.jt;
      step.jf = step.jf == kLeave ? leave : step.jf;
      code_.push_back(step);
    }
    load(offsetof(struct seccomp_data, nr));
  }

  int install() {
    jump(BPF_JGE, kYoung, 0, 1);
    answer(SECCOMP_RET_ERRNO | ENOSYS);
    answer(SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog filter {static_cast<unsigned short>(code_.size()), code_.data()};
    // All threads: a driver may have started some. The result is the thread that cannot follow.
    long result = syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return result < 0 ? errno : result > 0 ? EBUSY : 0;
  }

 private:
  static constexpr uint8_t kLeave = 255;

  explicit Program(int) {}

  void test(const Condition& condition) {
    load(static_cast<uint32_t>(
        offsetof(struct seccomp_data, args) + 8 * condition.argument + (condition.high ? 4 : 0)));
    const std::vector<uint32_t>& values = condition.values;
    if (condition.test == Condition::kNoneOf) {
      jump(BPF_JSET, values[0], kLeave, 0);
    } else if (condition.test == Condition::kMasked) {
      code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, values[0]));
      jump(BPF_JEQ, values[1], 0, kLeave);
    } else {
      for (size_t i = 0; i < values.size(); ++i) {
        const uint8_t rest = static_cast<uint8_t>(values.size() - 1 - i);
        jump(BPF_JEQ, values[i], rest, rest == 0 ? kLeave : 0);
      }
    }
  }

  void answer(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  void load(size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  }
  void jump(int test, uint32_t value, uint8_t if_true, uint8_t if_false) {
    struct sock_filter step = BPF_JUMP(
        static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, if_true, if_false);
    code_.push_back(step);
  }
  std::vector<struct sock_filter> code_;
};

constexpr uint32_t kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
    CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
constexpr uint32_t kThreadOfMusl = kThread | 0x00400000;  // CLONE_DETACHED, which does nothing

constexpr uint32_t kOddMappings = MAP_GROWSDOWN | MAP_HUGETLB | MAP_LOCKED;
constexpr uint32_t kOddRights =
    PROT_EXEC | PROT_GROWSDOWN | PROT_GROWSUP | 0xF0;  // and what architectures add

// What every program needs. Found by following the runtime through the test programs, each kind of
// loader and every way to call a method, and by reading what the C library does for threads, for
// memory and for an abort.
void allow_programs(Program* program) {
  program->allow(
      {SYS_read, SYS_pread64, SYS_write, SYS_writev, SYS_lseek, SYS_fstat, SYS_close,  // what is open
       SYS_munmap, SYS_brk, SYS_futex, SYS_sched_yield, SYS_set_robust_list, SYS_rt_sigaction,
       SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_gettid, SYS_getpid, SYS_exit,
       SYS_exit_group, SYS_restart_syscall, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday,
       SYS_nanosleep, SYS_clock_nanosleep, SYS_getcpu, SYS_getrandom,
#ifdef SYS_time
       SYS_time,
#endif
#ifdef SYS_rseq
       SYS_rseq,
#endif
      });
  program->allow_if(
      SYS_mmap, {none_of(2, kOddRights), none_of(3, kOddMappings | MAP_SHARED)});
  program->allow_if(
      SYS_mmap, {none_of(2, kOddRights | PROT_WRITE), none_of(3, kOddMappings)});
  program->allow_if(SYS_mprotect, {none_of(2, kOddRights)});
  program->allow_if(SYS_mremap, {none_of(3, ~uint32_t{MREMAP_MAYMOVE})});
  program->allow_if(
      SYS_madvise, {one_of(
                       2, {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED,
                           MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE})});
  // Threads yes, processes and namespaces no.
  program->allow_if(SYS_clone, {one_of(0, {kThread, kThreadOfMusl})});
  // A process may signal itself (abort does), nobody else.
  program->allow_if(SYS_tgkill, {one_of(0, {static_cast<uint32_t>(getpid())})});
  program->allow_if(SYS_sched_getaffinity, {zero(0)});
  // Its limits may be read, not set.
  program->allow_if(SYS_prlimit64, {zero(0), zero(2), high_zero(2)});
  program->allow_if(SYS_fcntl, {one_of(1, {F_DUPFD_CLOEXEC})});
}

void allow_device(Program* program) {
  program->allow_if(SYS_ioctl, {masked(1, 0xFF00, 'F' << 8)});     // of the resource manager
  program->allow_if(SYS_ioctl, {masked(1, 0xFFFFFF00, 0)});        // of unified memory,
  program->allow_if(SYS_ioctl, {one_of(1, {0x30000001, 0x30000002})});  // and its start and end
  program->allow_if(SYS_mmap, {none_of(2, kOddRights), none_of(3, kOddMappings)});
  program->allow_if(SYS_madvise, {one_of(2, {MADV_DONTFORK, MADV_DOFORK})});
  program->allow({SYS_ppoll, SYS_eventfd2,
#ifdef SYS_poll
                  SYS_poll,
#endif
  });
}

// Writing is asked for in any of these; O_TMPFILE comes with one of the first two.
constexpr uint32_t kOpenedToWrite = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

void allow_loading(Program* program) {
  program->allow_if(SYS_openat, {none_of(2, kOpenedToWrite)});
#ifdef SYS_open
  program->allow_if(SYS_open, {none_of(1, kOpenedToWrite)});
  program->allow({SYS_access, SYS_stat, SYS_readlink});
#endif
  program->allow({SYS_newfstatat, SYS_faccessat, SYS_readlinkat, SYS_getcwd, SYS_uname});
  program->allow_if(
      SYS_mmap, {none_of(2, PROT_WRITE), none_of(3, kOddMappings | MAP_SHARED)});
  // What follows in `enter_sandbox`.
  program->allow({SYS_setrlimit, SYS_getrlimit, SYS_prlimit64, SYS_setpgid, SYS_fchdir, SYS_chroot,
                  SYS_setgroups, SYS_setresuid, SYS_setresgid, SYS_geteuid, SYS_capget, SYS_capset,
                  SYS_prctl, SYS_seccomp, SYS_getdents64,
                  444, 445, 446});  // Landlock, by the kernel's numbers
}

}  // namespace

int install_loading_filter(bool real_device) {
  Program program;
  allow_programs(&program);
  allow_loading(&program);
  if (real_device) {
    allow_device(&program);
  }
  return program.install();
}

int install_syscall_filter(bool real_device) {
  Program program;
  allow_programs(&program);
  if (real_device) {
    allow_device(&program);
  }
  return program.install();
}
#else
int install_syscall_filter(bool) { return ENOSYS; }
int install_loading_filter(bool) { return ENOSYS; }
#endif

}  // namespace probe
