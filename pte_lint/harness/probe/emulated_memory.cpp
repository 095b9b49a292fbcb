// Device memory that no host instruction may touch: address space without access rights. The
// bytes live in a memory file beside it that is mapped nowhere; copies go through pread and
// pwrite. A load or store of the program faults, and the fault address names the device.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "devices.h"

namespace probe {
namespace {

class EmulatedMemory final : public DeviceMemory {
 public:
  const char* kind() const override { return "emulated"; }

  int open(int count) override { return count; }

  void* allocate(size_t bytes, int) override {
    const size_t unit = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    if (bytes > SIZE_MAX / 4) {
      return nullptr;
    }
    // A page without access on both sides catches what runs past either end as well; an empty
    // allocation still gets an address of its own.
    size_t inner = (bytes / unit + 1) * unit;
    void* base = mmap(
        nullptr, inner + 2 * unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
      return nullptr;
    }
    int file = memfd_create("emulated device memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(inner)) != 0) {
      if (file >= 0) {
        close(file);
      }
      munmap(base, inner + 2 * unit);
      return nullptr;
    }
    char* begin = static_cast<char*>(base) + unit;
    blocks_[begin] = Block{file, base, inner + 2 * unit};
    return begin;
  }

  void release(void* pointer) override {
    auto block = blocks_.find(static_cast<char*>(pointer));
    if (block != blocks_.end()) {
      close(block->second.file);
      munmap(block->second.base, block->second.mapped);
      blocks_.erase(block);
    }
  }

  bool write(void* device, const void* host, size_t bytes) override {
    off_t at = 0;
    int file = find(device, &at);
    return file >= 0 && all(bytes, [&](size_t done) {
      return pwrite(
          file, static_cast<const char*>(host) + done, bytes - done,
          at + static_cast<off_t>(done));
    });
  }

  bool read(void* host, const void* device, size_t bytes) override {
    off_t at = 0;
    int file = find(device, &at);
    return file >= 0 && all(bytes, [&](size_t done) {
      return pread(
          file, static_cast<char*>(host) + done, bytes - done, at + static_cast<off_t>(done));
    });
  }

  int foreign_device(const void*) const override { return -1; }

 private:
  struct Block {
    int file;
    void* base;
    size_t mapped;
  };

  int find(const void* pointer, off_t* at) const {
    const char* address = static_cast<const char*>(pointer);
    auto after = blocks_.upper_bound(const_cast<char*>(address));
    if (after == blocks_.begin()) {
      return -1;
    }
    --after;
    *at = static_cast<off_t>(address - after->first);
    return after->second.file;
  }

  template <typename Step>
  static bool all(size_t bytes, Step step) {
    for (size_t done = 0; done < bytes;) {
      ssize_t moved = step(done);
      if (moved < 0 && errno == EINTR) {
        continue;
      }
      if (moved <= 0) {
        return false;
      }
      done += static_cast<size_t>(moved);
    }
    return true;
  }

  std::map<char*, Block> blocks_;
};

}  // namespace

DeviceMemory& emulated_memory() {
  static EmulatedMemory instance;
  return instance;
}

}  // namespace probe
