// Tries the fence from inside: one child for each thing a hostile program might attempt. What
// comes back tells whether the fence holds on this machine.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "channel.h"
#include "json.h"
#include "modes.h"
#include "supervisor.h"

namespace probe {
namespace {

using Body = std::function<void(Reporter&)>;

// The file of the attempts that write; in the folder the probe was started in.
constexpr const char* kFile = "fence-attempt";

void tell(Reporter& reporter, bool refused) {
  reporter.member("refused", refused ? "true" : "false");
  reporter.stage(Stage::kDone);
}

void try_fork(Reporter& reporter) {
  pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  tell(reporter, child < 0);
}

void try_memory(Reporter& reporter) {
  // Bounded, so that a machine where the limit does not hold is not brought down.
  for (size_t i = 0; i < 64; ++i) {
    void* block = std::malloc(size_t{1} << 28);
    if (block == nullptr) {
      return tell(reporter, true);
    }
    *static_cast<volatile char*>(block) = 1;
  }
  tell(reporter, false);
}

void flood_output(Reporter& reporter) {
  const std::string junk(1 << 16, '{');
  for (int i = 0; i < 64; ++i) {
    if (write(1, junk.data(), junk.size()) < 0 || write(2, junk.data(), junk.size()) < 0) {
      break;
    }
  }
  reporter.stage(Stage::kDone);
}

void junk_on_the_report(Reporter& reporter) {
  // Every descriptor it could have inherited, the pipe to the parent among them.
  for (int fd = 3; fd < 64; ++fd) {
    ssize_t sent = write(fd, "}}}\n\0\xFF junk", 12);
    (void)sent;
  }
  reporter.stage(Stage::kDone);
}

void frames_with_junk_inside(Reporter& reporter) {
  reporter.member("quote", "\"unterminated");
  reporter.member("nested", std::string(1000, '['));
  reporter.stage(Stage::kDone);
}

// What a parent might take for a frame if it only looked at the form.
void forged_frames(Reporter& reporter) {
  const std::string key = "error";
  const std::string value = "\"InvalidProgram\"";
  for (uint64_t mark : {uint64_t{0}, uint64_t{0x46505450}}) {
    FrameHeader header{
        mark, 'M', static_cast<uint32_t>(key.size()), static_cast<uint32_t>(value.size()), 0};
    std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
    frame += key + value;
    ssize_t sent = write(3, frame.data(), frame.size());
    (void)sent;
  }
  reporter.stage(Stage::kDone);
}

void words_after_the_end(Reporter& reporter) {
  reporter.stage(Stage::kDone);
  reporter.finish();
  reporter.text("error", "InvalidProgram");
}

void flood_report(Reporter& reporter) {
  const std::string line = "\"" + std::string(1 << 20, 'x') + "\"";
  for (int i = 0; i < 64; ++i) {
    reporter.member("line" + std::to_string(i), line);
  }
  reporter.stage(Stage::kDone);
}

// Descriptors besides the standard streams and the report.
void try_descriptors(Reporter& reporter) {
  int count = 0;
  struct stat told {};
  for (int fd = 4; fd < 1024; ++fd) {
    count += fstat(fd, &told) == 0 ? 1 : 0;
  }
  tell(reporter, count == 0);
}

void try_threads(Reporter& reporter) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 14);
  pthread_t thread;
  auto wait = [](void*) -> void* {
    for (;;) {
      usleep(100000);
    }
  };
  int count = 0;
  while (count < 4000 && pthread_create(&thread, &attributes, wait, nullptr) == 0) {
    ++count;
  }
  tell(reporter, count < 4000);
}

struct Attempt {
  const char* name;
  Body body;
};

std::vector<Attempt> attempts() {
  return {
      {"create_file",
       [](Reporter& r) { tell(r, open(kFile, O_CREAT | O_WRONLY, 0600) < 0); }},
      {"create_folder", [](Reporter& r) { tell(r, mkdir(kFile, 0700) != 0); }},
      {"delete_file", [](Reporter& r) { tell(r, unlink(kFile) != 0 && errno == EPERM); }},
      {"network", [](Reporter& r) { tell(r, socket(AF_INET, SOCK_STREAM, 0) < 0); }},
      {"new_process", try_fork},
      {"start_program",
       [](Reporter& r) {
         char* const arguments[] = {const_cast<char*>("true"), nullptr};
         execv("/bin/true", arguments);
         tell(r, true);  // reached only if it was refused
       }},
      {"signal_parent", [](Reporter& r) { tell(r, kill(getppid(), 0) != 0); }},
      {"memory", try_memory},
      {"threads", try_threads},
      {"descriptors", try_descriptors},
      {"environment", [](Reporter& r) { tell(r, environ == nullptr || *environ == nullptr); }},
      {"read_file", [](Reporter& r) { tell(r, open("/etc/passwd", O_RDONLY) < 0); }},
      {"see_processes", [](Reporter& r) { tell(r, open("/proc/1/environ", O_RDONLY) < 0); }},
      {"be_root", [](Reporter& r) { tell(r, syscall(SYS_setuid, 0) != 0); }},
      {"stop_itself", [](Reporter&) { raise(SIGSTOP); }},
      {"ignore_signals",
       [](Reporter& r) {
         r.stage(Stage::kExecute);
         for (int number = 1; number < 32; ++number) {
           signal(number, SIG_IGN);
         }
         for (volatile int i = 0;; i = i + 1) {
         }
       }},
      {"endless",
       [](Reporter& r) {
         r.stage(Stage::kExecute);
         for (volatile int i = 0;; i = i + 1) {
         }
       }},
      {"bad_access",
       [](Reporter& r) {
         r.stage(Stage::kExecute);
         *reinterpret_cast<volatile int*>(static_cast<uintptr_t>(0x10)) = 1;
       }},
      {"stack_overflow",
       [](Reporter& r) {
         r.stage(Stage::kExecute);
         std::function<int(int)> deeper = [&](int n) {
           volatile char block[4096] = {static_cast<char>(n)};
           return deeper(n + 1) + block[n % 4096];
         };
         r.number("never", deeper(0));
       }},
      {"abort", [](Reporter&) { std::abort(); }},
      {"exception", [](Reporter&) { throw std::string("nobody catches this"); }},
      {"kill_itself", [](Reporter&) { raise(SIGKILL); }},
      {"leave_early", [](Reporter&) { _exit(0); }},
      {"flood_output", flood_output},
      {"junk_on_the_report", junk_on_the_report},
      {"frames_with_junk_inside", frames_with_junk_inside},
      {"forged_frames_of_junk", forged_frames},
      {"junk_after_the_end", words_after_the_end},
      {"report_flooded_with_junk", flood_report},
  };
}

}  // namespace

int fence_mode(const Options& options) {
  Array list;
  for (const Attempt& attempt : attempts()) {
    const JobRecord record = run_job(options.limits, {attempt.body, {}});
    list.raw(Object().add("attempt", attempt.name).raw("record", record.json).str());
  }
  Array missing;
  for (const std::string& layer : options.fence_missing) {
    missing.raw(json_string(layer));
  }
  Object report;
  report.raw("attempts", list.str()).raw("fence_missing", missing.str());
  return deliver(options, report.str() + "\n") ? 0 : 3;
}

}  // namespace probe
