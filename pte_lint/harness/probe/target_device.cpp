#include "target_device.h"

#include <cstdlib>
#include <cstring>

namespace probe {
namespace {

std::string plain(const void* bytes, size_t size) {
  std::string text(static_cast<const char*>(bytes), size);
  const std::string blank(" \t\r\n\0", 5);
  size_t first = text.find_first_not_of(blank);
  size_t last = text.find_last_not_of(blank);
  text = first == std::string::npos ? "" : text.substr(first, last - first + 1);
  for (char& c : text) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

}  // namespace

std::string TargetDevice::name() const {
  switch (kind) {
    case Kind::kHost:
      return "cpu";
    case Kind::kCuda:
      return index == kAnyIndex ? "cuda" : "cuda:" + std::to_string(index);
    case Kind::kUnknown:
      return "?";
  }
  return "?";
}

bool TargetDevice::matches(const std::string& device) const {
  return index == kAnyIndex ? device.rfind("cuda:", 0) == 0 : device == name();
}

TargetDevice target_device(
    executorch::runtime::ArrayRef<executorch::runtime::CompileSpec> specs) {
  TargetDevice target;
  for (const auto& spec : specs) {
    if (spec.key == nullptr || std::strcmp(spec.key, "target_device") != 0) {
      continue;
    }
    std::string text = plain(spec.value.buffer, spec.value.buffer ? spec.value.nbytes : 0);
    if (text == "cpu") {
      return target;
    }
    target.kind = TargetDevice::Kind::kUnknown;
    if (text == "cuda") {
      target.kind = TargetDevice::Kind::kCuda;
    } else if (text.rfind("cuda:", 0) == 0) {
      char* end = nullptr;
      long index = std::strtol(text.c_str() + 5, &end, 10);
      // Nothing may follow, not even behind a NUL byte: then it is no text that anybody wrote.
      const bool whole = end != text.c_str() + 5 && end == text.c_str() + text.size();
      if (whole && index >= -128 && index <= 127) {
        target.kind = TargetDevice::Kind::kCuda;
        target.index = static_cast<int>(index);
      }
    }
    return target;
  }
  return target;
}

}  // namespace probe
