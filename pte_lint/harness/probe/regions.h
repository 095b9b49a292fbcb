// Named ranges of addresses, for the crash handler to tell where a fault lies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace probe {

// Names a range; `name` must live as long as the process. False if the table is full.
bool name_region(const void* begin, size_t bytes, const char* name);

// Forgets the range that begins at `begin`.
void forget_region(const void* begin);

// The name of the range an address lies in and its distance from the start, or nullptr.
// Async-signal-safe: nothing here allocates, locks or formats.
const char* region_of(uintptr_t address, uint64_t* offset);

}  // namespace probe
