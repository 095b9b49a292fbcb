// Libraries of the user's own: kernels and backends that register themselves when they are loaded.
#pragma once

#include "options.h"

namespace probe {

// In the child, before the fence closes: loads the libraries of `options`, so that everything in
// the process finds their symbols. Their code runs from here on, so a first fence goes up before:
// files may be read to find libraries, and nothing may be written, started, sent or received. Ends
// the process where that fence or a library cannot be had, with "library_error" in the record.
void load_libraries(const Options& options);

}  // namespace probe
