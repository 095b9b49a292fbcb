// What runtimes before 1.5 did where 1.5 does otherwise, replayed on top of the installed one.
#pragma once

#include <executorch/runtime/executor/method.h>

#include <cstddef>
#include <string>

namespace probe {

// Makes every registered kernel whose name starts with `prefix` unfindable in this process, as in
// a runtime that does not have it. Returns how many there were.
size_t withdraw_kernels(const std::string& prefix);

// Withdraws what runtime 1.`minor` did not have yet.
void withdraw_newer_kernels(int minor);

// Makes backends that need a vendor's own software at run time unfindable, where the release has
// them in the same library as everything else: stand-ins take their place, as with newer releases.
void withdraw_vendors_backends();

// Method::set_input of 1.2 to 1.4 for a tensor: after the checks of dtype and size, a planned
// input is filled by memcpy wherever its memory is (1.5 refuses unless both sides are host).
// Other kinds of values go to the runtime's own set_input, which has not changed.
executorch::runtime::Error set_input_as_before_1_5(
    executorch::runtime::Method* method, const executorch::runtime::EValue& given, size_t index);

}  // namespace probe
