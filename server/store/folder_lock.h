// One zone a data folder: an flock on <folder>/zone.lock for as long as the store is open. The
// kernel drops it with the process, however that ends. The file holds the owner's process id, for
// the line that refuses a second zone.
#pragma once

#include <string>

#include "shared/core/result.h"

namespace terrane {

class FolderLock {
  public:
    /// Never waits.
    static Result<FolderLock> take(const std::string& folder);
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&&) = delete;
    ~FolderLock();

  private:
    explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

}  // namespace terrane
