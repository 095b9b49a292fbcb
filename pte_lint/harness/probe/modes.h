// What the probe can be started for. Each returns the exit status of the process.
#pragma once

#include <string>

#include "options.h"

namespace probe {

int run_mode(const Options& options);      // one program; one JSON object
int batch_mode(const Options& options);    // many; one JSON object a line
int list_mode(const Options& options);     // kernels and backends of this runtime
int devices_mode(const Options& options);  // the CUDA devices of this machine
int fence_mode(const Options& options);    // whether a child is held on this machine

// Everything about one program, as one JSON object.
std::string examine(const Options& options);

// Writes all of `text` to the report descriptor (stdout if none was named).
bool deliver(const Options& options, const std::string& text);

}  // namespace probe
