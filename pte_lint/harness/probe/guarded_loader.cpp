#include "guarded_loader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "regions.h"

namespace probe {
namespace {

using executorch::extension::FileDataLoader;
using executorch::runtime::DataLoader;
using executorch::runtime::Error;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::Result;

constexpr size_t kAlignment = 16;
// Wide enough that an index or a stride past the end still lands in it more often than not.
constexpr size_t kGuardBytes = size_t{1} << 20;

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

// Where the mapping of a load begins and how long it is, from the address of its bytes.
struct Mapping {
  char* base;
  size_t bytes;
};

Mapping mapping_of(void* data, size_t size) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t inner = rounded_up(rounded_up(size, kAlignment), page);
  char* end = static_cast<char*>(data) + rounded_up(size, kAlignment);
  return {end - inner - kGuardBytes, inner + 2 * kGuardBytes};
}

// Gives the memory back, and keeps the addresses: what still reads them faults.
void free_guarded(void*, void* data, size_t size) {
  Mapping mapping = mapping_of(data, size);
  char* inner = mapping.base + kGuardBytes;
  const size_t inner_bytes = mapping.bytes - 2 * kGuardBytes;
  for (char* guard : {mapping.base, inner + inner_bytes}) {
    forget_region(guard);
    munmap(guard, kGuardBytes);
  }
  void* kept = mmap(
      inner, inner_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
      0);
  if (kept != MAP_FAILED) {
    name_region(kept, inner_bytes, "freed");
  }
}

// A copy of `size` bytes between guards; nullptr if there is no memory.
void* copy_guarded(const void* data, size_t size) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t padded = rounded_up(size, kAlignment);
  const size_t inner = rounded_up(padded, page);
  void* mapped = mmap(
      nullptr, inner + 2 * kGuardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
      0);
  if (mapped == MAP_FAILED) {
    return nullptr;
  }
  char* base = static_cast<char*>(mapped);
  char* begin = base + kGuardBytes + (inner - padded);
  if (mprotect(base + kGuardBytes, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, inner + 2 * kGuardBytes);
    return nullptr;
  }
  std::memset(begin + size, 0x41, padded - size);
  std::memcpy(begin, data, size);
  name_region(base, kGuardBytes, "before_start");
  name_region(base + kGuardBytes + inner, kGuardBytes, "past_end");
  return begin;
}

class GuardedLoader final : public DataLoader {
 public:
  explicit GuardedLoader(FileDataLoader&& file) : file_(std::move(file)) {}

  Result<FreeableBuffer> load(
      size_t offset, size_t size, const SegmentInfo& info) const override {
    Result<FreeableBuffer> loaded = file_.load(offset, size, info);
    if (!loaded.ok() || loaded->size() == 0) {
      return loaded;
    }
    void* copy = copy_guarded(loaded->data(), loaded->size());
    if (copy == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    return FreeableBuffer(copy, loaded->size(), free_guarded);
  }

  Error load_into(
      size_t offset, size_t size, const SegmentInfo& info, void* buffer) const override {
    return file_.load_into(offset, size, info, buffer);
  }

  Result<size_t> size() const override { return file_.size(); }

 private:
  FileDataLoader file_;
};

}  // namespace

Result<std::unique_ptr<DataLoader>> guarded_loader(const std::string& path) {
  Result<FileDataLoader> file = FileDataLoader::from(path.c_str());
  if (!file.ok()) {
    return file.error();
  }
  return std::unique_ptr<DataLoader>(std::make_unique<GuardedLoader>(std::move(file.get())));
}

}  // namespace probe
