// The files that a program is loaded from, opened before the fence closes.
#pragma once

#include <string>

namespace probe {

// Opens a file now, for the loader that asks for it by this name later. A file that cannot be
// opened answers with the same error then.
void open_ahead(const std::string& path);

}  // namespace probe
