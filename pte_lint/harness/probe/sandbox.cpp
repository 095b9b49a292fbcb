#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "syscall_filter.h"

namespace probe {
namespace {

// For one child; a made user, so that neither limits nor signals are shared with anybody. Above
// what distributions, systemd and container engines hand out.
constexpr uid_t kFirstMadeUser = 0x70000000;
constexpr uid_t kNobody = 65534;

void limit(int resource, rlim_t value) {
  struct rlimit bound {value, value};
  struct rlimit now {};
  if (getrlimit(resource, &now) == 0 && now.rlim_max < value) {
    bound = {now.rlim_max, now.rlim_max};
  }
  if (setrlimit(resource, &bound) != 0) {
    _exit(97);
  }
}

// Threads of all processes of a user, as far as they can be seen; closes the folder.
rlim_t threads_of(uid_t user, DIR* processes) {
  rlim_t count = 0;
  while (struct dirent* entry = processes != nullptr ? readdir(processes) : nullptr) {
    struct stat told {};
    const std::string tasks = std::string(entry->d_name) + "/task";
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
        fstatat(dirfd(processes), tasks.c_str(), &told, 0) == 0 && told.st_uid == user) {
      count += told.st_nlink > 2 ? told.st_nlink - 2 : 1;
    }
  }
  if (processes != nullptr) {
    closedir(processes);
  }
  return count;
}

// More than any delegate's pool makes, which is a thread for each core. Where others of the same
// user count too, with room for what those may yet start.
void limit_threads(rlim_t others) {
  const rlim_t pool = 32 + 2 * static_cast<rlim_t>(sysconf(_SC_NPROCESSORS_ONLN));
  limit(RLIMIT_NPROC, others == 0 ? pool : others + 4 * pool);
}

void limit_resources(const Limits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.seconds * 16)) + 2);  // threads add up
  limit(RLIMIT_FSIZE, rlim_t{1} << 20);  // nothing can be opened; what is open may be a file
  limit(RLIMIT_MSGQUEUE, 0);
  if (limits.real_device) {
    // The driver reserves address space by the terabyte; bound what can be filled instead.
    limit(RLIMIT_DATA, limits.memory_bytes * 4);
    limit(RLIMIT_NOFILE, 1024);
    return;
  }
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_NOFILE, 256);
  limit(RLIMIT_MEMLOCK, 0);
  // Worker threads of a delegate must not eat the address space on a machine of many cores.
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
}

std::string failure(const char* what, int error = errno) {
  return std::string(what) + ": " + std::strerror(error);
}

bool has_capability(int number) {
  struct __user_cap_header_struct head {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] {};
  return syscall(SYS_capget, &head, data) == 0 &&
      (data[number / 32].effective >> (number % 32) & 1) != 0;
}

void leave_files(const Limits& limits, Fence* fence) {
  if (limits.empty_folder < 0) {
    return;
  }
  if (fchdir(limits.empty_folder) != 0 || chroot(".") != 0) {
    fence->missing.push_back(failure("empty file system"));
  }
  close(limits.empty_folder);
}

// Root becomes a user that nobody is. Returns whether the user is one of its own.
bool leave_root(Fence* fence) {
  if (geteuid() != 0) {
    return false;
  }
  // Its parent has to be able to end it.
  if (!has_capability(CAP_SETUID) || !has_capability(CAP_SETGID) || !has_capability(CAP_KILL)) {
    fence->missing.push_back("ordinary user in place of root: the capabilities for it are missing");
    return false;
  }
  setgroups(0, nullptr);
  const uid_t made = kFirstMadeUser + static_cast<uid_t>(getpid());
  for (uid_t user : {made, kNobody}) {
    if (setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0) {
      return user == made;
    }
  }
  fence->missing.push_back(failure("ordinary user in place of root"));
  return false;
}

void leave_capabilities(Fence* fence) {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct __user_cap_header_struct head {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] {};
  if (syscall(SYS_capset, &head, none) != 0) {
    fence->missing.push_back(failure("no capabilities"));
  }
}

// Landlock with no exceptions: no file, no port, no abstract socket, no signal to the outside. The
// numbers are the kernel's own, which headers of older systems lack.
void enter_landlock(Fence* fence) {
  constexpr long kCreate = 444;
  constexpr long kRestrict = 446;
  struct {
    uint64_t files, ports, scopes;
  } handled{};
  const long version = syscall(kCreate, nullptr, 0, 1);
  if (version < 1) {
    fence->missing.push_back(failure("Landlock"));
    return;
  }
  // Rights on files by version; each version kept those of the one before.
  const int files[] = {13, 14, 15, 15, 16};
  handled.files = (uint64_t{1} << files[(version < 5 ? version : 5) - 1]) - 1;
  handled.ports = version >= 4 ? 3 : 0;
  handled.scopes = version >= 6 ? 3 : 0;
  const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const int rules = static_cast<int>(syscall(kCreate, &handled, size, 0));
  if (rules < 0 || syscall(kRestrict, rules, 0) != 0) {
    fence->missing.push_back(failure("Landlock"));
  }
  if (rules >= 0) {
    close(rules);
  }
}

}  // namespace

bool enter_sandbox(const Limits& limits, Fence* fence) {
  Fence ignored;
  fence = fence != nullptr ? fence : &ignored;
  setpgid(0, 0);
  limit_resources(limits);
  clearenv();
  DIR* processes = limits.own_user_namespace ? nullptr : opendir("/proc");
  leave_files(limits, fence);
  for (int number = 0; prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; ++number) {
  }
  const bool alone = leave_root(fence) || limits.own_user_namespace;
  limit_threads(alone ? 0 : threads_of(geteuid(), processes));
  if (alone && processes != nullptr) {
    closedir(processes);
  }
  leave_capabilities(fence);
  // A change of user forgets both of these, so they come after it.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  int error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
  if (error == 0) {
    enter_landlock(fence);
    error = install_syscall_filter(limits.real_device);
  }
  if (error != 0) {
    fence->broken = failure("the system call filter", error);
  }
  return error == 0;
}

}  // namespace probe
