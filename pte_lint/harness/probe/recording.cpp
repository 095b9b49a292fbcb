#include "recording.h"

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "channel.h"
#include "devices.h"
#include "values.h"

namespace probe {

using executorch::runtime::Error;
using executorch::runtime::Kernel;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::OpFunction;
using executorch::runtime::Span;
using executorch::runtime::Tag;

namespace {

constexpr uint64_t kMagic = 0x31474e4944524f43;
constexpr size_t kFirst = 32;
constexpr size_t kMostKernels = 1024;

// The shared memory, filled from the front.
class Memory {
 public:
  bool open(int fd) {
    struct stat told {};
    if (fstat(fd, &told) != 0 || static_cast<size_t>(told.st_size) <= kFirst) {
      return false;
    }
    void* mapped = mmap(
        nullptr, static_cast<size_t>(told.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED) {
      return false;
    }
    base_ = static_cast<char*>(mapped);
    size_ = static_cast<size_t>(told.st_size);
    put(0, kMagic);
    return true;
  }

  bool ready() const { return base_ != nullptr; }
  bool full() const { return full_; }

  // Where the bytes of a tensor stand; they are there already if its memory still holds them.
  bool keep(const void* from, size_t bytes, uint64_t* at) {
    auto known = kept_.find(from);
    if (known != kept_.end() && known->second.second == bytes) {
      *at = known->second.first;
      std::vector<char>& now = scratch_;
      now.resize(bytes);
      if (devices().read(now.data(), from, bytes) &&
          std::memcmp(now.data(), base_ + *at, bytes) == 0) {
        return true;
      }
    }
    if (!take(bytes, at) || !devices().read(base_ + *at, from, bytes)) {
      return false;
    }
    kept_[from] = {*at, bytes};
    return true;
  }

  void add(const std::string& json) {
    uint64_t at = 0;
    if (!take(16 + json.size(), &at)) {
      return;
    }
    put(at, 0);
    put(at + 8, json.size());
    std::memcpy(base_ + at + 16, json.data(), json.size());
    put(last_, at);  // whole before it can be found
    last_ = at;
  }

  // From this call on, or the earlier one that this was told of already.
  void give_up(uint64_t call) {
    full_ = true;
    if (!gave_up_) {
      gave_up_ = true;
      put(16, call + 1);
    }
  }
  void count(uint64_t calls) { put(24, calls); }

 private:
  void put(uint64_t at, uint64_t value) { std::memcpy(base_ + at, &value, sizeof value); }

  bool take(size_t bytes, uint64_t* at) {
    const size_t rounded = (bytes + 63) / 64 * 64;
    if (full_ || rounded < bytes || rounded > size_ - used_) {
      full_ = true;
      return false;
    }
    *at = used_;
    used_ += rounded;
    return true;
  }

  char* base_ = nullptr;
  size_t size_ = 0;
  size_t used_ = 64;
  uint64_t last_ = 8;
  bool full_ = false;
  bool gave_up_ = false;
  std::unordered_map<const void*, std::pair<uint64_t, size_t>> kept_;
  std::vector<char> scratch_;
};

Memory memory;
RecordingOptions wanted;
int64_t calls = 0;

std::string numbers(const int32_t* first, size_t count) {
  Array out;
  for (size_t i = 0; i < count; ++i) {
    out.raw(std::to_string(first[i]));
  }
  return out.str();
}

std::string tensor_json(const Tensor& tensor) {
  Object out;
  std::vector<int32_t> sizes(tensor.sizes().begin(), tensor.sizes().end());
  std::vector<int32_t> order(tensor.dim_order().begin(), tensor.dim_order().end());
  out.add("kind", "tensor").add("dtype", static_cast<int>(tensor.scalar_type()))
      .raw("sizes", numbers(sizes.data(), sizes.size()))
      .raw("order", numbers(order.data(), order.size()));
  size_t bytes = 0;
  uint64_t at = 0;
  const void* from = tensor.const_data_ptr();
  if (tensor_bytes(tensor, &bytes) && (bytes == 0 || from != nullptr)) {
    if (bytes == 0 || memory.keep(from, bytes, &at)) {
      out.add("at", at).add("bytes", static_cast<uint64_t>(bytes));
    }
  }
  char place[24];
  std::snprintf(place, sizeof place, "%llx", static_cast<unsigned long long>(
      reinterpret_cast<uintptr_t>(from)));
  return out.add("place", place).str();
}

// All digits, which `json_number` does not keep.
std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return json_string(text);
}

template <typename List, typename Each>
std::string list_json(const char* kind, const List& list, const Each& each) {
  Array items;
  for (const auto& item : list) {
    items.raw(each(item));
  }
  return Object().add("kind", kind).raw("items", items.str()).str();
}

std::string value_json(const EValue& value) {
  switch (value.tag) {
    case Tag::None:
      return Object().add("kind", "none").str();
    case Tag::Int:
      return Object().add("kind", "int").add("value", static_cast<int64_t>(value.toInt())).str();
    case Tag::Bool:
      return Object().add("kind", "bool").add("value", value.toBool()).str();
    case Tag::Double:
      return Object().add("kind", "double").raw("value", exact(value.toDouble())).str();
    case Tag::String: {
      auto text = value.toString();
      return Object().add("kind", "string")
          .add("value", std::string_view(text.data(), text.size())).str();
    }
    case Tag::Tensor:
      return tensor_json(value.toTensor());
    case Tag::ListInt:
      return list_json("ints", value.toIntList(), [](int64_t i) { return std::to_string(i); });
    case Tag::ListBool:
      return list_json("bools", value.toBoolList(), [](bool b) { return b ? "true" : "false"; });
    case Tag::ListDouble:
      return list_json("doubles", value.toDoubleList(), exact);
    case Tag::ListTensor:
      return list_json("tensors", value.toTensorList(), tensor_json);
    case Tag::ListOptionalTensor:
      return list_json("tensors", value.toListOptionalTensor(), [](const auto& tensor) {
        return tensor.has_value() ? tensor_json(*tensor) : Object().add("kind", "none").str();
      });
    default:
      return Object().add("kind", "other").str();
  }
}

std::array<OpFunction, kMostKernels> real_kernels;
std::array<const char*, kMostKernels> kernel_names;

std::string values_json(Span<EValue*> args, int first, int end) {
  Array out;
  for (int i = first; i < end && i < static_cast<int>(args.size()); ++i) {
    out.raw(value_json(*args[static_cast<size_t>(i)]));
  }
  return out.str();
}

// The number of a call that begins; -1 where it is not to be recorded.
int64_t next_call() {
  const int64_t call = calls++;
  memory.count(static_cast<uint64_t>(calls));
  if (call < wanted.from) {
    return -1;
  }
  if (memory.full()) {
    memory.give_up(static_cast<uint64_t>(call));
    return -1;
  }
  return call;
}

Object call_json(const char* kind, int64_t call) {
  return std::move(Object().add("record", kind).add("call", call)
      .add("chain", static_cast<int>(page().chain))
      .add("instruction", static_cast<int>(page().instruction)));
}

void call_recorded(size_t number, KernelRuntimeContext& context, Span<EValue*> args) {
  const int64_t call = next_call();
  if (call < 0) {
    return real_kernels[number](context, args);
  }
  const int count = static_cast<int>(args.size());
  KernelShape shape{count, count - 1, count};
  auto known = wanted.kernels.find(kernel_names[number]);
  if (known != wanted.kernels.end()) {
    shape = known->second;
  }
  memory.add(call_json("call", call).add("operator", kernel_names[number])
      .raw("args", values_json(args, 0, shape.inputs)).str());
  if (!memory.full()) {
    real_kernels[number](context, args);
    const bool went = context.failure_state() == Error::Ok;
    memory.add(Object().add("record", "result").add("call", call)
        .add("error", error_name(context.failure_state()))
        .raw("outs", went ? values_json(args, shape.first, shape.end) : "[]").str());
  } else {
    real_kernels[number](context, args);
  }
  if (memory.full()) {
    memory.give_up(static_cast<uint64_t>(call));
  }
}

template <size_t number>
void trampoline(KernelRuntimeContext& context, Span<EValue*> args) {
  call_recorded(number, context, args);
}

template <size_t... numbers>
constexpr std::array<OpFunction, sizeof...(numbers)> trampolines(std::index_sequence<numbers...>) {
  return {trampoline<numbers>...};
}

}  // namespace

bool open_recording(const RecordingOptions& options) {
  wanted = options;
  return memory.open(options.fd);
}

bool is_recording() { return memory.ready(); }

void record_kernels() {
  static constexpr auto stand_ins = trampolines(std::make_index_sequence<kMostKernels>());
  size_t number = 0;
  for (const Kernel& kernel : executorch::runtime::get_registered_kernels()) {
    if (number == kMostKernels) {
      break;
    }
    real_kernels[number] = kernel.op_;
    kernel_names[number] = kernel.name_;
    // As in `withdraw_kernels`: the registry's table is plain writable memory.
    const_cast<Kernel&>(kernel).op_ = stand_ins[number];
    ++number;
  }
}

void DelegateRecord::begin() {
  call_ = memory.ready() ? next_call() : -1;
  args_ = Array();
}

void DelegateRecord::argument(const EValue& value) {
  if (call_ >= 0 && !memory.full()) {
    args_.raw(value_json(value));
  }
}

void DelegateRecord::end() {
  if (call_ < 0) {
    return;
  }
  memory.add(call_json("delegate", call_).raw("args", args_.str()).str());
  if (memory.full()) {
    memory.give_up(static_cast<uint64_t>(call_));
  }
  call_ = -1;
}

void record_value(const char* kind, int64_t index, const EValue& value) {
  if (memory.ready() && !memory.full()) {
    memory.add(Object().add("record", kind).add("index", index)
        .add("chain", static_cast<int>(page().chain))
        .add("instruction", static_cast<int>(page().instruction))
        .raw("value", value_json(value)).str());
  }
}

}  // namespace probe
