// The probe: runs ExecuTorch programs on the installed runtime, one forked and fenced child for
// each step that may go wrong, and writes what happened as JSON to a descriptor of its own.
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "channel.h"
#include "modes.h"
#include "options.h"
#include "supervisor.h"

int main(int argc, char** argv) {
  probe::Options options;
  std::string error;
  if (!probe::parse_options(argc, argv, &options, &error)) {
    std::fprintf(stderr, "pte-lint probe: %s\n", error.c_str());
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  probe::set_lifeline(options.lifeline_fd);
  probe::capture_logs();
  if (options.mode == "run") {
    return probe::run_mode(options);
  }
  if (options.mode == "batch") {
    return probe::batch_mode(options);
  }
  if (options.mode == "list") {
    return probe::list_mode(options);
  }
  if (options.mode == "devices") {
    return probe::devices_mode(options);
  }
  if (options.mode == "fence") {
    return probe::fence_mode(options);
  }
  std::fprintf(stderr, "pte-lint probe: unknown mode %s\n", options.mode.c_str());
  return 2;
}
