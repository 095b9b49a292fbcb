#include "regions.h"

namespace probe {
namespace {

struct Region {
  volatile uintptr_t begin;
  volatile size_t bytes;
  const char* volatile name;
};

constexpr int kMaxRegions = 4096;
Region table[kMaxRegions];

}  // namespace

bool name_region(const void* begin, size_t bytes, const char* name) {
  for (Region& region : table) {
    if (region.begin == 0) {
      region.bytes = bytes;
      region.name = name;
      region.begin = reinterpret_cast<uintptr_t>(begin);
      return true;
    }
  }
  return false;
}

void forget_region(const void* begin) {
  for (Region& region : table) {
    if (begin != nullptr && region.begin == reinterpret_cast<uintptr_t>(begin)) {
      region.begin = 0;
      return;
    }
  }
}

const char* region_of(uintptr_t address, uint64_t* offset) {
  for (const Region& region : table) {
    if (region.begin != 0 && address >= region.begin && address - region.begin < region.bytes) {
      *offset = address - region.begin;
      return region.name;
    }
  }
  return nullptr;
}

}  // namespace probe
