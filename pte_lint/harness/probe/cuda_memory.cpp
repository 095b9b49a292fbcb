// Real device memory through the CUDA driver library, opened when the program runs: neither the
// build nor the package needs anything of CUDA. Plain allocations in each device's primary
// context; no setting of a device is read or changed.
#include <dlfcn.h>

#include <cstring>
#include <string>

#include "devices.h"

namespace probe {
namespace {

// The driver's own types and numbers, from the documented ABI of the CUDA driver API.
using CUresult = int;
using CUdevice = int;
using CUcontext = void*;
using CUdeviceptr = unsigned long long;
constexpr CUresult kSuccess = 0;
constexpr int kAttributeMemoryType = 2;
constexpr int kAttributeDeviceOrdinal = 9;
constexpr unsigned kMemoryTypeDevice = 2;

struct Driver {
  CUresult (*init)(unsigned) = nullptr;
  CUresult (*count)(int*) = nullptr;
  CUresult (*device)(CUdevice*, int) = nullptr;
  CUresult (*retain)(CUcontext*, CUdevice) = nullptr;
  CUresult (*current)(CUcontext) = nullptr;
  CUresult (*alloc)(CUdeviceptr*, size_t) = nullptr;
  CUresult (*free)(CUdeviceptr) = nullptr;
  CUresult (*to_device)(CUdeviceptr, const void*, size_t) = nullptr;
  CUresult (*to_host)(void*, CUdeviceptr, size_t) = nullptr;
  CUresult (*set)(CUdeviceptr, unsigned char, size_t) = nullptr;
  CUresult (*attribute)(void*, int, CUdeviceptr) = nullptr;
  // Not needed: they only put the driver's own words to a number.
  CUresult (*error_name)(CUresult, const char**) = nullptr;
  CUresult (*error_text)(CUresult, const char**) = nullptr;
  std::string problem;

  bool load() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* why = dlerror();
      problem = why != nullptr ? why : "libcuda.so.1 cannot be loaded";
      return false;
    }
    take(library, "cuGetErrorName", &error_name);
    take(library, "cuGetErrorString", &error_text);
    problem.clear();
    return take(library, "cuInit", &init) && take(library, "cuDeviceGetCount", &count) &&
        take(library, "cuDeviceGet", &device) &&
        take(library, "cuDevicePrimaryCtxRetain", &retain) &&
        take(library, "cuCtxSetCurrent", &current) && take(library, "cuMemAlloc_v2", &alloc) &&
        take(library, "cuMemFree_v2", &free) && take(library, "cuMemcpyHtoD_v2", &to_device) &&
        take(library, "cuMemcpyDtoH_v2", &to_host) && take(library, "cuMemsetD8_v2", &set) &&
        take(library, "cuPointerGetAttribute", &attribute);
  }

  template <typename Function>
  bool take(void* library, const char* name, Function* into) {
    void* symbol = dlsym(library, name);
    std::memcpy(into, &symbol, sizeof symbol);
    if (symbol == nullptr && problem.empty()) {
      problem = std::string("libcuda.so.1 has no ") + name;
    }
    return symbol != nullptr;
  }

  // Whether a call went well; keeps its number and the driver's words for it if not.
  bool went_well(const char* call, CUresult result) {
    if (result == kSuccess) {
      return true;
    }
    const char* name = nullptr;
    const char* text = nullptr;
    problem = std::string(call) + " gives " + std::to_string(result);
    if (error_name != nullptr && error_name(result, &name) == kSuccess && name != nullptr) {
      problem += std::string(" ") + name;
    }
    if (error_text != nullptr && error_text(result, &text) == kSuccess && text != nullptr) {
      problem += std::string(" (") + text + ")";
    }
    return false;
  }
};

class CudaMemory final : public DeviceMemory {
 public:
  const char* kind() const override { return "cuda"; }

  int open(int count) override {
    int present = 0;
    if (!driver_.load() || !driver_.went_well("cuInit", driver_.init(0)) ||
        !driver_.went_well("cuDeviceGetCount", driver_.count(&present))) {
      return 0;
    }
    if (present <= 0) {
      driver_.problem = "cuDeviceGetCount finds no device";
    }
    int usable = present < count ? present : count;
    for (int i = 0; i < usable; ++i) {
      CUdevice device = 0;
      if (!driver_.went_well("cuDeviceGet", driver_.device(&device, i)) ||
          !driver_.went_well(
              "cuDevicePrimaryCtxRetain", driver_.retain(&contexts_[i], device))) {
        return i;
      }
    }
    if (usable > 0) {
      driver_.current(contexts_[0]);
    }
    return usable;
  }

  std::string problem() const override { return driver_.problem; }

  // What a device's memory held before is anybody's; emulated memory starts as zeros, too.
  void* allocate(size_t bytes, int index) override {
    CUdeviceptr pointer = 0;
    if (driver_.current(contexts_[index]) != kSuccess) {
      return nullptr;
    }
    // cuMemAlloc refuses zero bytes; an empty arena still needs an address.
    CUresult result = driver_.alloc(&pointer, bytes > 0 ? bytes : 1);
    if (result == kSuccess && bytes > 0) {
      result = driver_.set(pointer, 0, bytes);
    }
    driver_.current(contexts_[0]);
    return result == kSuccess ? reinterpret_cast<void*>(pointer) : nullptr;
  }

  void release(void* pointer) override {
    driver_.free(reinterpret_cast<CUdeviceptr>(pointer));
  }

  bool write(void* device, const void* host, size_t bytes) override {
    return driver_.to_device(reinterpret_cast<CUdeviceptr>(device), host, bytes) == kSuccess;
  }

  bool read(void* host, const void* device, size_t bytes) override {
    return driver_.to_host(host, reinterpret_cast<CUdeviceptr>(device), bytes) == kSuccess;
  }

  int foreign_device(const void* pointer) const override {
    unsigned type = 0;
    CUdeviceptr address = reinterpret_cast<CUdeviceptr>(pointer);
    // The driver does not know ordinary host memory and says so with an error.
    if (driver_.attribute(&type, kAttributeMemoryType, address) != kSuccess ||
        type != kMemoryTypeDevice) {
      return -1;
    }
    int ordinal = 0;
    return driver_.attribute(&ordinal, kAttributeDeviceOrdinal, address) == kSuccess ? ordinal : 0;
  }

 private:
  Driver driver_;
  CUcontext contexts_[kMaxDevices] = {};
};

}  // namespace

DeviceMemory& cuda_memory() {
  static CudaMemory instance;
  return instance;
}

}  // namespace probe
