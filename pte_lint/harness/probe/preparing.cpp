#include "allocator.h"
#include "devices.h"
#include "jobs.h"
#include "older.h"
#include "standin.h"

namespace probe {

void prepare_process(const Options& options, Watcher* watcher, int device_fill) {
  if (!options.cuda) {
    devices().open(&emulated_memory(), options.devices);  // a real one was opened ahead
  }
  if (is_recording()) {
    record_kernels();
  }
  if (devices().ready()) {
    devices().fill_new_with(device_fill);
    register_device_allocator();
  }
  StandinSettings& settings = standin_settings();
  settings.strict.insert(options.strict.begin(), options.strict.end());
  settings.minor = options.as_minor;
  settings.watcher = watcher;
  if (kRuntimeMinor < 5) {
    withdraw_vendors_backends();
  }
  if (options.as_minor < kRuntimeMinor) {
    withdraw_newer_kernels(options.as_minor);
  }
  for (const std::string& name : options.without_kernels) {
    withdraw_kernels(name);
  }
}

void expect_delegate_outputs(const Options& options, int index) {
  auto outputs = options.delegate_outputs.find(index);
  if (outputs != options.delegate_outputs.end()) {
    standin_settings().outputs = outputs->second;
  }
}

}  // namespace probe
