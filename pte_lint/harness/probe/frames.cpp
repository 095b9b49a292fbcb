#include "frames.h"

#include <errno.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "channel.h"

namespace probe {

bool FrameReader::feed(int fd) {
  char buffer[65536];
  ssize_t got = read(fd, buffer, sizeof buffer);
  if (got < 0) {
    return errno == EINTR || errno == EAGAIN;
  }
  if (got == 0) {
    return false;
  }
  total_ += static_cast<size_t>(got);
  if (lost_ || total_ > kMaxTotal) {
    damaged_ = true;
    lost_ = true;
    return true;  // keep emptying the pipe, so that the child is not blocked on it
  }
  pending_.append(buffer, static_cast<size_t>(got));
  if (!take_frames()) {
    damaged_ = true;
    lost_ = true;
    pending_.clear();
  }
  return true;
}

bool FrameReader::take_frames() {
  size_t at = 0;
  while (pending_.size() - at >= sizeof(FrameHeader)) {
    FrameHeader header;
    std::memcpy(&header, pending_.data() + at, sizeof header);
    if (header.mark != mark_ || header.zero != 0 || header.key_length > 256 ||
        header.value_length > kMaxTotal) {
      return false;
    }
    size_t size = sizeof header + header.key_length + header.value_length;
    if (pending_.size() - at < size) {
      break;
    }
    const char* text = pending_.data() + at + sizeof header;
    accept(
        static_cast<char>(header.kind), std::string(text, header.key_length),
        std::string(text + header.key_length, header.value_length));
    at += size;
  }
  pending_.erase(0, at);
  return true;
}

void FrameReader::accept(char kind, const std::string& key, const std::string& value) {
  if (finished_) {
    damaged_ = true;  // the last word was said
    return;
  }
  if (kind == 'F') {
    finished_ = true;
    return;
  }
  if (kind == 'N') {
    if (notes_.size() < kMaxNotes) {
      notes_[key] = std::strtoll(value.c_str(), nullptr, 10);
    }
    return;
  }
  if ((kind != 'M' && kind != 'A') || !json_valid(value)) {
    damaged_ = true;
    return;
  }
  if (values_.count(key) == 0 && lists_.count(key) == 0) {
    order_.push_back(key);
  }
  if (kind == 'M') {
    values_[key] = value;
  } else {
    lists_[key].raw(value);
  }
}

Object FrameReader::record() const {
  Object record;
  for (const std::string& key : order_) {
    auto list = lists_.find(key);
    record.raw(key, list != lists_.end() ? list->second.str() : values_.at(key));
  }
  if (damaged_) {
    record.add("damaged", true);
  }
  return record;
}

}  // namespace probe
