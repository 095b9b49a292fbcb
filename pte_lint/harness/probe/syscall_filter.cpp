#include "syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

namespace probe {

#if defined(__x86_64__)
#define PROBE_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define PROBE_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef PROBE_AUDIT_ARCH
namespace {

class Program {
 public:
  void load_number() { load(offsetof(struct seccomp_data, nr)); }
  void load_architecture() { load(offsetof(struct seccomp_data, arch)); }
  // The low word: every argument looked at is a 32-bit flag or number (little endian).
  void load_argument(int i) {
    load(static_cast<uint32_t>(offsetof(struct seccomp_data, args) + 8 * i));
  }
  void answer(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  void allow() { answer(SECCOMP_RET_ALLOW); }
  void refuse(uint32_t error = EPERM) { answer(SECCOMP_RET_ERRNO | error); }

  // Each runs the next `count` statements only if its condition on the loaded word holds.
  void when_equal(uint32_t value, uint8_t count) { jump(BPF_JEQ, value, 0, count); }
  void when_not_equal(uint32_t value, uint8_t count) { jump(BPF_JEQ, value, count, 0); }
  void when_any(uint32_t mask, uint8_t count) { jump(BPF_JSET, mask, 0, count); }
  void when_none(uint32_t mask, uint8_t count) { jump(BPF_JSET, mask, count, 0); }

  bool install() {
    struct sock_fprog filter {static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
  }

 private:
  void load(uint32_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
  void jump(int test, uint32_t value, uint8_t if_true, uint8_t if_false) {
    struct sock_filter step = BPF_JUMP(
        static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, if_true, if_false);
    code_.push_back(step);
  }
  std::vector<struct sock_filter> code_;
};

// Refused whatever the arguments. Names that an architecture lacks are left out.
const std::vector<uint32_t>& refused_calls() {
  static const std::vector<uint32_t> calls = {
      SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_writev, SYS_process_vm_readv,
      SYS_kill, SYS_tkill, SYS_pidfd_send_signal, SYS_rt_sigqueueinfo,
      SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat, SYS_mknodat,
      SYS_fchmodat, SYS_fchownat, SYS_fchmod, SYS_fchown, SYS_truncate, SYS_utimensat,
      SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_mount, SYS_umount2, SYS_pivot_root,
      SYS_chroot, SYS_unshare, SYS_setns, SYS_bpf, SYS_keyctl, SYS_add_key, SYS_shmget,
      SYS_setsid, SYS_setpgid, SYS_io_uring_setup,
#ifdef SYS_openat2
      SYS_openat2,
#endif
#ifdef SYS_renameat
      SYS_renameat,
#endif
#ifdef SYS_fork
      SYS_fork, SYS_vfork, SYS_unlink, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink,
      SYS_mknod, SYS_chmod, SYS_chown, SYS_lchown, SYS_creat, SYS_utime, SYS_utimes,
      SYS_futimesat,
#endif
  };
  return calls;
}

// Call `number`: refuse when its argument `i` has a bit of `mask`, allow otherwise.
void refuse_bits(Program* program, uint32_t number, int i, uint32_t mask) {
  program->when_equal(number, 4);
  program->load_argument(i);
  program->when_any(mask, 1);
  program->refuse(EACCES);
  program->allow();
}

}  // namespace

bool install_syscall_filter(bool real_device) {
  Program program;
  program.load_architecture();
  program.when_not_equal(PROBE_AUDIT_ARCH, 1);
  program.answer(SECCOMP_RET_KILL_PROCESS);
  program.load_number();
#ifdef __x86_64__
  program.when_any(0x40000000, 1);  // the x32 numbers of the same calls
  program.refuse(ENOSYS);
#endif
  for (uint32_t number : refused_calls()) {
    program.when_equal(number, 1);
    program.refuse();
  }
  const uint32_t made = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
  const uint32_t written = real_device ? made : made | O_WRONLY | O_RDWR | O_APPEND;
  refuse_bits(&program, SYS_openat, 2, written);
#ifdef SYS_open
  refuse_bits(&program, SYS_open, 1, written);
#endif
  // Threads yes, processes no. The flags of clone3 are out of a filter's reach, so it is said not
  // to exist and the C library falls back to clone.
  program.when_equal(SYS_clone3, 1);
  program.refuse(ENOSYS);
  program.when_equal(SYS_clone, 4);
  program.load_argument(0);
  program.when_none(CLONE_THREAD, 1);
  program.refuse();
  program.allow();
  // A process may signal itself (abort does), nobody else.
  program.when_equal(SYS_tgkill, 4);
  program.load_argument(0);
  program.when_not_equal(static_cast<uint32_t>(getpid()), 1);
  program.refuse();
  program.allow();
  program.when_equal(SYS_socket, 4);
  program.load_argument(0);
  program.when_equal(real_device ? AF_UNIX : 0xFFFF, 1);
  program.allow();
  program.refuse();
  program.allow();
  return program.install();
}
#else
bool install_syscall_filter(bool) { return false; }
#endif

}  // namespace probe
