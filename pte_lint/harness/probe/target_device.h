// The device a delegate runs on, as its compile spec "target_device" says.
#pragma once

#include <executorch/runtime/backend/interface.h>

#include <string>

namespace probe {

struct TargetDevice {
  enum class Kind { kHost, kCuda, kUnknown } kind = Kind::kHost;
  int index = 0;
  std::string name() const;  // "cpu", "cuda:0", or "?" for a spec that names no device we know
};

// Host where there is no such spec. Case, blanks around the text and a final NUL do not matter;
// the index is optional.
TargetDevice target_device(
    executorch::runtime::ArrayRef<executorch::runtime::CompileSpec> specs);

}  // namespace probe
