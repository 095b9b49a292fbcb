// The device a delegate runs on, as its compile spec "target_device" says.
#pragma once

#include <executorch/runtime/backend/interface.h>

#include <string>

namespace probe {

struct TargetDevice {
  enum class Kind { kHost, kCuda, kUnknown } kind = Kind::kHost;
  static constexpr int kAnyIndex = -1000;
  int index = 0;
  // "cpu", "cuda:0", "cuda" for any index, or "?" for a spec that names no device we know
  std::string name() const;
  bool matches(const std::string& device) const;  // by name, as a tensor's tag has it
};

// Host where there is no such spec. Case, blanks around the text and a final NUL do not matter;
// the index is optional.
TargetDevice target_device(
    executorch::runtime::ArrayRef<executorch::runtime::CompileSpec> specs);

}  // namespace probe
