#include "json.h"

#include <cmath>
#include <cstdio>

namespace probe {
namespace {

// Length of the well-formed UTF-8 sequence at `p` (1..4), or 0; the code point goes to `*point`.
size_t utf8_sequence(const unsigned char* p, size_t left, uint32_t* point) {
  static const uint32_t kLowest[5] = {0, 0, 0x80, 0x800, 0x10000};
  size_t length = p[0] < 0x80 ? 1 : (p[0] & 0xE0) == 0xC0 ? 2 : (p[0] & 0xF0) == 0xE0 ? 3
      : (p[0] & 0xF8) == 0xF0 ? 4 : 0;
  if (length == 0 || length > left) {
    return 0;
  }
  static const unsigned char kMask[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t value = p[0] & kMask[length];
  for (size_t i = 1; i < length; ++i) {
    if ((p[i] & 0xC0) != 0x80) {
      return 0;
    }
    value = (value << 6) | (p[i] & 0x3F);
  }
  if (value < kLowest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return 0;
  }
  *point = value;
  return length;
}

void append_unit(std::string* out, uint32_t unit) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(unit));
  *out += text;
}

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  bool whole() { return value(0) && at_ == text_.size(); }

 private:
  bool value(int depth) {
    if (depth > 32 || at_ >= text_.size()) {
      return false;
    }
    switch (text_[at_]) {
      case '{':
        return sequence('}', depth, true);
      case '[':
        return sequence(']', depth, false);
      case '"':
        return string();
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        return number();
    }
  }

  bool sequence(char close, int depth, bool keyed) {
    ++at_;
    if (take(close)) {
      return true;
    }
    do {
      if (keyed && !(string() && take(':'))) {
        return false;
      }
      if (!value(depth + 1)) {
        return false;
      }
    } while (take(','));
    return take(close);
  }

  bool string() {
    if (!take('"')) {
      return false;
    }
    while (at_ < text_.size()) {
      unsigned char c = static_cast<unsigned char>(text_[at_++]);
      if (c == '"') {
        return true;
      }
      if (c < 0x20 || c > 0x7E) {
        return false;  // json_string writes ASCII only
      }
      if (c == '\\' && !escape()) {
        return false;
      }
    }
    return false;
  }

  bool escape() {
    if (at_ >= text_.size()) {
      return false;
    }
    char c = text_[at_++];
    if (c != 'u') {
      return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    }
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ >= text_.size() ||
          std::string_view("0123456789abcdefABCDEF").find(text_[at_]) == std::string_view::npos) {
        return false;
      }
    }
    return true;
  }

  bool digits() {
    size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      ++at_;
    }
    return at_ > start;
  }

  bool number() {
    take('-');
    size_t start = at_;
    if (!digits() || (text_[start] == '0' && at_ > start + 1)) {
      return false;
    }
    if (take('.') && !digits()) {
      return false;
    }
    if (take('e') || take('E')) {
      if (!take('+')) {
        take('-');
      }
      return digits();
    }
    return true;
  }

  bool literal(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  bool take(char c) {
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string json_string(std::string_view text, size_t limit) {
  text = text.substr(0, limit);
  std::string out = "\"";
  const unsigned char* p = reinterpret_cast<const unsigned char*>(text.data());
  for (size_t i = 0; i < text.size();) {
    uint32_t point = 0;
    size_t length = utf8_sequence(p + i, text.size() - i, &point);
    if (length == 0) {
      point = 0xFFFD;
      length = 1;
    }
    i += length;
    if (point == '"' || point == '\\') {
      out += '\\';
      out += static_cast<char>(point);
    } else if (point >= 0x20 && point < 0x7F) {
      out += static_cast<char>(point);
    } else if (point > 0xFFFF) {
      append_unit(&out, 0xD800 + ((point - 0x10000) >> 10));
      append_unit(&out, 0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      append_unit(&out, point);
    }
  }
  return out + "\"";
}

std::string json_number(double value) {
  if (std::isnan(value)) {
    return "\"nan\"";
  }
  if (std::isinf(value)) {
    return value > 0 ? "\"inf\"" : "\"-inf\"";
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

Object& Object::raw(std::string_view key, std::string_view json) {
  if (!body_.empty()) {
    body_ += ',';
  }
  body_ += json_string(key);
  body_ += ':';
  body_ += json;
  return *this;
}

Array& Array::raw(std::string_view json) {
  if (!body_.empty()) {
    body_ += ',';
  }
  body_ += json;
  return *this;
}

bool json_valid(std::string_view text) { return Checker(text).whole(); }

}  // namespace probe
