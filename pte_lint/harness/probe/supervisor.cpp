#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "crashes.h"
#include "frames.h"
#include "json.h"

namespace probe {
namespace {

int lifeline_fd = -1;
constexpr size_t kConsoleLimit = 4096;

// Where the child keeps its report; 0 to 2 are its standard streams.
constexpr int kReportFd = 3;

// Closes all descriptors from `first` on but one.
void close_from(unsigned first, int kept) {
  const unsigned last = ~0u;
  auto close_range = [](unsigned from, unsigned to) {
    if (from > to || syscall(436, from, to, 0) == 0) {  // close_range, since Linux 5.9
      return;
    }
    const long open_max = sysconf(_SC_OPEN_MAX);
    for (unsigned fd = from; fd <= to && fd < static_cast<unsigned>(open_max); ++fd) {
      close(static_cast<int>(fd));
    }
  };
  if (kept >= static_cast<int>(first)) {
    close_range(first, static_cast<unsigned>(kept) - 1);
    first = static_cast<unsigned>(kept) + 1;
  }
  close_range(first, last);
}

[[noreturn]] void child_main(
    int report_fd, int console_fd, uint64_t mark, const Limits& limits, const Job& job) {
  int nothing = open("/dev/null", O_RDONLY);
  // Above all numbers that are about to be given away.
  report_fd = fcntl(report_fd, F_DUPFD, 10);
  dup2(nothing, 0);
  dup2(console_fd, 1);
  dup2(console_fd, 2);
  dup2(report_fd, kReportFd);
  close_from(kReportFd + 1, limits.empty_folder);
  Reporter reporter(kReportFd, mark);
  set_reporter(&reporter);
  watch_crashes();
  if (job.prepare) {
    job.prepare();
  }
  Fence fence;
  if (limits.bare) {
    setpgid(0, 0);
    fence.broken = "it was not to be raised";
  } else {
    enter_sandbox(limits, &fence);
  }
  for (const std::string& layer : fence.missing) {
    reporter.append("fence_missing", json_string(layer));
  }
  if (!fence.broken.empty()) {
    reporter.text("fence_broken", fence.broken);
    if (!limits.unfenced) {
      _exit(97);
    }
  }
  job.body(reporter);
  reporter.finish();
  // No destructors, no atexit handlers: the job is over and the process was never whole.
  _exit(0);
}

uint64_t random_mark() {
  uint64_t mark = 0;
  if (getrandom(&mark, sizeof mark, 0) != sizeof mark) {
    _exit(98);
  }
  return mark;
}

// Ends the child and whatever else there is in the probe's own namespace of processes.
int end_all(pid_t child) {
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (getpid() == 1) {
    kill(-1, SIGKILL);
    while (waitpid(-1, nullptr, 0) > 0) {
    }
  }
  return status;
}

// Reads what is there; false at end of file.
bool drain(int fd, std::string* into, size_t limit) {
  char buffer[65536];
  ssize_t got = read(fd, buffer, sizeof buffer);
  if (got > 0) {
    size_t room = into->size() < limit ? limit - into->size() : 0;
    into->append(buffer, std::min(room, static_cast<size_t>(got)));
    return true;
  }
  return got < 0 && (errno == EINTR || errno == EAGAIN);
}

struct Watch {
  bool timed_out = false;
  std::string console;
};

// Feeds `frames` until the child has closed its ends, is late, or the driver is gone.
Watch watch(pid_t child, int report_fd, int console_fd, double deadline, FrameReader* frames) {
  Watch seen;
  bool report_open = true;
  bool console_open = true;
  while (report_open || console_open) {
    struct pollfd fds[3] = {
        {report_open ? report_fd : -1, POLLIN, 0},
        {console_open ? console_fd : -1, POLLIN, 0},
        {lifeline_fd, 0, 0}};
    double left = deadline - monotonic_seconds();
    if (left <= 0) {
      seen.timed_out = true;
      break;
    }
    int ready = poll(fds, 3, static_cast<int>(left * 1000) + 1);
    if (ready < 0 && errno != EINTR) {
      break;
    }
    if (ready <= 0) {
      continue;
    }
    if (fds[2].revents & (POLLHUP | POLLERR)) {
      end_all(child);
      _exit(3);
    }
    if (fds[0].revents != 0) {
      report_open = frames->feed(report_fd);
    }
    if (fds[1].revents != 0) {
      console_open = drain(console_fd, &seen.console, kConsoleLimit);
    }
  }
  return seen;
}

std::string fault_json(const SharedPage& page) {
  char address[24];
  std::snprintf(
      address, sizeof address, "0x%llx", static_cast<unsigned long long>(page.crash_address));
  std::string region(page.crash_region, strnlen(page.crash_region, sizeof page.crash_region));
  Object fault;
  if (region.empty()) {
    fault.raw("address", "null").raw("address_in", "null");
  } else {
    fault.add("address", address).add("address_in", region);
  }
  if (!region.empty() && region != "null" && region != "other") {
    fault.add("offset", static_cast<uint64_t>(page.crash_offset));
  }
  return fault.add("code", page.crash_code).str();
}

void add_page(Object* record, const SharedPage& page) {
  record->add("stage", stage_name(static_cast<Stage>(page.stage)));
  if (page.instructions > 0) {
    record->add("instructions_started", static_cast<uint64_t>(page.instructions));
    if (page.executing != 0) {
      record->raw("instruction", Object().add("chain", static_cast<int>(page.chain))
                                     .add("index", static_cast<int>(page.instruction)).str());
    }
  }
  if (page.input >= 0) {
    record->add("input", static_cast<int>(page.input));
  }
  if (page.h2d_copies + page.d2h_copies > 0) {
    record->raw("copied", Object().add("h2d_bytes", static_cast<uint64_t>(page.h2d_bytes))
                              .add("d2h_bytes", static_cast<uint64_t>(page.d2h_bytes))
                              .add("h2d_copies", static_cast<uint64_t>(page.h2d_copies))
                              .add("d2h_copies", static_cast<uint64_t>(page.d2h_copies)).str());
  }
}

void add_exit(Object* record, int status, bool timed_out, bool finished, const SharedPage& page) {
  if (timed_out) {
    record->add("timed_out", true);
  } else if (WIFSIGNALED(status)) {
    record->add("signal", sigabbrev_np(WTERMSIG(status)) != nullptr
        ? std::string("SIG") + sigabbrev_np(WTERMSIG(status)) : std::to_string(WTERMSIG(status)));
    if (page.crash_signal == WTERMSIG(status)) {
      record->raw("fault", fault_json(page));
    }
  } else if (!finished) {
    record->add("exit_code", WEXITSTATUS(status));
  }
}

}  // namespace

double monotonic_seconds() {
  struct timespec t {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void set_lifeline(int fd) { lifeline_fd = fd; }

JobRecord run_job(const Limits& limits, const Job& job) {
  int report[2];
  int console[2];
  if (pipe2(report, O_CLOEXEC) != 0 || pipe2(console, O_CLOEXEC) != 0) {
    _exit(98);
  }
  reset_page();
  const uint64_t mark = random_mark();
  const double start = monotonic_seconds();
  pid_t child = fork();
  if (child < 0) {
    _exit(98);
  }
  if (child == 0) {
    child_main(report[1], console[1], mark, limits, job);
  }
  setpgid(child, child);
  close(report[1]);
  close(console[1]);
  FrameReader frames(mark);
  Watch seen = watch(child, report[0], console[0], start + limits.seconds, &frames);
  const int status = end_all(child);
  close(report[0]);
  close(console[0]);

  JobRecord result;
  result.notes = frames.notes();
  Object record = frames.record();
  const SharedPage& shared = page();
  add_page(&record, shared);
  add_exit(&record, status, seen.timed_out, frames.finished(), shared);
  if (!seen.console.empty()) {
    record.add("console", seen.console);
  }
  record.raw("seconds", json_number(monotonic_seconds() - start));
  result.ok = frames.finished() && !frames.damaged() && !seen.timed_out && !frames.has("error");
  result.json = record.str();
  return result;
}

}  // namespace probe
