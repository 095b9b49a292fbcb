#include <executorch/runtime/executor/method.h>

#include <vector>

#include "allocator.h"
#include "devices.h"
#include "given_values.h"
#include "jobs.h"
#include "older.h"
#include "planning.h"
#include "standin.h"

namespace probe {

using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;

namespace {

// Everything a call needs to stay alive until the child ends.
struct Call {
  const Options& options;
  const Variant& variant;
  Reporter& reporter;
  Watcher watcher;
  PlannedArenas arenas;
  std::unique_ptr<Module> module;
  Allocators allocators;
  Method* method = nullptr;
  GivenValues given;
};

bool failed(Call* call, Error error) {
  if (error == Error::Ok) {
    return false;
  }
  call->reporter.error(static_cast<uint32_t>(error));
  return true;
}

// Where Module's own planning does what the variant and the replayed runtime want, Module plans.
bool plans_itself(const Call& call) {
  return call.options.as_minor >= kRuntimeMinor && call.variant.host_fill == 0 &&
         call.options.filled_arena == 0;
}

bool load(Call* call, bool full_verification, int index) {
  call->reporter.stage(Stage::kLoadProgram);
  call->module = open_module(call->options, &call->allocators);
  Error error = call->module->load(
      full_verification ? Program::Verification::InternalConsistency
                        : Program::Verification::Minimal);
  if (failed(call, error)) {
    return false;
  }
  call->reporter.stage(Stage::kLoadMethod);
  std::string name;
  if (!method_name(call->module.get(), index, call->reporter, &name)) {
    return false;
  }
  auto meta = call->module->method_meta(name);
  if (!meta.ok()) {
    return !failed(call, meta.error());
  }
  register_standins(*meta);
  executorch::runtime::HierarchicalAllocator* planned = nullptr;
  if (!plans_itself(*call)) {
    PlanPolicy policy;
    policy.ignore_devices = call->options.as_minor <= 3;
    policy.abort_on_failure = call->options.as_minor == 4;
    policy.host_fill = call->variant.host_fill;
    policy.device_fill = call->variant.device_fill;
    policy.filled_arena = call->options.filled_arena;
    if (failed(call, call->arenas.lay_out(*meta, policy))) {
      return false;
    }
    planned = call->arenas.get();
  }
  if (failed(call, call->module->load_method(name, planned, &call->watcher))) {
    return false;
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  auto method = call->module->method(name);
#pragma GCC diagnostic pop
  if (!method.ok()) {
    return !failed(call, method.error());
  }
  call->method = method.get();
  call->reporter.number(
      "method_allocator", static_cast<int64_t>(call->allocators.method->most()));
  return true;
}

bool give_inputs(Call* call, bool report) {
  call->reporter.stage(Stage::kSetInput);
  call->given.choose(call->options.input_sizes, call->options.input_data);
  // A run that begins at a later input shows what the earlier ones would hide by failing.
  for (size_t i = call->options.first_input; i < call->method->inputs_size(); ++i) {
    page().input = static_cast<int32_t>(i);
    Error error = call->given.set_input(
        call->method, i, call->variant, call->options.as_minor, report ? &call->reporter : nullptr);
    if (failed(call, error)) {
      return false;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    call->watcher.mark_written(call->method->get_input(i));
    record_value("input", static_cast<int64_t>(i), call->method->get_input(i));
#pragma GCC diagnostic pop
  }
  page().input = -1;
  return true;
}

bool execute(Call* call) {
  call->reporter.stage(Stage::kExecute);
  call->watcher.begin_execution();
  Error error = call->method->execute();
  if (failed(call, error)) {
    return false;  // page().executing stays: the instruction is where it went wrong
  }
  call->watcher.end_execution();
  return true;
}

void read_outputs(Call* call, int run) {
  call->reporter.stage(Stage::kGetOutput);
  for (size_t i = 0; i < call->method->outputs_size(); ++i) {
    record_value("output", static_cast<int64_t>(i), call->method->get_output(i));
    Object output = describe(call->method->get_output(i));
    call->reporter.append(
        run == 0 ? "outputs" : "outputs_second_run",
        output.add("output", static_cast<int>(i)).str());
  }
}

}  // namespace

void method_job(
    const Options& options,
    bool full_verification,
    int index,
    const Variant& variant,
    Reporter& reporter) {
  // Never destroyed: the process ends with the job, and destructors of a program that has run
  // wild are not what is asked about.
  auto* call = new Call{options, variant, reporter, {}, {}, nullptr, {}, nullptr, {}};
  prepare_process(options, &call->watcher, variant.device_fill);
  expect_delegate_outputs(options, index);
  if (!load(call, full_verification, index)) {
    return;
  }
  for (int run = 0; run < variant.runs; ++run) {
    const bool first = run == 0;
    report_copies(first);
    standin_settings().report_calls = first;
    if (first && variant.give_outputs) {
      reporter.stage(Stage::kSetOutput);
      if (failed(call, call->given.set_outputs(
                           call->method, options.as_minor,
                           options.filled_arena == 0 ? variant.host_fill : 0, reporter))) {
        return;
      }
    }
    if (!give_inputs(call, first) || !execute(call)) {
      return;
    }
    read_outputs(call, run);
  }
  reporter.member("visited", call->watcher.visited());
  reporter.member("turned_back", call->watcher.turned_back());
  reporter.number(
      "temporary_allocator", static_cast<int64_t>(call->allocators.temporary->most()));
  reporter.stage(Stage::kDone);
}

}  // namespace probe
