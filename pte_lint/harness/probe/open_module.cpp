#include <executorch/extension/data_loader/buffer_data_loader.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "guarded_loader.h"
#include "jobs.h"

namespace probe {

using executorch::extension::BufferDataLoader;
using executorch::extension::Module;
using executorch::runtime::DataLoader;

namespace {

// A buffer as aligned as an application's own allocation of a file's bytes; it lives as long as
// the child does.
std::unique_ptr<DataLoader> buffer_loader(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  std::string bytes = text.str();
  void* copy = nullptr;
  if (posix_memalign(&copy, 64, bytes.size() + 1) != 0) {
    return nullptr;
  }
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(copy));
  return std::make_unique<BufferDataLoader>(copy, bytes.size());
}

std::unique_ptr<DataLoader> own_loader(LoaderKind kind, const std::string& path) {
  if (kind == LoaderKind::kBuffer) {
    return buffer_loader(path);
  }
  auto loader = guarded_loader(path);
  return loader.ok() ? std::move(loader.get()) : nullptr;
}

}  // namespace

std::unique_ptr<Module> open_module(const Options& options) {
  if (options.loader == LoaderKind::kFile || options.loader == LoaderKind::kMmap) {
    Module::LoadMode mode =
        options.loader == LoaderKind::kMmap ? Module::LoadMode::Mmap : Module::LoadMode::File;
    return std::make_unique<Module>(options.program, options.data_files, mode);
  }
  // Given loaders instead of paths, Module takes one for data at most; the driver sees to it.
  std::unique_ptr<DataLoader> data;
  if (!options.data_files.empty()) {
    data = own_loader(options.loader, options.data_files[0]);
  }
  return std::make_unique<Module>(
      own_loader(options.loader, options.program), nullptr, nullptr, nullptr, std::move(data));
}

}  // namespace probe
