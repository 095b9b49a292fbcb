// Tensors and values as the probe sees them: names, sizes, contents, digests.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "json.h"

namespace probe {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::EValue;

std::string error_name(executorch::runtime::Error error);  // "InvalidProgram"
std::string dtype_name(ScalarType type);                   // "Float", or "?31"
std::string hex64(uint64_t value);
uint64_t fnv64(const void* bytes, size_t size);  // FNV-1a, 64 bits, start value 1469598103934665603

// "cpu", "cuda:0", or "device5:1" for a type the runtime does not know; "cpu:1" keeps an index.
std::string device_tag(int type, int index);
std::string device_tag(const Tensor& tensor);

// Bytes of one element; 0 for a type without a known size.
size_t element_bytes(ScalarType type);
// Bytes of a tensor of these sizes; false on overflow or an unknown type.
bool tensor_bytes(const Tensor& tensor, size_t* bytes);

enum class Values { kOnes, kRising, kFalling };

// Fills `count` elements of `type`: ones, or values that rise with the position and differ from
// one `salt` (the input's number) to the next. Whole numbers stay 0 or 1, so that they are valid
// as indices; no value is infinite or NaN.
void fill(void* data, ScalarType type, size_t count, Values values, int salt);

// Element `i` as a double (complex: the real part); NaN for a type that cannot be read.
double element(const void* data, ScalarType type, size_t i);
void set_element(void* data, ScalarType type, size_t i, double value);
bool is_float(ScalarType type);
bool can_compute(ScalarType type);

// What is known of a value: kind, dtype, sizes, tag, where, digest and first elements.
Object describe(const EValue& value);

// Contents of a tensor wherever they lie; false if they cannot be read.
bool read_contents(const Tensor& tensor, std::vector<uint8_t>* bytes);

}  // namespace probe
