#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>

#include <cstdlib>

#include "devices.h"
#include "guarded_loader.h"
#include "jobs.h"
#include "libraries.h"
#include "opened_files.h"

namespace probe {

using executorch::extension::BufferDataLoader;
using executorch::extension::FileDataLoader;
using executorch::extension::Module;
using executorch::runtime::DataLoader;

namespace {

// A buffer as aligned as an application's own allocation of a file's bytes; it lives as long as
// the child does.
std::unique_ptr<DataLoader> buffer_loader(const std::string& path) {
  auto file = FileDataLoader::from(path.c_str());
  if (!file.ok()) {
    return std::make_unique<BufferDataLoader>(nullptr, 0);
  }
  auto size = file->size();
  void* copy = nullptr;
  if (!size.ok() || posix_memalign(&copy, 64, *size + 1) != 0 ||
      (*size > 0 &&
       file->load_into(0, *size, {}, copy) != executorch::runtime::Error::Ok)) {
    return nullptr;
  }
  return std::make_unique<BufferDataLoader>(copy, *size);
}

std::unique_ptr<DataLoader> own_loader(LoaderKind kind, const std::string& path) {
  if (kind == LoaderKind::kBuffer) {
    return buffer_loader(path);
  }
  auto loader = guarded_loader(path);
  return loader.ok() ? std::move(loader.get()) : nullptr;
}

}  // namespace

void open_for_job(const Options& options, bool with_devices) {
  open_ahead(options.program);
  for (const std::string& path : options.data_files) {
    open_ahead(path);
  }
  if (options.cuda && with_devices) {
    devices().open(&cuda_memory(), options.devices);
  }
  load_libraries(options);
}

std::unique_ptr<Module> open_module(const Options& options, Allocators* allocators) {
  auto method = std::make_unique<CountingAllocator>();
  auto temporary = std::make_unique<CountingAllocator>();
  if (allocators != nullptr) {
    *allocators = {method.get(), temporary.get()};
  }
  if (options.loader == LoaderKind::kFile || options.loader == LoaderKind::kMmap) {
    Module::LoadMode mode =
        options.loader == LoaderKind::kMmap ? Module::LoadMode::Mmap : Module::LoadMode::File;
    return std::make_unique<Module>(
        options.program, options.data_files, mode, nullptr, std::move(method),
        std::move(temporary));
  }
  // Given loaders instead of paths, Module takes one for data at most; the driver sees to it.
  std::unique_ptr<DataLoader> data;
  if (!options.data_files.empty()) {
    data = own_loader(options.loader, options.data_files[0]);
  }
  return std::make_unique<Module>(
      own_loader(options.loader, options.program), std::move(method), std::move(temporary),
      nullptr, std::move(data));
}

}  // namespace probe
