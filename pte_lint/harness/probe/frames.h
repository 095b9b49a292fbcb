// Parent side of the pipe: puts the frames of a child together again, distrustfully.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "json.h"

namespace probe {

class FrameReader {
 public:
  explicit FrameReader(uint64_t mark) : mark_(mark) {}

  // Reads once from `fd`; false at end of file, or when the stream cannot be understood any more.
  bool feed(int fd);

  Object record() const;  // members and lists so far, in the order of their first mention
  const std::map<std::string, int64_t>& notes() const { return notes_; }
  bool finished() const { return finished_; }
  bool damaged() const { return damaged_; }
  bool has(const std::string& key) const { return values_.count(key) != 0; }

 private:
  bool take_frames();
  void accept(char kind, const std::string& key, const std::string& value);

  uint64_t mark_;
  static constexpr size_t kMaxTotal = 32u << 20;
  static constexpr size_t kMaxNotes = 4096;
  std::string pending_;
  size_t total_ = 0;
  std::vector<std::string> order_;
  std::map<std::string, std::string> values_;
  std::map<std::string, Array> lists_;
  std::map<std::string, int64_t> notes_;
  bool finished_ = false;
  bool damaged_ = false;  // something in the stream made no sense
  bool lost_ = false;     // and what follows cannot be told apart any more
};

}  // namespace probe
