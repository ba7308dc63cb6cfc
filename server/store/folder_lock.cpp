#include "server/store/folder_lock.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace terrane {
namespace {

std::string owner_of(int descriptor) {
    std::array<char, 24> text{};
    const ssize_t length = pread(descriptor, text.data(), text.size() - 1, 0);
    const std::string digits(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0U);
    const bool is_number =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? "process " + digits : "another process";
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::string& folder) {
    const std::string file = folder + "/zone.lock";
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        return fail("{}: cannot be opened: {}", file, std::strerror(errno));
    }
    FolderLock lock(descriptor);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        return fail("{}: {} hosts a zone with this data folder; stop it or choose another --data",
                    file, owner_of(descriptor));
    }
    // Only a message to people: a lock file that cannot be written still locks.
    const std::string owner = std::to_string(getpid());
    if (ftruncate(descriptor, 0) == 0) {
        static_cast<void>(pwrite(descriptor, owner.data(), owner.size(), 0));
    }
    return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

}  // namespace terrane
