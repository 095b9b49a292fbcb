// How a child tells its parent what happens. Two ways, because each survives what the other does
// not: frames on a pipe (facts, in order, complete once written) and one shared page (where the
// child is right now, readable after a crash or a kill).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace probe {

// The stages of a job, in the words of the product's contract where it has one.
enum class Stage : int32_t {
  kStart = 0,
  kLoadProgram,
  kListMethods,
  kMethodMeta,
  kLoadMethod,
  kSetOutput,
  kSetInput,
  kExecute,
  kGetOutput,
  kDone,
};
const char* stage_name(Stage stage);

// Lives in memory shared between parent and child. Plain fields: written by one child only, read
// by the parent after the child is gone.
struct SharedPage {
  volatile int32_t stage;
  volatile int32_t chain;         // chain of the instruction last started, -1 before the first
  volatile int32_t instruction;   // its index in the chain
  volatile int32_t executing;     // 1 between the start of the first instruction and the end
  volatile uint64_t instructions; // instructions started so far
  volatile uint64_t h2d_bytes, d2h_bytes;
  volatile uint64_t h2d_copies, d2h_copies;
  volatile int32_t input;         // method input being set, -1 otherwise
  volatile int32_t crash_signal;  // 0 = no crash handler ran
  volatile int32_t crash_code;
  volatile uint64_t crash_address;
  volatile uint64_t crash_offset; // from the start of the region, if it lies in one
  char crash_region[24];          // name of a region, "null", "other"; "" = no address
};

// The page of the running child (of this process, after fork).
SharedPage& page();
// Parent side: one page for the life of the process, cleared before each child.
void reset_page();

// Frame kinds on the pipe: 'M' member, 'A' list element, 'N' note to the parent, 'F' finished.
// The mark is a random number of the job's own: what is written to the pipe by accident, or by
// something that only knows the descriptor, is no frame.
struct FrameHeader {
  uint64_t mark;
  uint32_t kind;
  uint32_t key_length;
  uint32_t value_length;
  uint32_t zero;
};

// Child side.
class Reporter {
 public:
  Reporter(int fd, uint64_t mark) : fd_(fd), mark_(mark) {}
  Reporter(const Reporter&) = delete;

  // Sets a member of the job's record; a second value for a key replaces the first.
  void member(std::string_view key, std::string_view json);
  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, int64_t value);
  // Appends to a list of the record. Beyond `kListLimit` elements only a count is kept.
  void append(std::string_view key, std::string_view json);
  bool has_room(std::string_view key);
  // A fact the parent needs to plan further jobs.
  void note(std::string_view key, int64_t value);
  // The stage now begun; what happens from here on belongs to it.
  void stage(Stage stage);
  void error(uint32_t code);
  void finish();

  static constexpr size_t kListLimit = 400;

 private:
  void send(char kind, std::string_view key, std::string_view value);
  int fd_;
  uint64_t mark_;
  std::mutex lock_;  // a delegate's worker threads may log
  std::unordered_map<std::string, size_t> lengths_;
};

// The reporter of the running child; the log sink and the device allocator need one.
Reporter* reporter();
void set_reporter(Reporter* reporter);

// While one of these lives, log lines are dropped: questions that the probe asks for itself, and an
// application would not, leave no trace in the record.
class Quiet {
 public:
  Quiet();
  ~Quiet();
};

// Registers the runtime's log sink: every line goes to the list "logs" of the record.
void capture_logs();

}  // namespace probe
