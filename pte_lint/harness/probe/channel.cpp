#include "channel.h"

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/platform.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "json.h"
#include "values.h"

namespace probe {
namespace {

SharedPage* shared_page = nullptr;
Reporter* current_reporter = nullptr;
int quiet_depth = 0;

// The page sits between two unreadable ones, so that a stray write of a broken program faults
// instead of falsifying the record.
SharedPage* map_page() {
  const size_t unit = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* base = static_cast<char*>(
      mmap(nullptr, 3 * unit, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (base == MAP_FAILED || mprotect(base + unit, unit, PROT_READ | PROT_WRITE) != 0) {
    std::abort();
  }
  return reinterpret_cast<SharedPage*>(base + unit);
}

void emit_log(
    et_timestamp_t,
    et_pal_log_level_t level,
    const char* filename,
    const char*,
    size_t line,
    const char* message,
    size_t length) {
  if (current_reporter == nullptr || quiet_depth > 0) {
    return;
  }
  char head[160];
  const char* slash = std::strrchr(filename, '/');
  const char* file = slash != nullptr ? slash + 1 : filename;
  if (level == kInfo && std::strcmp(file, "cpuinfo_utils.cpp") == 0) {
    return;  // about this machine's processor, not about the program
  }
  std::snprintf(head, sizeof head, "%c %s:%zu ", static_cast<char>(level), file, line);
  std::string text = std::string(head) + std::string(message, length);
  current_reporter->append("logs", json_string(text, 800));
}

bool write_all(int fd, const char* data, size_t size) {
  while (size > 0) {
    ssize_t sent = write(fd, data, size);
    if (sent < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

}  // namespace

const char* stage_name(Stage stage) {
  switch (stage) {
    case Stage::kStart:
      return "start";
    case Stage::kLoadProgram:
      return "load_program";
    case Stage::kListMethods:
      return "list_methods";
    case Stage::kMethodMeta:
      return "method_meta";
    case Stage::kLoadMethod:
      return "load_method";
    case Stage::kSetOutput:
      return "set_output";
    case Stage::kSetInput:
      return "set_input";
    case Stage::kExecute:
      return "execute";
    case Stage::kGetOutput:
      return "get_output";
    case Stage::kDone:
      return "done";
  }
  return "start";
}

SharedPage& page() {
  if (shared_page == nullptr) {
    shared_page = map_page();
  }
  return *shared_page;
}

void reset_page() {
  std::memset(&page(), 0, sizeof(SharedPage));
  page().chain = -1;
  page().instruction = -1;
  page().input = -1;
}

Reporter* reporter() { return current_reporter; }
void set_reporter(Reporter* reporter) { current_reporter = reporter; }

void Reporter::send(char kind, std::string_view key, std::string_view value) {
  FrameHeader header{
      mark_, static_cast<uint32_t>(kind), static_cast<uint32_t>(key.size()),
      static_cast<uint32_t>(value.size()), 0};
  std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
  frame += key;
  frame += value;
  write_all(fd_, frame.data(), frame.size());
}

void Reporter::member(std::string_view key, std::string_view json) {
  std::lock_guard<std::mutex> hold(lock_);
  send('M', key, json);
}

void Reporter::text(std::string_view key, std::string_view value) {
  member(key, json_string(value));
}

void Reporter::number(std::string_view key, int64_t value) { member(key, std::to_string(value)); }

void Reporter::append(std::string_view key, std::string_view json) {
  std::lock_guard<std::mutex> hold(lock_);
  size_t& length = lengths_[std::string(key)];
  ++length;
  if (length <= kListLimit) {
    send('A', key, json);
  } else if ((length & (length - 1)) == 0 || length % 4096 == 0) {
    // Tell the count now and then: a list that never ends must not flood the pipe.
    send('M', std::string(key) + "_dropped", std::to_string(length - kListLimit));
  }
}

bool Reporter::has_room(std::string_view key) {
  std::lock_guard<std::mutex> hold(lock_);
  auto length = lengths_.find(std::string(key));
  return length == lengths_.end() || length->second < kListLimit;
}

void Reporter::note(std::string_view key, int64_t value) {
  std::lock_guard<std::mutex> hold(lock_);
  send('N', key, std::to_string(value));
}

void Reporter::stage(Stage stage) { page().stage = static_cast<int32_t>(stage); }

void Reporter::error(uint32_t code) {
  number("error_code", code);
  text("error", error_name(static_cast<executorch::runtime::Error>(code)));
}

void Reporter::finish() {
  for (auto& [key, length] : lengths_) {
    if (length > kListLimit) {
      send('M', key + "_dropped", std::to_string(length - kListLimit));
    }
  }
  send('F', "", "");
}

Quiet::Quiet() { ++quiet_depth; }
Quiet::~Quiet() { --quiet_depth; }

void capture_logs() {
  executorch::runtime::register_pal(
      executorch::runtime::PalImpl::create(emit_log, "pte-lint probe"));
}

}  // namespace probe
