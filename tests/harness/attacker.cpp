// Tries from inside the fence what hostile native code could do. Linked with the probe's own fence
// (sandbox.cpp, syscall_filter.cpp). Each attack is made in a child of its own and tells by what it
// got, not by what a call returned, wherever that can be seen: a victim that died, bytes that went
// somewhere. One line an attack: name, "refused" or "done", and why.
//
//   attacker fenced|open [user]    "open" leaves the fence out, to show that an attack works at all
#include <cstdio>
#include <functional>

#include "attacks.h"
#include "sandbox.h"

namespace {

enum Result { kRefused, kDone, kSkipped };

void say(const char* name, Result result, const std::string& why) {
  static const char* const words[] = {"refused", "done", "skipped"};
  std::string line = std::string(name) + " " + words[result] + " " + why + "\n";
  if (write(out, line.data(), line.size()) < 0) {
    _exit(5);
  }
}

std::string last_error() { return std::strerror(errno); }

bool alive(pid_t pid) {
  usleep(10000);
  int status = 0;
  return waitpid(pid, &status, WNOHANG) == 0;
}

struct Named {
  const char* name;
  std::function<int()> attack;
  bool works_open;  // known to work without the fence, also for an ordinary user
  bool real_device = false;
};

#define CALL(name, call, works) {name, [] { return got(call); }, works}
#define REACH(name, call) {name, [] { errno = 0; return reached(call); }, false}

const Named kAttacks[] = {
    // processes
    CALL("fork", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), true),
#ifdef SYS_fork
    {"vfork", [] { pid_t p = vfork(); if (p == 0) { _exit(0); } return p > 0 ? 1 : 0; }, true},
    CALL("old_fork", syscall(SYS_fork), true),
#endif
    {"clone_process", [] { return in_clone(0); }, true},
    {"clone_with_memory", [] { return in_clone(CLONE_VM | CLONE_VFORK); }, false},
    {"clone3", in_clone3, true},
    {"fork_bomb", many_processes, true},
    {"thread_bomb", many_threads, true},
    {"run_program", [] {
       pid_t p = fork();
       if (p == 0) { execl("/bin/true", "true", nullptr); _exit(9); }
       int status = 0;
       return p > 0 && waitpid(p, &status, 0) == p && status == 0 ? 1 : 0; }, true},
    {"run_memory", run_memfd, true},
    // other processes
    {"kill", [] { return got(kill(victim, SIGKILL)); }, true},
    {"kill_parent_softly", [] { return got(kill(parent, 0)); }, true},
    {"kill_everybody_softly", [] { return got(kill(-1, 0)); }, true},
    {"kill_thread", [] { return got(syscall(SYS_tgkill, victim, victim, SIGKILL)); }, true},
    {"kill_old_thread", [] { return got(syscall(SYS_tkill, victim, SIGKILL)); }, true},
    {"kill_by_queue", kill_by_queue, true},
    {"kill_by_owner", kill_by_owner, true},
    {"limit_victim", limit_victim, true},
    {"nice_victim", [] { return got(setpriority(PRIO_PROCESS, victim, 19)); }, true},
    {"pin_victim", scheduler_of_victim, true},
    {"trace_victim", [] { return got(ptrace(PTRACE_SEIZE, victim, 0, 0)); }, true},
    {"read_victim", [] { return remote_memory(false); }, true},
    {"write_victim", [] { return remote_memory(true); }, true},
    {"take_descriptor", take_descriptor, true},
    {"environment_of_victim", [] { return read_file(proc(victim, "environ")); }, true},
    {"memory_of_victim", [] { return got(open(proc(victim, "mem").c_str(), O_RDWR)); }, true},
    {"look_around", [] { return opendir("/proc") != nullptr ? 1 : 0; }, true},
    // files
    {"read_file", [] { return read_file(target); }, true},
    {"read_passwords", [] { return read_file("/etc/passwd"); }, true},
    {"list_folder", [] { return opendir(folder.c_str()) != nullptr ? 1 : 0; }, true},
    CALL("write_file", open(target.c_str(), O_WRONLY | O_APPEND), true),
    CALL("make_file", open((folder + "/new").c_str(), O_CREAT | O_WRONLY, 0600), true),
    CALL("unnamed_file", open(folder.c_str(), O_TMPFILE | O_RDWR, 0600), true),
    CALL("make_folder", mkdir((folder + "/d").c_str(), 0700), true),
    CALL("link_file", link(target.c_str(), (folder + "/l").c_str()), true),
    CALL("symlink_file", symlink("/", (folder + "/s").c_str()), true),
    CALL("rename_file", rename(target.c_str(), target.c_str()), true),
    CALL("delete_file", unlink((folder + "/bait").c_str()), true),
    CALL("change_mode", chmod(target.c_str(), 0600), true),
    CALL("change_mode_of_open", fchmod(secret_file, 0600), true),
    CALL("change_mode_2", syscall(452, AT_FDCWD, target.c_str(), 0600, 0), false),
    CALL("cut_file", truncate(target.c_str(), 1), true),
    CALL("stat_file", syscall(SYS_newfstatat, AT_FDCWD, target.c_str(), folder.data(), 0), false),
    {"see_file", [] { struct stat told; return got(stat(target.c_str(), &told)); }, true},
    CALL("change_folder", chdir("/"), true),
    REACH("open_2", syscall(437, AT_FDCWD, target.c_str(), nullptr, 0)),
    REACH("extended_attribute", syscall(SYS_lremovexattr, target.c_str(), "user.none")),
    {"file_flags", set_flags, false},
    {"open_by_handle", open_by_handle, false},
    {"watch_files", [] { return got(syscall(SYS_inotify_init1, 0)); }, true},
    {"lock_file", [] { return got(flock(secret_file, LOCK_EX)); }, true},
    REACH("make_device", mknod((folder + "/n").c_str(), S_IFCHR | 0600, 259)),
    REACH("copy_range", syscall(SYS_copy_file_range, secret_file, 0, secret_file, 0, 1, 0)),
    REACH("splice", syscall(SYS_splice, 0, 0, 1, 0, 1, 0)),
    // memory
    {"memory_file", fill_memfd, true},
    {"private_memory", [] { return map_everything(MAP_PRIVATE | MAP_ANONYMOUS); }, true},
    {"shared_memory", [] { return map_everything(MAP_SHARED | MAP_ANONYMOUS); }, true},
    {"growing_stack", [] {
       return mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0) != MAP_FAILED ? 1 : 0; },
     true},
    {"executable_memory", make_executable, true},
    {"writable_code", [] {
       return mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED ? 1 : 0; }, true},
    {"write_own_code", write_own_code, true},
    {"system_v_memory", [] {
       return got(syscall(SYS_shmget, 0, 1 << 20, 01000 | 0600)); }, true},
    {"system_v_messages", [] { return got(syscall(SYS_msgget, 0x4835, 01000 | 0600)); }, false},
    {"system_v_semaphores", [] { return got(syscall(SYS_semget, 0x4836, 1, 01000 | 0600)); },
     false},
    CALL("lock_memory", mlock(&out, 1), true),
    CALL("secret_memory", syscall(447, 0), false),
    REACH("lock_own_pages_for_good", syscall(SYS_mlockall, 0x100)),
    // more of everything
    {"descriptor_bomb", many_descriptors, false},
    CALL("pipe", ({ int ends[2]; pipe(ends); }), true),
    CALL("raise_limit", raise_limit() - 1, true),
    {"message_queue", [] {
       return got(syscall(SYS_mq_open, "attacker", O_CREAT | O_RDWR, 0600, 0)); }, false},
    CALL("timer", ({ int id; syscall(SYS_timer_create, 0, 0, &id); }), true),
    CALL("clock_descriptor", syscall(SYS_timerfd_create, 0, 0), true),
    CALL("event_descriptor", syscall(SYS_eventfd2, 0, 0), true),
    CALL("signal_descriptor", syscall(SYS_signalfd4, -1, &out, 8, 0), true),
    CALL("epoll", syscall(SYS_epoll_create1, 0), true),
    // network
    CALL("internet", socket(AF_INET, SOCK_STREAM, 0), true),
    CALL("local_socket", socket(AF_UNIX, SOCK_STREAM, 0), true),
    CALL("socket_pair", ({ int ends[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, ends); }), true),
    {"abstract_socket", abstract_socket, true},
    CALL("netlink", socket(AF_NETLINK, SOCK_RAW, 0), true),
    // the kernel
    CALL("io_uring", ({ static char parameters[256]; syscall(425, 4, parameters); }), false),
    CALL("user_namespace", user_namespace() - 1, false),
    REACH("join_namespace", setns(-1, 0)),
    REACH("bpf", syscall(SYS_bpf, 0, nullptr, 0)),
    REACH("keys", syscall(SYS_keyctl, 0, -3, 1)),
    REACH("add_key", syscall(SYS_add_key, "user", "attacker", "x", 1, -3)),
    REACH("perf", syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0)),
    CALL("userfaultfd", syscall(SYS_userfaultfd, 1), false),
    CALL("personality", personality(0xFFFFFFFF), true),
    REACH("reboot", syscall(SYS_reboot, 1, 2, 3, 0)),
    REACH("module", syscall(SYS_init_module, nullptr, 0, "")),
    REACH("swap", syscall(SYS_swapoff, "/nonexistent")),
    CALL("host_name", syscall(SYS_sethostname, "", 0), false),
    REACH("accounting", syscall(SYS_acct, "/nonexistent/x")),
    REACH("kexec", syscall(SYS_kexec_load, 0, 0, nullptr, 0)),
    REACH("set_clock", syscall(SYS_clock_settime, 999, nullptr)),
    REACH("mount", mount("none", folder.c_str(), "tmpfs", 0, "")),
    REACH("new_root", chroot("/")),
    {"mount_api", mount_api, false},
    REACH("quota", syscall(SYS_quotactl, 0, nullptr, 0, nullptr)),
    REACH("fan_notify", syscall(SYS_fanotify_init, 0, 0)),
    REACH("new_filter", syscall(SYS_seccomp, 2, 0, &out)),
    CALL("more_dumps", prctl(PR_SET_DUMPABLE, 1), true),
    CALL("survive_parent", prctl(PR_SET_PDEATHSIG, 0), true),
    CALL("new_session", ({ setpgid(0, 0); setsid(); }), false),
    {"become_root", [] { return setuid(0) == 0 && getuid() == 0 ? 1 : 0; }, false},
    {"old_numbers", old_numbers, false},
    {"numbers_of_x32", numbers_of_x32, false},
    {"fake_input", fake_input, false},
    // with what a driver needs added
    {"device_local_socket", [] { return got(socket(AF_UNIX, SOCK_STREAM, 0)); }, true, true},
    {"device_write_file", [] { return got(open(target.c_str(), O_WRONLY | O_APPEND)); }, true, true},
    {"device_read_file", [] { return read_file(target); }, true, true},
    {"device_memory_of_victim", [] { return got(open(proc(victim, "mem").c_str(), O_RDWR)); }, true,
     true},
    {"device_kill", [] { return got(kill(victim, SIGKILL)); }, true, true},
    {"device_fork", [] { return in_clone(0); }, true, true},
    {"device_threads", many_threads, true, true},
    {"device_file_flags", set_flags, false, true},
    {"device_fake_input", fake_input, false, true},
    {"device_memory_file", fill_memfd, true, true},
    {"device_executable_memory", make_executable, true, true},
};

// Returns once the victim has what is to be taken from it, however busy the machine is.
pid_t start_victim() {
  int ready[2];
  if (pipe(ready) != 0) {
    _exit(6);
  }
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(secret_file, 77);
    close(ready[0]);
    close(ready[1]);
    for (;;) {
      pause();
    }
  }
  close(ready[1]);
  char none;
  if (read(ready[0], &none, 1) != 0) {
    _exit(6);
  }
  close(ready[0]);
  return child;
}

void make_files() {
  char pattern[] = "/tmp/pte-lint-attacker-XXXXXX";
  folder = mkdtemp(pattern);
  folder.reserve(400);
  target = folder + "/target";
  for (const char* name : {"/target", "/bait"}) {
    int fd = open((folder + name).c_str(), O_CREAT | O_RDWR, 0644);
    if (write(fd, "private", 7) != 7) {
      _exit(6);
    }
    secret_file = fd;
  }
}

void remove_files() {
  for (const char* name : {"/target", "/bait", "/new", "/l", "/s", "/n"}) {
    unlink((folder + name).c_str());
  }
  rmdir((folder + "/d").c_str());
  umount2(folder.c_str(), MNT_DETACH);
  rmdir(folder.c_str());
}

void attempt(const Named& named, bool fenced) {
  make_files();
  victim = start_victim();
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    probe::Limits limits;
    limits.memory_bytes = uint64_t{256} << 20;
    limits.real_device = named.real_device;
    if (fenced && !probe::enter_sandbox(limits)) {
      say(named.name, kSkipped, "there is no fence");
      _exit(0);
    }
    errno = 0;
    int result = named.attack();
    say(named.name, result > 0 ? kDone : result < 0 ? kSkipped : kRefused, last_error());
    kill(0, SIGKILL);
    _exit(0);
  }
  int status = 0;
  for (int i = 0; i < 2000 && waitpid(child, &status, WNOHANG) == 0; ++i) {
    usleep(5000);
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
    say(named.name, kRefused, "the process was ended");
  }
  if (!alive(victim)) {
    say(named.name, kDone, "the victim is dead");
  }
  struct stat told {};
  if (stat(target.c_str(), &told) != 0 || told.st_size != 7) {
    say(named.name, kDone, "the file is another");
  }
  kill(victim, SIGKILL);
  waitpid(victim, nullptr, 0);
  close(secret_file);
  remove_files();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    return 2;
  }
  const bool fenced = std::strcmp(argv[1], "fenced") == 0;
  if (argc > 2) {
    const uid_t user = static_cast<uid_t>(std::atoi(argv[2]));
    if (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) {
      return 3;
    }
    prctl(PR_SET_DUMPABLE, 1);
  }
  parent = getpid();
  out = dup(1);
  signal(SIGCHLD, SIG_DFL);
  for (const Named& named : kAttacks) {
    if (fenced || named.works_open) {
      attempt(named, fenced);
    }
  }
  return 0;
}
