#include <unistd.h>

#include <algorithm>
#include <functional>

#include "jobs.h"
#include "json.h"
#include "modes.h"
#include "supervisor.h"

namespace probe {
namespace {

// Variants that only make sense where the method has something they change, which the runs before
// have found out.
bool applies(
    const Variant& variant, const std::map<std::string, int64_t>& notes, bool after_another) {
  const bool conditional = variant.name == "host_inputs" || variant.name == "device_inputs" ||
      variant.name == "outputs_not_given";
  return !conditional || !after_another || notes.count(variant.name) != 0;
}

// The jobs of one program, in turn, until the time for all of them is over.
class Jobs {
 public:
  explicit Jobs(const Options& options)
      : options_(options), deadline_(monotonic_seconds() + options.total_seconds) {}

  JobRecord run(const std::function<void(Reporter&)>& body, bool with_devices = false) {
    Limits limits = options_.limits;
    limits.seconds = std::min(limits.seconds, deadline_ - monotonic_seconds());
    limits.real_device = limits.real_device && with_devices;
    if (limits.seconds <= 0 || told_ > kMostTold) {
      JobRecord skipped;
      skipped.json = Object().add("skipped", true).str();
      return skipped;
    }
    JobRecord record =
        run_job(limits, {body, [&] { open_for_job(options_, with_devices); }});
    told_ += record.json.size();
    return record;
  }

 private:
  const Options& options_;
  double deadline_;
  // Bytes of all records; a program that has its children talk without end is not asked further.
  static constexpr size_t kMostTold = size_t{64} << 20;
  size_t told_ = 0;
};

std::string examine_method(const Options& options, Jobs& jobs, bool full, int index) {
  Object method;
  method.add("index", index);
  if (options.describe_methods) {
    JobRecord meta = jobs.run([&](Reporter& r) { meta_job(options, full, index, r); });
    method.raw("meta", meta.json);
  }
  std::map<std::string, int64_t> notes;
  Array runs;
  bool any = false;
  for (const Variant& variant : options.variants) {
    if (!applies(variant, notes, any)) {
      continue;
    }
    any = true;
    JobRecord run =
        jobs.run([&](Reporter& r) { method_job(options, full, index, variant, r); }, true);
    notes.insert(run.notes.begin(), run.notes.end());
    // A run that was cut short says so itself; its variant is known here only.
    runs.raw(Object().add("variant", variant.name).raw("record", run.json).str());
    if (options.until_bad && !run.ok) {
      break;
    }
  }
  return method.raw("runs", runs.str()).str();
}

}  // namespace

bool deliver(const Options& options, const std::string& text) {
  int fd = options.report_fd >= 0 ? options.report_fd : 1;
  for (size_t done = 0; done < text.size();) {
    ssize_t sent = write(fd, text.data() + done, text.size() - done);
    if (sent <= 0) {
      return false;
    }
    done += static_cast<size_t>(sent);
  }
  return true;
}

std::string examine(const Options& options) {
  Jobs jobs(options);
  bool full = options.full_verification;
  Object report;
  JobRecord program = jobs.run([&](Reporter& r) { program_job(options, full, r); });
  if (!program.ok && full && options.fall_back_to_minimal) {
    report.raw("program_full", program.json);
    full = false;
    program = jobs.run([&](Reporter& r) { program_job(options, full, r); });
  }
  Array missing;
  for (const std::string& layer : options.fence_missing) {
    missing.raw(json_string(layer));
  }
  report.raw("fence_missing", missing.str());
  report.add("verification", full ? "full" : "minimal").raw("program", program.json);
  Array methods;
  int count = static_cast<int>(std::min<int64_t>(
      program.notes.count("methods") ? program.notes["methods"] : 0, options.max_methods));
  for (int i = 0; i < count; ++i) {
    if (options.methods.empty() || program.notes.count("wanted:" + std::to_string(i)) != 0) {
      methods.raw(examine_method(options, jobs, full, i));
    }
  }
  report.raw("methods", methods.str());
  Array sessions;
  for (const Session& session : options.sessions) {
    JobRecord made =
        jobs.run([&](Reporter& r) { session_job(options, full, session, r); }, true);
    sessions.raw(made.json);
  }
  return report.raw("sessions", sessions.str()).str();
}

int run_mode(const Options& options) {
  return deliver(options, examine(options) + "\n") ? 0 : 3;
}

}  // namespace probe
