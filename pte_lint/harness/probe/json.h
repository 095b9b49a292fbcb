// A small JSON writer and a strict checker. Names from a program are hostile, so every string is
// escaped to ASCII and anything that is not UTF-8 becomes U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace probe {

// `text` as a JSON string, quotes included, ASCII only, at most `limit` bytes of `text` used.
std::string json_string(std::string_view text, size_t limit = 4096);

// A number; infinities and NaN, which JSON lacks, become the strings "inf", "-inf" and "nan".
std::string json_number(double value);

// Builds one object member by member: Object().add("a", 1).add("b", "text").str().
class Object {
 public:
  Object& raw(std::string_view key, std::string_view json);
  Object& add(std::string_view key, std::string_view text) { return raw(key, json_string(text)); }
  Object& add(std::string_view key, const char* text) {
    return text == nullptr ? raw(key, "null") : raw(key, json_string(text));
  }
  Object& add(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  Object& add(std::string_view key, int64_t value) { return raw(key, std::to_string(value)); }
  Object& add(std::string_view key, int value) { return raw(key, std::to_string(value)); }
  Object& add(std::string_view key, uint64_t value) { return raw(key, std::to_string(value)); }
  std::string str() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

// Builds one array of ready JSON texts.
class Array {
 public:
  Array& raw(std::string_view json);
  std::string str() const { return "[" + body_ + "]"; }

 private:
  std::string body_;
};

// True if `text` is exactly one JSON value (depth at most 32). A child may have been corrupted
// by the program it ran; what it sends is checked before it is passed on.
bool json_valid(std::string_view text);

}  // namespace probe
