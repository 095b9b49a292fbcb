#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include "devices.h"
#include "json.h"
#include "libraries.h"
#include "modes.h"
#include "supervisor.h"

namespace probe {

namespace {

std::string kernels_json() {
  Array kernels;
  for (const auto& kernel : executorch::runtime::get_registered_kernels()) {
    Object entry;
    entry.add("name", kernel.name_);
    entry.add("key", kernel.kernel_key_.is_fallback() ? nullptr : kernel.kernel_key_.data());
    kernels.raw(entry.str());
  }
  return kernels.str();
}

std::string backends_json() {
  Array backends;
  for (size_t i = 0; i < executorch::runtime::get_num_registered_backends(); ++i) {
    auto name = executorch::runtime::get_backend_name(i);
    if (!name.ok()) {
      continue;
    }
    auto* backend = executorch::runtime::get_backend_class(name.get());
    backends.raw(Object().add("name", name.get())
        .add("available", backend != nullptr && backend->is_available()).str());
  }
  return backends.str();
}

}  // namespace

int list_mode(const Options& options) {
  // In a child, as libraries of the user's own may be loaded.
  Limits limits = options.limits;
  limits.unfenced = limits.unfenced || options.libraries.empty();  // nobody's code runs then
  JobRecord record = run_job(
      limits,
      {[](Reporter& r) {
         r.member("kernels", kernels_json());
         r.member("backends", backends_json());
         r.stage(Stage::kDone);
       },
       [&] { load_libraries(options); }});
  return deliver(options, record.json + "\n") ? 0 : 3;
}

int devices_mode(const Options& options) {
  // In a child: the driver must not be started in a process that forks later.
  Limits limits = options.limits;
  limits.real_device = true;
  limits.unfenced = true;  // it runs nobody's program
  JobRecord record = run_job(
      limits,
      {[&](Reporter& r) {
         r.number("cuda_devices", devices().ready() ? devices().count() : 0);
         r.text("problem", cuda_memory().problem());
         r.stage(Stage::kDone);
       },
       [&] { devices().open(&cuda_memory(), options.devices); }});
  return deliver(options, record.json + "\n") ? 0 : 3;
}

}  // namespace probe
