// A CUDA driver library that is none: memory without access rights but while a copy goes on, behind
// the names of the driver API that the probe uses. One device. As a real one it needs files and
// threads when it is started, and cannot have them later; what it allocates holds what others left
// there. CUDA_VISIBLE_DEVICES=fails-100 has it fail to start with that number, and "opens" open a file
// for each allocation, which no fence lets it. For testing the probe's side of that interface on
// machines without a GPU.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

namespace {

std::map<unsigned long long, size_t>& blocks() {  // bytes by address
  static std::map<unsigned long long, size_t> all;
  return all;
}

int ends[2];
bool started = false;
bool current = false;
bool opens = false;

// Whether a range lies in one block.
bool within(unsigned long long address, size_t bytes) {
  auto after = blocks().upper_bound(address);
  if (after == blocks().begin()) {
    return false;
  }
  --after;
  return address - after->first < after->second && bytes <= after->second - (address - after->first);
}

// Copies with rights on the pages of the device for as long as it takes.
int copy(void* to, const void* from, size_t bytes, unsigned long long device) {
  if (!within(device, bytes)) {
    return 1;
  }
  const unsigned long long first = device / 4096 * 4096;
  void* pages = reinterpret_cast<void*>(first);
  mprotect(pages, device + bytes - first, PROT_READ | PROT_WRITE);
  std::memcpy(to, from, bytes);
  mprotect(pages, device + bytes - first, PROT_NONE);
  return 0;
}

}  // namespace

extern "C" {

constexpr int kOk = 0;
constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNotInitialized = 3;

int cuInit(unsigned flags) {
  const char* devices = std::getenv("CUDA_VISIBLE_DEVICES");
  opens = devices != nullptr && std::strcmp(devices, "opens") == 0;
  if (devices != nullptr && std::strncmp(devices, "fails-", 6) == 0) {
    return std::atoi(devices + 6);
  }
  // What a driver does when it starts, and inside the fence nothing can do.
  int device = open("/dev/null", O_RDWR);
  started = flags == 0 && device >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
  std::thread([] {
    char byte;
    while (read(ends[0], &byte, 1) == 1) {
    }
  }).detach();
  return started ? kOk : kInvalidValue;
}

int cuDeviceGetCount(int* count) {
  const char* devices = std::getenv("CUDA_VISIBLE_DEVICES");  // "" hides the device
  *count = devices != nullptr && *devices == '\0' ? 0 : 1;
  return started ? kOk : kNotInitialized;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? kOk : kInvalidValue;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = reinterpret_cast<void*>(static_cast<size_t>(0xC0 + device));
  return kOk;
}

int cuCtxSetCurrent(void* context) {
  current = context == reinterpret_cast<void*>(static_cast<size_t>(0xC0));
  return current ? kOk : kInvalidValue;
}

int cuMemAlloc_v2(unsigned long long* pointer, size_t bytes) {
  if (!current || bytes == 0 || bytes > (size_t{1} << 40)) {
    return bytes == 0 ? kInvalidValue : kOutOfMemory;
  }
  if (opens && open("/dev/null", O_RDWR) < 0) {
    return kOutOfMemory;
  }
  void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Events of a driver go through descriptors that it has for them.
  if (memory == MAP_FAILED || write(ends[1], "x", 1) != 1) {
    return kOutOfMemory;
  }
  if (bytes <= (size_t{1} << 24)) {  // no more than what a test looks at
    mprotect(memory, bytes, PROT_READ | PROT_WRITE);
    std::memset(memory, 0x5A, bytes);
    mprotect(memory, bytes, PROT_NONE);
  }
  *pointer = reinterpret_cast<unsigned long long>(memory);
  blocks()[*pointer] = bytes;
  return kOk;
}

int cuMemsetD8_v2(unsigned long long pointer, unsigned char value, size_t bytes) {
  if (!current || !within(pointer, bytes)) {
    return kInvalidValue;
  }
  void* memory = reinterpret_cast<void*>(pointer);
  if (bytes <= (size_t{1} << 24)) {  // the rest is zero, as the kernel gave it
    mprotect(memory, bytes, PROT_READ | PROT_WRITE);
    std::memset(memory, value, bytes);
    mprotect(memory, bytes, PROT_NONE);
  }
  return kOk;
}

int cuGetErrorName(int error, const char** name) {
  *name = error == 100 ? "CUDA_ERROR_NO_DEVICE" : nullptr;
  return *name != nullptr ? kOk : kInvalidValue;
}

int cuGetErrorString(int error, const char** text) {
  *text = error == 100 ? "no CUDA-capable device is detected" : nullptr;
  return *text != nullptr ? kOk : kInvalidValue;
}

int cuMemFree_v2(unsigned long long pointer) {
  return blocks().erase(pointer) == 1 ? kOk : kInvalidValue;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  return copy(reinterpret_cast<void*>(to), from, bytes, to);
}

int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  return copy(to, reinterpret_cast<const void*>(from), bytes, from);
}

int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  if (!within(pointer, 0)) {
    return kInvalidValue;
  }
  *static_cast<unsigned*>(data) = attribute == 2 ? 2 : 0;  // device memory, ordinal 0
  return kOk;
}

}  // extern "C"
