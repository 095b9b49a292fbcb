// Device memory that no host instruction may touch: address space without access rights, which it
// has only while a copy goes on. A load or store of the program faults, and the fault address names
// the device. As private memory of the process it counts against the child's limit.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "devices.h"

namespace probe {
namespace {

class EmulatedMemory final : public DeviceMemory {
 public:
  const char* kind() const override { return "emulated"; }

  int open(int count) override { return count; }

  void* allocate(size_t bytes, int) override {
    if (bytes > SIZE_MAX / 4) {
      return nullptr;
    }
    // A page without access on both sides catches what runs past either end as well; an empty
    // allocation still gets an address of its own.
    size_t mapped = (bytes / unit() + 3) * unit();
    void* base = mmap(
        nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
      return nullptr;
    }
    char* begin = static_cast<char*>(base) + unit();
    mapped_[begin] = mapped;
    return begin;
  }

  void release(void* pointer) override {
    auto block = mapped_.find(static_cast<char*>(pointer));
    if (block != mapped_.end()) {
      munmap(block->first - unit(), block->second);
      mapped_.erase(block);
    }
  }

  bool write(void* device, const void* host, size_t bytes) override {
    Access access(device, bytes, PROT_READ | PROT_WRITE);
    return access.granted() && std::memcpy(device, host, bytes) != nullptr;
  }

  bool read(void* host, const void* device, size_t bytes) override {
    Access access(const_cast<void*>(device), bytes, PROT_READ);
    return access.granted() && std::memcpy(host, device, bytes) != nullptr;
  }

  int foreign_device(const void*) const override { return -1; }

 private:
  static size_t unit() {
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
  }

  // Rights on the pages of a range for as long as it lives. A copy that crashes on its host side
  // leaves them, and that is the end of the process.
  class Access {
   public:
    Access(void* begin, size_t bytes, int rights) {
      const size_t ahead = reinterpret_cast<uintptr_t>(begin) % unit();
      pages_ = static_cast<char*>(begin) - ahead;
      size_ = ahead + bytes;
      granted_ = mprotect(pages_, size_, rights) == 0;
    }
    ~Access() { mprotect(pages_, size_, PROT_NONE); }
    Access(const Access&) = delete;
    bool granted() const { return granted_; }

   private:
    char* pages_;
    size_t size_;
    bool granted_;
  };

  std::map<char*, size_t> mapped_;  // bytes of each mapping, with its guard pages
};

}  // namespace

DeviceMemory& emulated_memory() {
  static EmulatedMemory instance;
  return instance;
}

}  // namespace probe
