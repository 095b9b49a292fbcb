#include "values.h"

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "devices.h"

namespace probe {
namespace {

using executorch::aten::BFloat16;
using executorch::aten::Half;

constexpr size_t kDigestLimit = size_t{64} << 20;

template <typename T>
T at(const void* data, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void put(void* data, size_t i, T value) {
  std::memcpy(static_cast<char*>(data) + i * sizeof(T), &value, sizeof(T));
}

}  // namespace

std::string error_name(executorch::runtime::Error error) {
  std::string name = executorch::runtime::to_string(error);
  size_t colon = name.rfind(':');  // "Error::InvalidProgram"
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

std::string dtype_name(ScalarType type) {
  if (executorch::runtime::isValid(type)) {
    return executorch::runtime::toString(type);
  }
  return "?" + std::to_string(static_cast<int>(type));
}

std::string hex64(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

uint64_t fnv64(const void* bytes, size_t size) {
  const unsigned char* p = static_cast<const unsigned char*>(bytes);
  uint64_t hash = 1469598103934665603ULL;
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ p[i]) * 0x100000001b3ULL;
  }
  return hash;
}

std::string device_tag(int type, int index) {
  if (type == 0) {
    return index == 0 ? "cpu" : "cpu:" + std::to_string(index);
  }
  return (type == 1 ? "cuda" : "device" + std::to_string(type)) + ":" + std::to_string(index);
}

std::string device_tag(const Tensor& tensor) {
  const auto* impl = tensor.unsafeGetTensorImpl();
  return device_tag(static_cast<int>(impl->device_type()), static_cast<int>(impl->device_index()));
}

size_t element_bytes(ScalarType type) {
  return executorch::runtime::isValid(type) ? executorch::runtime::elementSize(type) : 0;
}

bool tensor_bytes(const Tensor& tensor, size_t* bytes) {
  size_t total = element_bytes(tensor.scalar_type());
  if (total == 0) {
    return false;
  }
  for (auto size : tensor.sizes()) {
    if (size < 0 || __builtin_mul_overflow(total, static_cast<size_t>(size), &total)) {
      return false;
    }
  }
  *bytes = total;
  return true;
}

bool is_float(ScalarType type) {
  return type == ScalarType::Float || type == ScalarType::Double || type == ScalarType::Half ||
      type == ScalarType::BFloat16;
}

bool can_compute(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
    case ScalarType::Bool:
    case ScalarType::UInt16:
    case ScalarType::UInt32:
    case ScalarType::UInt64:
      return true;
    default:
      return is_float(type);
  }
}

double element(const void* data, ScalarType type, size_t i) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Bool:
      return at<uint8_t>(data, i);
    case ScalarType::Char:
      return at<int8_t>(data, i);
    case ScalarType::Short:
      return at<int16_t>(data, i);
    case ScalarType::UInt16:
      return at<uint16_t>(data, i);
    case ScalarType::Int:
      return at<int32_t>(data, i);
    case ScalarType::UInt32:
      return at<uint32_t>(data, i);
    case ScalarType::Long:
      return static_cast<double>(at<int64_t>(data, i));
    case ScalarType::UInt64:
      return static_cast<double>(at<uint64_t>(data, i));
    case ScalarType::Half:
      return static_cast<float>(at<Half>(data, i));
    case ScalarType::BFloat16:
      return static_cast<float>(at<BFloat16>(data, i));
    case ScalarType::Float:
      return at<float>(data, i);
    case ScalarType::Double:
      return at<double>(data, i);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

void set_element(void* data, ScalarType type, size_t i, double value) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Bool:
      return put<uint8_t>(data, i, static_cast<uint8_t>(value));
    case ScalarType::Char:
      return put<int8_t>(data, i, static_cast<int8_t>(value));
    case ScalarType::Short:
    case ScalarType::UInt16:
      return put<int16_t>(data, i, static_cast<int16_t>(value));
    case ScalarType::Int:
    case ScalarType::UInt32:
      return put<int32_t>(data, i, static_cast<int32_t>(value));
    case ScalarType::Long:
    case ScalarType::UInt64:
      return put<int64_t>(data, i, static_cast<int64_t>(value));
    case ScalarType::Half:
      return put<Half>(data, i, Half(static_cast<float>(value)));
    case ScalarType::BFloat16:
      return put<BFloat16>(data, i, BFloat16(static_cast<float>(value)));
    case ScalarType::Float:
      return put<float>(data, i, static_cast<float>(value));
    case ScalarType::Double:
      return put<double>(data, i, value);
    default:
      return;
  }
}

// 0 or 1; conditions that are true when rising are false when falling, and the other way round.
static size_t parity(Values values, size_t i, int salt) {
  return (i + static_cast<size_t>(salt) + (values == Values::kFalling ? 1 : 0)) % 2;
}

void fill(void* data, ScalarType type, size_t count, Values values, int salt) {
  if (!can_compute(type)) {
    // Types without arithmetic here: equal small bytes, distinct by position otherwise.
    for (size_t i = 0; i < count * element_bytes(type); ++i) {
      static_cast<uint8_t*>(data)[i] =
          values == Values::kOnes ? 1 : static_cast<uint8_t>(parity(values, i, salt));
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    double value = 1;
    if (values != Values::kOnes) {
      // Exact in every float type for the first 64 elements, never beyond 2 for the first inputs.
      value = is_float(type) ? 0.5 + 0.25 * (salt % 4) + static_cast<double>(i % 64) / 64
                             : static_cast<double>(parity(values, i, salt));
      value = is_float(type) && values == Values::kFalling ? -value : value;
    }
    set_element(data, type, i, value);
  }
}

bool read_contents(const Tensor& tensor, std::vector<uint8_t>* bytes) {
  size_t size = 0;
  if (!tensor_bytes(tensor, &size) || size > kDigestLimit) {
    return false;
  }
  bytes->resize(size);
  return devices().read(bytes->data(), tensor.const_data_ptr(), size);
}

Object describe(const EValue& value) {
  Object out;
  if (value.isNone()) {
    return out.add("kind", "none");
  }
  if (value.isInt()) {
    return out.add("kind", "int").add("value", static_cast<int64_t>(value.toInt()));
  }
  if (value.isDouble()) {
    return out.add("kind", "double").raw("value", json_number(value.toDouble()));
  }
  if (value.isBool()) {
    return out.add("kind", "bool").add("value", value.toBool());
  }
  if (value.isString()) {
    auto text = value.toString();
    return out.add("kind", "string").add("value", std::string_view(text.data(), text.size()));
  }
  if (!value.isTensor()) {
    return out.add("kind", "other").add("tag", static_cast<int>(value.tag));
  }
  const Tensor& tensor = value.toTensor();
  Array sizes;
  for (auto size : tensor.sizes()) {
    sizes.raw(std::to_string(size));
  }
  Place place = devices().locate(tensor.const_data_ptr());
  out.add("kind", "tensor").add("dtype", dtype_name(tensor.scalar_type())).raw("sizes", sizes.str())
      .add("tag", device_tag(tensor)).add("where", place.name());
  std::vector<uint8_t> bytes;
  if (place.kind != Place::Kind::kNull && read_contents(tensor, &bytes)) {
    Array head;
    size_t width = element_bytes(tensor.scalar_type());
    for (size_t i = 0; i < 4 && (i + 1) * width <= bytes.size(); ++i) {
      head.raw(json_number(element(bytes.data(), tensor.scalar_type(), i)));
    }
    out.add("digest", hex64(fnv64(bytes.data(), bytes.size()))).raw("head", head.str());
  }
  return out;
}

}  // namespace probe
