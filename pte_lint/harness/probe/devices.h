// Device memory behind one face: who owns an address, and how bytes get in and out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace probe {

constexpr int kMaxDevices = 16;

// A kind of device memory. One is chosen per process.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual const char* kind() const = 0;  // "emulated" or "cuda"
  // Makes `count` devices usable; called once, in the child. The number there really are, 0 = none.
  virtual int open(int count) = 0;
  // What kept `open` from making all devices usable; empty where nothing did.
  virtual std::string problem() const { return ""; }
  // Memory of `bytes` bytes on device `index`, all of them 0, or nullptr.
  virtual void* allocate(size_t bytes, int index) = 0;
  virtual void release(void* pointer) = 0;
  // Moves bytes between host memory and a device range that is known to be inside one allocation.
  virtual bool write(void* device, const void* host, size_t bytes) = 0;
  virtual bool read(void* host, const void* device, size_t bytes) = 0;
  // The device on which a pointer outside the ledger lies, -1 for host memory.
  virtual int foreign_device(const void* pointer) const = 0;
};

DeviceMemory& emulated_memory();
DeviceMemory& cuda_memory();

// Where a pointer lies: "host", "null", "cuda:0", ...
struct Place {
  enum class Kind { kNull, kHost, kDevice } kind = Kind::kNull;
  int index = -1;
  size_t room = 0;  // bytes from the pointer to the end of its allocation (device only)
  std::string name() const;
};

// The chosen memory with its ledger.
class Devices {
 public:
  // In the child. `memory` stays owned by its own file. False if it has no device at all.
  bool open(DeviceMemory* memory, int count);
  bool ready() const { return memory_ != nullptr; }
  int count() const { return count_; }
  DeviceMemory& memory() const { return *memory_; }

  // Host bytes written over every new allocation; -1 leaves them as they come.
  void fill_new_with(int byte) { fill_ = byte; }

  // `wanted` -1 or a device that does not exist means the current device, 0 (cudaSetDevice fails
  // and the CUDA allocator does not look). The device used goes to `*used`.
  void* allocate(size_t bytes, int wanted, int* used);
  void release(void* pointer);

  Place locate(const void* pointer) const;
  // Bytes of any readable place to or from plain host memory; false if it cannot be done.
  bool read(void* host, const void* from, size_t bytes) const;
  bool write(void* to, const void* host, size_t bytes) const;

 private:
  DeviceMemory* memory_ = nullptr;
  int count_ = 0;
  int fill_ = -1;
};

Devices& devices();

}  // namespace probe
