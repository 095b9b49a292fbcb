// A delegate in the place of one whose backend this runtime lacks. It looks at every argument as
// the CUDA backend does, computes something that depends on all of its inputs, and tells.
#pragma once

#include <executorch/runtime/executor/method_meta.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "release.h"
#include "watcher.h"

namespace probe {

struct StandinSettings {
  // Ids whose stand-in refuses a bad argument as the CUDA backend does; others only report.
  std::set<std::string> strict = {"CudaBackend"};
  // Runtime whose CUDA backend is imitated: 1.2 tests nothing, 1.3 tags, later tags and pointers.
  int minor = kRuntimeMinor;
  // Number of output arguments of the delegate call at (chain, instruction), where known.
  std::map<std::pair<int, int>, int> outputs;
  // Calls are reported only while this is true: one run is told in full, repetitions are not.
  bool report_calls = true;
  Watcher* watcher = nullptr;
};

StandinSettings& standin_settings();

// Registers a stand-in for every delegate id of the method that has no backend.
void register_standins(const executorch::runtime::MethodMeta& meta);

}  // namespace probe
