// What a method's calls read and wrote, for the process that asked: in memory that it shares with
// this one and its children. A child writes there and nothing else reads it here, so the reader has
// to distrust all of it (pte_lint/harness/recording.py).
//
//   0  magic
//   8  first record (0 = none)
//  16  number of the first call that had no room, plus 1 (0 = all had)
//  24  calls made
//  32  records and contents: a record is {next, length, JSON}, 0 = the last one.
#pragma once

#include <executorch/runtime/core/evalue.h>

#include <cstdint>
#include <map>
#include <string>

#include "json.h"

namespace probe {

// Which arguments of a kernel are given to it, and which it writes: [0, inputs), [first, end).
struct KernelShape {
  int inputs = 0;
  int first = 0;
  int end = 0;
};

struct RecordingOptions {
  int fd = -1;                                  // of the shared memory
  int64_t from = 0;                             // calls before this one are not recorded;
                                                // kernels' and delegates' are counted together
  std::map<std::string, KernelShape> kernels;   // of others all arguments are, and the last one
};

// Maps the memory; in the probe, before any child. False if it cannot be had.
bool open_recording(const RecordingOptions& options);
bool is_recording();

// In the child, before the method is loaded: wraps every kernel of the registry.
void record_kernels();

// One delegate call at a time. Its arguments are told of when it is over, inputs too.
class DelegateRecord {
 public:
  void begin();
  void argument(const executorch::runtime::EValue& value);
  void end();

 private:
  int64_t call_ = -1;  // -1: not recorded
  Array args_;
};

// A value that is not a call's: "input" or "output".
void record_value(const char* kind, int64_t index, const executorch::runtime::EValue& value);

}  // namespace probe
