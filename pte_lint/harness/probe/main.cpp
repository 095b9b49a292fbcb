// The probe: runs ExecuTorch programs on the installed runtime, one forked and fenced child for
// each step that may go wrong, and writes what happened as JSON to a descriptor of its own.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "channel.h"
#include "modes.h"
#include "namespaces.h"
#include "options.h"
#include "supervisor.h"

extern "C" bool cpuinfo_initialize();

namespace probe {
namespace {

// What is done once for all children: namespaces, an empty folder for them to live in, and what the
// runtime wants to know about the processor, which it reads from files.
void shut_in(Options* options) {
  Namespaces namespaces = enter_namespaces();
  options->limits.own_user_namespace = namespaces.own_user;
  options->fence_missing = namespaces.missing;
  const char* name = "nothing";
  if (mkdir(name, 0500) == 0) {
    // Out of the way of the few descriptors that children have.
    options->limits.empty_folder =
        fcntl(open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), F_DUPFD_CLOEXEC, 32);
    rmdir(name);  // nothing can be made in a folder that is no more
  } else {
    options->fence_missing.push_back("empty file system: there is no folder for it");
  }
  cpuinfo_initialize();
}

}  // namespace
}  // namespace probe

int main(int argc, char** argv) {
  probe::Options options;
  std::string error;
  if (!probe::parse_options(argc, argv, &options, &error)) {
    std::fprintf(stderr, "pte-lint probe: %s\n", error.c_str());
    return 2;
  }
  if (options.recording.fd >= 0 && !probe::open_recording(options.recording)) {
    std::fprintf(stderr, "pte-lint probe: no memory to record in\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  if (options.mode == "run" || options.mode == "batch" || options.mode == "fence" ||
      options.mode == "list") {
    probe::shut_in(&options);
  }
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
