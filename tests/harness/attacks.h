// The longer attacks of `attacker.cpp`. Each returns 1 if it got what it wanted, 0 if not, and -1
// where it cannot be had on this machine at all.
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int out = -1;           // where results go
pid_t parent = 0;       // stands for pte-lint
pid_t victim = 0;       // another process of the same user
int secret_file = -1;   // open in the victim as number 77
std::string folder;     // a folder of the user's own
std::string target;     // a file in it

int got(long result) { return result >= 0 ? 1 : 0; }

// An argument that no call likes: shows whether the kernel looked at it. Refused is what never got
// that far.
int reached(long result) {
  return result >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS) ? 1 : 0;
}

int read_file(const std::string& path) {
  char buffer[64];
  int fd = open(path.c_str(), O_RDONLY);
  return fd >= 0 && read(fd, buffer, sizeof buffer) > 0;
}

std::string proc(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

int open_by_handle() {
  struct {
    struct file_handle head;
    char rest[128];
  } handle;
  handle.head.handle_bytes = 128;
  int mount_id = 0;
  if (name_to_handle_at(AT_FDCWD, target.c_str(), &handle.head, &mount_id, 0) != 0) {
    return 0;
  }
  int place = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  return got(open_by_handle_at(place, &handle.head, O_RDWR));
}

int kill_by_queue() {
  siginfo_t info;
  std::memset(&info, 0, sizeof info);
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return got(syscall(SYS_rt_tgsigqueueinfo, victim, victim, SIGKILL, &info));
}

int kill_by_owner() {
  int ends[2];
  if (pipe(ends) != 0) {
    return 0;
  }
  fcntl(ends[0], F_SETOWN, victim);
  fcntl(ends[0], F_SETSIG, SIGKILL);
  fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  return write(ends[1], "x", 1) == 1;
}

int take_descriptor() {
  int process = static_cast<int>(syscall(434, victim, 0));
  int fd = process < 0 ? -1 : static_cast<int>(syscall(438, process, 77, 0));
  return fd >= 0 && write(fd, "stolen", 6) == 6;
}

int remote_memory(bool to_write) {
  static char here[8];
  struct iovec mine {here, sizeof here};
  struct iovec theirs {here, sizeof here};  // a fork: the same address
  return got(syscall(
      to_write ? SYS_process_vm_writev : SYS_process_vm_readv, victim, &mine, 1, &theirs, 1, 0));
}

int fill_memfd() {
  int fd = static_cast<int>(syscall(SYS_memfd_create, "x", 0));
  static char block[1 << 20];
  int written = 0;
  while (fd >= 0 && written < 300 && write(fd, block, sizeof block) > 0) {
    ++written;
  }
  return written == 300;
}

int run_memfd() {
  int fd = static_cast<int>(syscall(SYS_memfd_create, "x", 0));
  int from = open("/bin/true", O_RDONLY);
  char block[4096];
  for (ssize_t count; fd >= 0 && from >= 0 && (count = read(from, block, sizeof block)) > 0;) {
    if (write(fd, block, static_cast<size_t>(count)) != count) {
      return 0;
    }
  }
  char* const arguments[] = {const_cast<char*>("true"), nullptr};
  char* const environment[] = {nullptr};
  pid_t child = fork();
  if (child == 0) {
    syscall(SYS_execveat, fd, "", arguments, environment, AT_EMPTY_PATH);
    _exit(9);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int map_everything(int flags) {
  const size_t block = size_t{64} << 20;
  size_t total = 0;
  for (; total < (size_t{1} << 30); total += block) {
    void* memory = mmap(nullptr, block, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) {
      return 0;
    }
    std::memset(memory, 1, 1);
  }
  return 1;
}

int wait_forever(void*) {
  for (;;) {
    syscall(SYS_sched_yield);
    usleep(200000);
  }
}

// As the C library starts threads, so that the filter lets them through.
int many_threads() {
  constexpr int kFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
      CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  constexpr int kWanted = 4000;
  static int id;
  static char area[4096];
  int count = 0;
  for (; count < kWanted; ++count) {
    char* stack = static_cast<char*>(
        mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (stack == MAP_FAILED ||
        clone(wait_forever, stack + 8192, kFlags, nullptr, &id, area, &id) < 0) {
      break;
    }
  }
  return count >= kWanted ? 1 : 0;
}

int many_processes() {
  int count = 0;
  for (; count < 200; ++count) {
    pid_t child = fork();
    if (child < 0) {
      break;
    }
    if (child == 0) {
      pause();
      _exit(0);
    }
  }
  signal(SIGTERM, SIG_IGN);
  kill(0, SIGTERM);
  return count > 0;
}

int many_descriptors() {
  int count = 0;
  while (count < 2000 && fcntl(0, F_DUPFD_CLOEXEC, 0) >= 0) {
    ++count;
  }
  return count == 2000;
}

int abstract_socket() {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path + 1, 60, "pte-lint-attacker-%d", getpid());
  return fd >= 0 && bind(fd, reinterpret_cast<struct sockaddr*>(&address), 40) == 0;
}

int make_executable() {
  void* page = mmap(
      nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}

int write_own_code() {
  int fd = open("/proc/self/mem", O_RDWR);
  char byte = 0;
  const off_t place = static_cast<off_t>(reinterpret_cast<uintptr_t>(&write_own_code));
  return fd >= 0 && pread(fd, &byte, 1, place) == 1 && pwrite(fd, &byte, 1, place) == 1;
}

int old_numbers() {
#ifdef __x86_64__
  long result = 0;
  // getpid by the numbers of i386; ends the process where it is refused
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
  return result == getpid() ? 1 : 0;
#else
  return -1;
#endif
}

int numbers_of_x32() {
#ifdef __x86_64__
  return syscall(0x40000000 | SYS_getpid) == getpid() ? 1 : -1;
#else
  return -1;
#endif
}

int raise_limit() {
  struct rlimit now {};
  getrlimit(RLIMIT_NOFILE, &now);
  struct rlimit less {now.rlim_cur - 1, now.rlim_max};
  return got(setrlimit(RLIMIT_NOFILE, &less));
}

int limit_victim() {
  struct rlimit nothing {0, 0};
  return got(syscall(SYS_prlimit64, victim, RLIMIT_CPU, &nothing, nullptr));
}

int user_namespace() { return got(unshare(CLONE_NEWUSER)); }

int in_clone(unsigned long flags) {
  long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    _exit(0);
  }
  return child > 0;
}

int in_clone3() {
  struct {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } told{};
  told.exit_signal = SIGCHLD;
  long child = syscall(435, &told, sizeof told);
  if (child == 0) {
    _exit(0);
  }
  return child > 0;
}

int mount_api() {
  int fs = static_cast<int>(syscall(430, "tmpfs", 0));
  if (fs < 0) {
    return 0;
  }
  syscall(431, fs, 6, 0, 0, 0);
  int mounted = static_cast<int>(syscall(432, fs, 0, 0));
  return got(syscall(429, mounted, "", AT_FDCWD, folder.c_str(), 4));
}

int set_flags() {
  int fd = open(target.c_str(), O_RDONLY);
  int flags = 0;
  ioctl(fd, FS_IOC_GETFLAGS, &flags);
  return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

int scheduler_of_victim() {
  cpu_set_t all;
  CPU_ZERO(&all);
  CPU_SET(0, &all);
  return got(sched_setaffinity(victim, sizeof all, &all));
}

int fake_input() {
  char byte = 'x';
  return reached(ioctl(0, TIOCSTI, &byte));
}

}  // namespace
