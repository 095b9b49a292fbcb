#include "devices.h"

#include <cstdio>
#include <cstring>
#include <vector>

#include "regions.h"

namespace probe {
namespace {

struct Allocation {
  uintptr_t begin;
  size_t bytes;
  int index;
};

constexpr int kMaxAllocations = 1024;
Allocation ledger[kMaxAllocations];
char device_names[kMaxDevices][12];

const Allocation* find(uintptr_t address) {
  for (const Allocation& a : ledger) {
    if (a.begin != 0 && address >= a.begin && address - a.begin < a.bytes) {
      return &a;
    }
  }
  return nullptr;
}

}  // namespace

std::string Place::name() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kHost:
      return "host";
    case Kind::kDevice:
      return "cuda:" + std::to_string(index);
  }
  return "null";
}

Devices& devices() {
  static Devices instance;
  return instance;
}

bool Devices::open(DeviceMemory* memory, int count) {
  for (int i = 0; i < kMaxDevices; ++i) {
    std::snprintf(device_names[i], sizeof device_names[i], "cuda:%d", i);
  }
  count_ = memory->open(count < kMaxDevices ? count : kMaxDevices);
  if (count_ <= 0) {
    return false;
  }
  memory_ = memory;
  return true;
}

void* Devices::allocate(size_t bytes, int wanted, int* used) {
  *used = wanted >= 0 && wanted < count_ ? wanted : 0;
  void* pointer = memory_->allocate(bytes, *used);
  if (pointer == nullptr) {
    return nullptr;
  }
  for (Allocation& a : ledger) {
    if (a.begin == 0) {
      a.bytes = bytes;
      a.index = *used;
      a.begin = reinterpret_cast<uintptr_t>(pointer);
      name_region(pointer, bytes, device_names[*used]);
      if (fill_ >= 0 && bytes > 0) {
        std::vector<uint8_t> pattern(bytes, static_cast<uint8_t>(fill_));
        memory_->write(pointer, pattern.data(), bytes);
      }
      return pointer;
    }
  }
  memory_->release(pointer);
  return nullptr;
}

void Devices::release(void* pointer) {
  for (Allocation& a : ledger) {
    if (pointer != nullptr && a.begin == reinterpret_cast<uintptr_t>(pointer)) {
      a.begin = 0;
      forget_region(pointer);
      memory_->release(pointer);
      return;
    }
  }
}

Place Devices::locate(const void* pointer) const {
  Place place;
  if (pointer == nullptr) {
    return place;
  }
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const Allocation* a = find(address);
  if (a == nullptr) {
    // One past the end of an allocation is where an empty tensor at its end points.
    for (const Allocation& each : ledger) {
      if (each.begin != 0 && address == each.begin + each.bytes) {
        a = &each;
      }
    }
  }
  if (a != nullptr) {
    place.kind = Place::Kind::kDevice;
    place.index = a->index;
    place.room = a->begin + a->bytes - address;
    return place;
  }
  place.index = memory_ != nullptr ? memory_->foreign_device(pointer) : -1;
  place.kind = place.index >= 0 ? Place::Kind::kDevice : Place::Kind::kHost;
  place.room = place.index >= 0 ? SIZE_MAX : 0;  // device memory of someone else, size unknown
  return place;
}

bool Devices::read(void* host, const void* from, size_t bytes) const {
  Place place = locate(from);
  if (bytes == 0) {
    return true;
  }
  if (place.kind == Place::Kind::kDevice) {
    return bytes <= place.room && memory_->read(host, from, bytes);
  }
  if (place.kind == Place::Kind::kNull) {
    return false;
  }
  std::memcpy(host, from, bytes);
  return true;
}

bool Devices::write(void* to, const void* host, size_t bytes) const {
  Place place = locate(to);
  if (bytes == 0) {
    return true;
  }
  if (place.kind == Place::Kind::kDevice) {
    return bytes <= place.room && memory_->write(to, host, bytes);
  }
  if (place.kind == Place::Kind::kNull) {
    return false;
  }
  std::memcpy(to, host, bytes);
  return true;
}

}  // namespace probe
