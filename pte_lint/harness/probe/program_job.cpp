#include "jobs.h"
#include "json.h"

namespace probe {

using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;
using executorch::runtime::Tag;
using executorch::runtime::TensorInfo;

namespace {

std::string tag_name(Tag tag) {
  static const char* const names[] = {
      "none", "tensor", "string", "double", "int", "bool", "list_bool", "list_double", "list_int",
      "list_tensor", "list_scalar", "list_optional_tensor"};
  size_t i = static_cast<size_t>(tag);
  return i < sizeof names / sizeof *names ? names[i] : "?" + std::to_string(i);
}

template <typename Number>
std::string numbers(executorch::runtime::Span<const Number> values) {
  Array out;
  for (Number value : values) {
    out.raw(std::to_string(static_cast<int>(value)));
  }
  return out.str();
}

using TagOf = executorch::runtime::Result<Tag> (MethodMeta::*)(size_t) const;
using InfoOf = executorch::runtime::Result<TensorInfo> (MethodMeta::*)(size_t) const;

std::string describe_slots(const MethodMeta& meta, size_t count, TagOf tag_of, InfoOf info_of) {
  Array slots;
  for (size_t i = 0; i < count && i < Reporter::kListLimit; ++i) {
    Object slot;
    auto tag = (meta.*tag_of)(i);
    if (!tag.ok()) {
      slots.raw(slot.add("error", error_name(tag.error())).str());
      continue;
    }
    slot.add("kind", tag_name(tag.get()));
    if (tag.get() == Tag::Tensor) {
      auto info = (meta.*info_of)(i);
      if (info.ok()) {
        slot.add("dtype", dtype_name(info->scalar_type())).raw("sizes", numbers(info->sizes()))
            .raw("dim_order", numbers(info->dim_order()))
            .add("nbytes", static_cast<uint64_t>(info->nbytes()))
            .add("planned", info->is_memory_planned());
      } else {
        slot.add("error", error_name(info.error()));
      }
    }
    slots.raw(slot.str());
  }
  return slots.str();
}

std::string describe_arenas(const MethodMeta& meta) {
  Array arenas;
  for (size_t i = 0; i < meta.num_memory_planned_buffers() && i < Reporter::kListLimit; ++i) {
    auto size = meta.memory_planned_buffer_size(i);
    auto device = meta.memory_planned_buffer_device(i);
    Object arena;
    arena.add("memory_id", static_cast<int>(i + 1))
        .raw("bytes", size.ok() ? std::to_string(size.get()) : "null");
    if (device.ok()) {
      arena.add("device", device_tag(
          static_cast<int>(device->type()), static_cast<int>(device->index())));
    }
    arenas.raw(arena.str());
  }
  return arenas.str();
}

}  // namespace

bool method_name(Module* module, int index, Reporter& reporter, std::string* name) {
  auto found = module->program()->get_method_name(static_cast<size_t>(index));
  if (!found.ok()) {
    reporter.error(static_cast<uint32_t>(found.error()));
    return false;
  }
  *name = found.get();
  reporter.text("name", *name);
  return true;
}

void program_job(const Options& options, bool full_verification, Reporter& reporter) {
  reporter.stage(Stage::kLoadProgram);
  auto module = open_module(options);
  Error error = module->load(
      full_verification ? Program::Verification::InternalConsistency
                        : Program::Verification::Minimal);
  if (error != Error::Ok) {
    reporter.error(static_cast<uint32_t>(error));
    return;
  }
  reporter.stage(Stage::kListMethods);
  size_t count = module->program()->num_methods();
  reporter.number("num_methods", static_cast<int64_t>(count));
  for (size_t i = 0; i < count && i < Reporter::kListLimit; ++i) {
    auto name = module->program()->get_method_name(i);
    reporter.append("methods", name.ok() ? json_string(name.get()) : "null");
    if (name.ok() && options.methods.count(name.get()) != 0) {
      reporter.note("wanted:" + std::to_string(i), 1);
    }
  }
  reporter.note("methods", static_cast<int64_t>(count));
  reporter.stage(Stage::kDone);
}

void meta_job(const Options& options, bool full_verification, int index, Reporter& reporter) {
  reporter.stage(Stage::kLoadProgram);
  auto module = open_module(options);
  if (module->load(
          full_verification ? Program::Verification::InternalConsistency
                            : Program::Verification::Minimal) != Error::Ok) {
    return;
  }
  reporter.stage(Stage::kMethodMeta);
  std::string name;
  if (!method_name(module.get(), index, reporter, &name)) {
    return;
  }
  auto meta = module->method_meta(name);
  if (!meta.ok()) {
    reporter.error(static_cast<uint32_t>(meta.error()));
    return;
  }
  reporter.member("arenas", describe_arenas(*meta));
  reporter.member("inputs", describe_slots(
      *meta, meta->num_inputs(), &MethodMeta::input_tag, &MethodMeta::input_tensor_meta));
  reporter.member("outputs", describe_slots(
      *meta, meta->num_outputs(), &MethodMeta::output_tag, &MethodMeta::output_tensor_meta));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // marked experimental
  reporter.number("num_instructions", static_cast<int64_t>(meta->num_instructions()));
#pragma GCC diagnostic pop
  Array backends;
  for (size_t i = 0; i < meta->num_backends() && i < Reporter::kListLimit; ++i) {
    auto id = meta->get_backend_name(i);
    backends.raw(id.ok() ? json_string(id.get()) : "null");
  }
  reporter.member("backends", backends.str());
  reporter.stage(Stage::kDone);
}

}  // namespace probe
