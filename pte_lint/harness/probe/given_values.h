// The memory an application would give a method: inputs and unplanned outputs. On the way it notes
// for the parent which other variants would make a difference for this method.
#pragma once

#include <executorch/runtime/executor/method.h>

#include <deque>
#include <map>
#include <vector>

#include "channel.h"
#include "options.h"

namespace probe {

class GivenValues {
 public:
  // Gives memory, of the kind the output's tag asks for, to every output tensor without any. On
  // the host it holds what host arenas hold before anything is written.
  executorch::runtime::Error set_outputs(
      executorch::runtime::Method* method, int as_minor, int host_fill, Reporter& reporter);

  // Sizes and contents to give inputs of, instead of the serialized ones and those of the variant.
  // Both have to stay; contents of another length are cut off, or repeated from the start.
  void choose(
      const std::map<size_t, std::vector<int32_t>>& sizes,
      const std::map<size_t, InputBytes>& contents) {
    sizes_ = sizes;
    contents_ = &contents;
  }

  // Gives input `i`: a tensor of the serialized sizes, dtype and dim order, or for other kinds
  // the serialized value itself (the only one the runtime accepts). `reporter` may be null.
  executorch::runtime::Error set_input(
      executorch::runtime::Method* method,
      size_t i,
      const Variant& variant,
      int as_minor,
      Reporter* reporter);

 private:
  struct Made {
    std::vector<int32_t> sizes;
    std::vector<uint8_t> dim_order;
    std::vector<int32_t> strides;
    std::unique_ptr<executorch::aten::TensorImpl> impl;
    void* data = nullptr;
  };

  Made* make_tensor(const executorch::aten::Tensor& like, bool on_device, Values values, int salt);

  std::map<size_t, std::vector<int32_t>> sizes_;
  const std::map<size_t, InputBytes>* contents_ = nullptr;
  std::map<size_t, Made> inputs_;
  std::map<size_t, executorch::runtime::EValue> first_values_;
};

}  // namespace probe
