#include "allocator.h"

#include <executorch/runtime/platform/log.h>

#include <vector>

#include "channel.h"
#include "devices.h"
#include "json.h"
#include "release.h"
#include "values.h"

namespace probe {
namespace {

using executorch::runtime::DeviceAllocator;
using executorch::runtime::Error;
using executorch::runtime::Result;
using executorch::runtime::etensor::DeviceIndex;
using executorch::runtime::etensor::DeviceType;

bool copies_one_by_one = true;

std::string error_json(Error error) { return json_string(error_name(error)); }

// What is wrong with a copy, and the error the CUDA allocator answers it with.
struct Judgement {
  Error error = Error::Ok;
  std::string problem;
};

Judgement judge_copy(
    const Place& device, const Place& host, bool to_device, size_t bytes, int index) {
  const Place& source = to_device ? host : device;
  const Place& target = to_device ? device : host;
  if (target.kind == Place::Kind::kNull) {
    return {Error::InvalidArgument, "destination is null"};
  }
  if (source.kind == Place::Kind::kNull) {
    return {Error::InvalidArgument, "source is null"};
  }
  if (index < -1) {
    return {Error::InvalidArgument, "device index below -1"};
  }
  if (bytes == 0) {
    return {};
  }
  if (device.kind != Place::Kind::kDevice) {
    return {Error::Internal, "the device side is not device memory"};
  }
  if (host.kind == Place::Kind::kDevice) {
    return {Error::Internal, "the host side is device memory"};
  }
  if (bytes > device.room) {
    return {Error::Internal, "the range leaves its device allocation"};
  }
  if (index >= 0 && index != device.index) {
    // Unified addressing: the driver finds the right device by the pointer.
    return {Error::Ok, "pointer lies on " + device.name() + ", copy asked for index " +
                           std::to_string(index)};
  }
  return {};
}

class Allocator final : public DeviceAllocator {
 public:
  Result<void*> allocate(size_t nbytes, DeviceIndex index, size_t alignment) override {
    Object entry;
    entry.add("bytes", static_cast<uint64_t>(nbytes)).add("index", static_cast<int>(index));
    if (index < -1 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
      entry.raw("error", error_json(Error::InvalidArgument));
      reporter()->append("device_allocations", entry.str());
      return Error::InvalidArgument;
    }
    int used = 0;
    void* pointer = devices().allocate(nbytes, index, &used);
    entry.add("on", "cuda:" + std::to_string(used));
    if (index >= devices().count()) {
      entry.add("problem", "no such device, memory comes from the current one");
    }
    Error error = pointer != nullptr ? Error::Ok : Error::MemoryAllocationFailed;
    reporter()->append("device_allocations", entry.raw("error", error_json(error)).str());
    if (pointer == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    return pointer;
  }

  void deallocate(void* pointer, DeviceIndex) override { devices().release(pointer); }

  Error copy_host_to_device(void* dst, const void* src, size_t nbytes, DeviceIndex index) override {
    return copy(dst, src, nbytes, index, true);
  }

  Error copy_device_to_host(void* dst, const void* src, size_t nbytes, DeviceIndex index) override {
    return copy(dst, src, nbytes, index, false);
  }

  DeviceType device_type() const override { return DeviceType::CUDA; }

 private:
  static Error copy(void* dst, const void* src, size_t nbytes, int index, bool to_device) {
    Place target = devices().locate(dst);
    Place source = devices().locate(src);
    Judgement judged = judge_copy(
        to_device ? target : source, to_device ? source : target, to_device, nbytes, index);
    uint64_t digest = 0;
    if (judged.error == Error::Ok && nbytes > 0) {
      if (!move(dst, src, nbytes, to_device, &digest)) {
        judged = {Error::Internal, "the copy failed"};
      }
    }
    SharedPage& shared = page();
    if (judged.error == Error::Ok) {
      count(to_device ? shared.h2d_copies : shared.d2h_copies, 1);
      count(to_device ? shared.h2d_bytes : shared.d2h_bytes, nbytes);
    }
    if (copies_one_by_one || judged.error != Error::Ok) {
      Object entry;
      entry.add("op", to_device ? "h2d" : "d2h").add("bytes", static_cast<uint64_t>(nbytes))
          .add("src", source.name()).add("dst", target.name()).add("index", index)
          .add("instruction", static_cast<int>(shared.instruction))
          .raw("error", error_json(judged.error)).add("digest", hex64(digest));
      if (!judged.problem.empty()) {
        entry.add("problem", judged.problem);
      }
      reporter()->append("copies", entry.str());
    }
    if (judged.error != Error::Ok) {
      ET_LOG(
          Error, "%s copy of %zu bytes, index %d: %s", to_device ? "h2d" : "d2h", nbytes, index,
          judged.problem.c_str());
    }
    return judged.error;
  }

  static void count(volatile uint64_t& total, uint64_t more) { total = total + more; }

  static bool move(void* dst, const void* src, size_t nbytes, bool to_device, uint64_t* digest) {
    if (to_device) {
      *digest = fnv64(src, nbytes);
      return devices().write(dst, src, nbytes);
    }
    if (!devices().read(dst, src, nbytes)) {
      return false;
    }
    *digest = fnv64(dst, nbytes);
    return true;
  }
};

}  // namespace

void register_device_allocator() {
  static Allocator allocator;
  register_with_runtime(&allocator);
}

void report_copies(bool one_by_one) { copies_one_by_one = one_by_one; }

}  // namespace probe
