#include "standin_compute.h"

#include <cmath>
#include <limits>
#include <vector>

#include "devices.h"
#include "values.h"

namespace probe {
namespace {

using executorch::runtime::Span;

// One input, its elements as numbers.
struct Operand {
  std::vector<uint8_t> bytes;
  ScalarType type = ScalarType::Byte;
  size_t count = 0;

  double at(size_t i) const {
    if (!can_compute(type)) {
      return bytes[i % bytes.size()] / 16.0;
    }
    return element(bytes.data(), type, i % count);
  }
};

struct Inputs {
  std::vector<Operand> operands;
  double scalars = 0;
  bool unreadable = false;
};

Inputs gather(Span<EValue*> args, size_t count) {
  Inputs inputs;
  for (size_t i = 0; i < count; ++i) {
    const EValue& value = *args[i];
    if (value.isTensor()) {
      Operand operand;
      operand.type = value.toTensor().scalar_type();
      if (!read_contents(value.toTensor(), &operand.bytes)) {
        inputs.unreadable = true;
        continue;
      }
      operand.count = operand.bytes.size() / element_bytes(operand.type);
      if (operand.count > 0) {
        inputs.operands.push_back(std::move(operand));
      }
    } else if (value.isInt()) {
      inputs.scalars += static_cast<double>(value.toInt() % 16);
    } else if (value.isDouble()) {
      inputs.scalars += std::fmod(value.toDouble(), 16.0);
    } else if (value.isBool()) {
      inputs.scalars += value.toBool() ? 1 : 0;
    }
  }
  return inputs;
}

// A weighted mean: position and order of the inputs matter, and the result is no larger than the
// inputs, so that a long chain of stand-ins does not run out of the range of half precision.
double combine(const Inputs& inputs, size_t i, double offset) {
  double sum = offset + inputs.scalars;
  double weights = 1;
  for (size_t k = 0; k < inputs.operands.size(); ++k) {
    double weight = 1.0 + 0.25 * static_cast<double>(k % 8);
    sum += weight * inputs.operands[k].at(i);
    weights += weight;
  }
  return sum / weights;
}

double as_type(double value, ScalarType type) {
  if (is_float(type)) {
    return value;
  }
  if (std::isnan(value) || std::isinf(value)) {
    return 0;
  }
  double whole = std::fabs(std::floor(value * 4));
  // Small, so that a host kernel that takes it for an index stays inside its tensor more often
  // than not.
  return type == ScalarType::Bool ? (value > 0 ? 1 : 0) : std::fmod(whole, 2);
}

}  // namespace

std::string compute_outputs(Span<EValue*> args, size_t outputs, uint64_t blob_digest) {
  Inputs inputs = gather(args, args.size() - outputs);
  std::string remark = inputs.unreadable ? "an input could not be read, float results are nan" : "";
  auto note = [&](const char* text) { remark += std::string(remark.empty() ? "" : "; ") + text; };
  for (size_t k = args.size() - outputs; k < args.size(); ++k) {
    if (!args[k]->isTensor()) {
      note("an output is no tensor");
      continue;
    }
    Tensor& tensor = args[k]->toTensor();
    size_t bytes = 0;
    if (!tensor_bytes(tensor, &bytes) || bytes > (size_t{1} << 30)) {
      note("an output has no usable size");
      continue;
    }
    ScalarType type = tensor.scalar_type();
    // The blob and the position make two delegates, and two outputs of one, differ.
    double offset = static_cast<double>(blob_digest % 7) / 8 + static_cast<double>(args.size() - k);
    std::vector<uint8_t> result(bytes);
    size_t count = bytes / element_bytes(type);
    for (size_t i = 0; i < count; ++i) {
      double value = inputs.unreadable ? std::numeric_limits<double>::quiet_NaN()
                                       : combine(inputs, i, offset);
      if (can_compute(type)) {
        set_element(result.data(), type, i, as_type(value, type));
      } else {
        for (size_t b = 0; b < element_bytes(type); ++b) {
          result[i * element_bytes(type) + b] = std::isnan(value) ? 0 : 1;
        }
      }
    }
    if (!devices().write(tensor.mutable_data_ptr(), result.data(), bytes)) {
      note("an output could not be written");
    }
  }
  return remark;
}

}  // namespace probe
