#include "session.h"

#include <cstdio>
#include <cstdlib>

namespace probe {
namespace {

// `SIZE,SIZE`; none are those of a tensor without dimensions.
bool parse_sizes(const std::string& text, std::vector<int32_t>* sizes) {
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const long size = std::strtol(at, &end, 10);
    if (end == at || size < 0 || size > INT32_MAX || (*end != ',' && *end != '\0')) {
      return false;
    }
    sizes->push_back(static_cast<int32_t>(size));
    at = *end == ',' ? end + 1 : end;
  }
  return true;
}

bool parse_hex(const std::string& text, std::vector<uint8_t>* bytes) {
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return false;
  }
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes->push_back(static_cast<uint8_t>(std::strtoul(text.substr(i, 2).c_str(), nullptr, 16)));
  }
  return true;
}

// `TYPE:SIZE,SIZE:HEX`
bool parse_tensor(const std::string& text, CallInput* input) {
  const size_t first = text.find(':');
  const size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) {
    return false;
  }
  input->type = std::atoi(text.c_str());
  return parse_sizes(text.substr(first + 1, second - first - 1), &input->sizes) &&
      parse_hex(text.substr(second + 1), &input->contents);
}

}  // namespace

bool parse_session_word(
    const std::string& name, const std::string& value, std::vector<Session>* sessions) {
  if (name == "session") {
    sessions->emplace_back();
    return true;
  }
  if (sessions->empty()) {
    return false;
  }
  Session& session = sessions->back();
  if (name == "call") {
    session.push_back({value, {}});
    return true;
  }
  if (session.empty()) {
    return false;
  }
  CallInput& input = session.back().inputs.emplace_back();
  if (name == "call-tensor") {
    return parse_tensor(value, &input);
  }
  return name == "call-output" &&
      std::sscanf(value.c_str(), "%d:%d", &input.from_call, &input.from_output) == 2;
}

}  // namespace probe
