// How the crash of a child is recorded.
#pragma once

namespace probe {

// Records signal, code, address and the region the address lies in to the shared page, on a
// stack of its own, then lets the signal take its course.
void watch_crashes();

}  // namespace probe
