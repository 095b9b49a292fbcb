// A CUDA driver library that is none: memory without access rights, with its bytes in a file
// beside it, behind the names of the driver API that the probe uses. One device. For testing the
// probe's side of that interface on machines without a GPU.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

namespace {

struct Block {
  int file;
  size_t bytes;
};

std::map<unsigned long long, Block>& blocks() {
  static std::map<unsigned long long, Block> all;
  return all;
}

bool started = false;
bool current = false;

// The block an address lies in and the distance from its start; nullptr if in none.
Block* find(unsigned long long address, off_t* at) {
  auto after = blocks().upper_bound(address);
  if (after == blocks().begin()) {
    return nullptr;
  }
  --after;
  *at = static_cast<off_t>(address - after->first);
  return static_cast<size_t>(*at) < after->second.bytes ? &after->second : nullptr;
}

}  // namespace

extern "C" {

constexpr int kOk = 0;
constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNotInitialized = 3;

int cuInit(unsigned flags) {
  started = flags == 0;
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
  void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int file = memfd_create("fake device", 0);
  if (memory == MAP_FAILED || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    return kOutOfMemory;
  }
  *pointer = reinterpret_cast<unsigned long long>(memory);
  blocks()[*pointer] = Block{file, bytes};
  return kOk;
}

int cuMemFree_v2(unsigned long long pointer) {
  return blocks().erase(pointer) == 1 ? kOk : kInvalidValue;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  off_t at = 0;
  Block* block = find(to, &at);
  return block != nullptr && pwrite(block->file, from, bytes, at) == static_cast<ssize_t>(bytes)
      ? kOk : kInvalidValue;
}

int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  off_t at = 0;
  Block* block = find(from, &at);
  return block != nullptr && pread(block->file, to, bytes, at) == static_cast<ssize_t>(bytes)
      ? kOk : kInvalidValue;
}

int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  off_t at = 0;
  if (find(pointer, &at) == nullptr) {
    return kInvalidValue;
  }
  *static_cast<unsigned*>(data) = attribute == 2 ? 2 : 0;  // device memory, ordinal 0
  return kOk;
}

}  // extern "C"
