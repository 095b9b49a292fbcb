// The device allocator that the runtime finds for CUDA: as strict as the CUDA backend's own, and
// it tells of everything it is asked.
#pragma once

namespace probe {

// Registers it for CUDA; devices() must be open. Once per process.
void register_device_allocator();

// Whether copies are reported one by one (with a digest of the bytes) or only counted.
void report_copies(bool one_by_one);

}  // namespace probe
