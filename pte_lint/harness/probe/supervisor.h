// Runs one job in a forked child and turns whatever happens to it into one JSON object.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "channel.h"
#include "sandbox.h"

namespace probe {

struct JobRecord {
  std::string json;                      // the whole record, one JSON object
  std::map<std::string, int64_t> notes;  // what the child told the parent for planning
  bool ok = false;                       // finished, without an error of the runtime
};

double monotonic_seconds();

// File descriptor whose hang-up means that the driver of this process is gone; -1 = none.
void set_lifeline(int fd);

// What a child does.
struct Job {
  std::function<void(Reporter&)> body;  // inside the fence
  std::function<void()> prepare;        // before it closes: opens what the body needs
};

// Forks; the child prepares, enters the sandbox, then runs the body. The record has, besides what
// the body reported: "stage", "error" (absent = Ok), "signal", "exit_code", "timed_out", "fault",
// "instruction", "copied", "console" (what was printed to stdout and stderr), "fence_broken" (where
// the fence does not hold: the body was not run, unless `limits.unfenced`), "fence_missing" (layers
// behind it) and "seconds".
JobRecord run_job(const Limits& limits, const Job& job);

}  // namespace probe
