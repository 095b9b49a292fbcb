// A data loader for finding reads past what was loaded, or of what was freed. It answers like the
// file loader, but the bytes of every load end right at pages that nobody may touch, and become
// such pages once they are freed. With other loaders such a read meets whatever lies there in
// memory and usually goes unseen.
#pragma once

#include <executorch/extension/data_loader/file_data_loader.h>

#include <memory>
#include <string>

namespace probe {

// A loader over the file at `path`, or the file loader's error. A fault beside loaded bytes is in
// the region "past_end" or "before_start", one in freed bytes in "freed". Loads keep the file
// loader's alignment of 16, so up to 15 bytes past the end stay readable.
executorch::runtime::Result<std::unique_ptr<executorch::runtime::DataLoader>> guarded_loader(
    const std::string& path);

}  // namespace probe
