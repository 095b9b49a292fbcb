// What the driver asks of one run.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recording.h"
#include "release.h"
#include "sandbox.h"
#include "session.h"
#include "values.h"

namespace probe {

// Sizes and contents of an input, in place of those that a variant makes.
using InputBytes = std::vector<uint8_t>;

enum class LoaderKind { kFile, kMmap, kBuffer, kGuarded };

// One way to call a method.
struct Variant {
  std::string name = "default";
  Values values = Values::kOnes;
  bool host_memory_for_device_inputs = false;  // unplanned, tagged for a device, given host memory
  bool device_memory_for_planned = false;      // planned, tagged for a device, given device memory
  bool give_outputs = true;                    // memory for outputs that are not planned
  int host_fill = 0;                           // first contents of host arenas; Module: 0
  int device_fill = -1;                        // first contents of device memory; -1 = as it comes
  int runs = 1;
};

// Known names: default, rising, falling, given, host_inputs, device_inputs, outputs_not_given,
// poisoned_device, poisoned_host, and these two with falling_ in front. False for any other.
bool variant_by_name(const std::string& name, Variant* variant);

struct Options {
  std::string mode;  // "run", "batch", "list", "devices", "fence"
  int report_fd = -1;
  int lifeline_fd = -1;
  std::string program;
  std::vector<std::string> data_files;
  std::vector<std::string> libraries;  // loaded before a program is
  LoaderKind loader = LoaderKind::kFile;
  bool full_verification = true;
  bool fall_back_to_minimal = false;  // batch: where full verification refuses, try minimal
  std::vector<Variant> variants;
  std::set<std::string> methods;  // names; empty = all
  Limits limits;
  int devices = 2;
  bool cuda = false;  // device memory
  int as_minor = kRuntimeMinor;  // runtime 1.x to replay, or the linked one itself
  std::set<std::string> strict;
  std::set<std::string> without_kernels;
  int filled_arena = 0;  // the only one to hold a variant's first contents; 0: all memory does
  size_t first_input = 0;  // inputs before this one are not set
  std::map<size_t, std::vector<int32_t>> input_sizes;  // given instead of the serialized ones
  std::map<size_t, InputBytes> input_data;  // contents of tensors, in the order of their memory
  std::vector<Session> sessions;  // made after the methods' own runs
  RecordingOptions recording;
  // Output arguments of delegate calls: (method index, chain, instruction) -> count.
  std::map<int, std::map<std::pair<int, int>, int>> delegate_outputs;
  std::vector<std::string> fence_missing;  // namespaces that this process could not have
  bool describe_methods = true;
  bool until_bad = false;  // no further variant of a method after one that went wrong
  int max_methods = 256;
  double total_seconds = 600;  // for all jobs of one program; what is left over is not run
};

// Reads `--name=value` words, and those in the file of `--arguments=path`; false and a sentence in
// `*error` for one it does not know.
bool parse_options(int argc, char** argv, Options* options, std::string* error);

}  // namespace probe
