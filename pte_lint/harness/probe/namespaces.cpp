#include "namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace probe {
namespace {

struct Kind {
  int flag;
  const char* name;
};

// The user namespace comes first: the others then belong to it.
constexpr Kind kKinds[] = {
    {CLONE_NEWPID, "processes"}, {CLONE_NEWNS, "mounts"},    {CLONE_NEWNET, "network"},
    {CLONE_NEWIPC, "System V objects"}, {CLONE_NEWUTS, "host name"}};

bool write_file(const char* path, const std::string& text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  const bool done = fd >= 0 &&
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) {
    close(fd);
  }
  return done;
}

// The user keeps its number inside. Without a map it would have none, which changes nothing about
// its rights.
void map_user(uid_t user, gid_t group) {
  auto line = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
  write_file("/proc/self/uid_map", line(user));
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/gid_map", line(group));
}

// Since Linux 5.14 threads are counted for each user namespace.
bool counts_by_namespace() {
  struct utsname told {};
  int major = 0;
  int minor = 0;
  return uname(&told) == 0 && std::sscanf(told.release, "%d.%d", &major, &minor) == 2 &&
      (major > 5 || (major == 5 && minor >= 14));
}

[[noreturn]] void wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
}

}  // namespace

Namespaces enter_namespaces() {
  Namespaces got;
  int all = 0;
  for (const Kind& kind : kKinds) {
    all |= kind.flag;
  }
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(all) != 0) {
    if (unshare(CLONE_NEWUSER) == 0) {
      map_user(user, group);
      got.own_user = user != 0 && counts_by_namespace();
    } else {
      got.missing.push_back(std::string("namespace of users: ") + std::strerror(errno));
    }
    for (const Kind& kind : kKinds) {
      if (unshare(kind.flag) != 0) {
        got.missing.push_back(
            std::string("namespace of ") + kind.name + ": " + std::strerror(errno));
        all &= ~kind.flag;
      }
    }
  }
  if (all & CLONE_NEWNS) {
    mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);  // nothing gets in or out
  }
  if ((all & CLONE_NEWPID) == 0) {
    return got;
  }
  const pid_t child = fork();
  if (child < 0) {
    got.missing.push_back(std::string("namespace of processes: ") + std::strerror(errno));
    return got;
  }
  if (child > 0) {
    wait_for(child);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  got.own_processes = true;
  return got;
}

}  // namespace probe
