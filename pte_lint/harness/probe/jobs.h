// The three things a child can be asked to do with a program.
#pragma once

#include <executorch/extension/module/module.h>

#include <memory>

#include "counting_allocator.h"
#include "channel.h"
#include "options.h"
#include "watcher.h"

namespace probe {

// Before the fence closes: opens the files, and with real device memory starts its driver where the
// job needs that.
void open_for_job(const Options& options, bool with_devices);

// Loads the program and lists its methods. Notes: "methods" (count),
// "wanted:<index>" for a method asked for by name.
void program_job(const Options& options, bool full_verification, Reporter& reporter);

// Describes a method without loading it.
void meta_job(const Options& options, bool full_verification, int index, Reporter& reporter);

// Loads the method at `index`, gives it inputs the way `variant` says, runs it, reads outputs.
// Notes for the parent tell which other variants mean anything, as far as the run got:
// "host_inputs" (an unplanned input tagged for a device), "device_inputs" (a planned one),
// "outputs_not_given" (an unplanned output).
void method_job(
    const Options& options,
    bool full_verification,
    int index,
    const Variant& variant,
    Reporter& reporter);

// Makes the calls of a session on one module, up to the first that fails, and reports each one's
// outputs.
void session_job(
    const Options& options, bool full_verification, const Session& session, Reporter& reporter);

// What a child does before it loads anything: devices, stand-ins' settings, kernels withdrawn.
void prepare_process(const Options& options, Watcher* watcher, int device_fill);

// Tells stand-ins how many outputs the delegate calls of the method at `index` have.
void expect_delegate_outputs(const Options& options, int index);

// A module over the program, its data files and the chosen loader; not loaded yet. Aborting here
// is part of the stage load_program. `allocators` tells, where it is asked for, what counts.
std::unique_ptr<executorch::extension::Module> open_module(
    const Options& options, Allocators* allocators = nullptr);

// Name of the method at `index`; reports the error and returns false if the program has none.
bool method_name(
    executorch::extension::Module* module, int index, Reporter& reporter, std::string* name);

}  // namespace probe
