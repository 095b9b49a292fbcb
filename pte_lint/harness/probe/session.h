// Calls of several methods on one module, as an application makes them: inputs as data, arenas that
// live on from call to call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace probe {

// A tensor with contents of its own, or an output of an earlier call of the session.
struct CallInput {
  int type = 0;  // scalar type
  std::vector<int32_t> sizes;
  std::vector<uint8_t> contents;  // repeated from the start where the tensor has more bytes
  int from_call = -1;
  int from_output = 0;
};

struct SessionCall {
  std::string method;
  std::vector<CallInput> inputs;
};

using Session = std::vector<SessionCall>;

// Words of the command line: `--session=` begins one, `--call=METHOD` a call of it,
// `--call-tensor=TYPE:SIZE,SIZE:HEX` and `--call-output=CALL:OUTPUT` are its inputs in order.
// False for a name that is none of these, or a value that is not understood.
bool parse_session_word(
    const std::string& name, const std::string& value, std::vector<Session>* sessions);

}  // namespace probe
