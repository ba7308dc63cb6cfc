#include "server/ops/ctl_socket.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <sys/stat.h>

namespace terrane {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSocketName = "ctl.sock";
constexpr const char* kNoteName = "ctl.path";

/// Nothing but a socket goes: a file of that name is somebody's.
Result<void> remove_stale(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (status.type() == fs::file_type::not_found) {
        return {};
    }
    if (status.type() != fs::file_type::socket) {
        return fail("{}: is in the way of the zone's ctl socket; remove it", path.string());
    }
    if (!fs::remove(path, error) && error) {
        return fail("{}: a stale socket that cannot be removed: {}", path.string(),
                    error.message());
    }
    return {};
}

Result<std::string> make_private_folder() {
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    for (const std::string& parent : {temporary.string(), std::string("/tmp")}) {
        std::string pattern = parent + "/terrane-XXXXXX";
        // A long TMPDIR would make the same trouble again.
        if (pattern.size() + 1 + std::strlen(kSocketName) <= kSocketPathBytesMax &&
            mkdtemp(pattern.data()) != nullptr) {
            return pattern;
        }
    }
    return fail("no private folder for the ctl socket in {} or /tmp: {}", temporary.string(),
                std::strerror(errno));
}

}  // namespace

Result<CtlSocketPlace> CtlSocketPlace::choose(const std::string& data_folder) {
    if (data_folder.empty()) {
        return choose_private(data_folder);
    }
    std::error_code error;
    const fs::path path = fs::absolute(fs::path(data_folder) / kSocketName, error);
    if (auto removed = remove_stale(path); !removed) {
        return std::unexpected(removed.error());
    }
    fs::remove(fs::path(data_folder) / kNoteName, error);
    if (path.string().size() > kSocketPathBytesMax) {
        return choose_private(data_folder);
    }
    CtlSocketPlace place;
    place.path_ = path.string();
    return place;
}

Result<CtlSocketPlace> CtlSocketPlace::choose_private(const std::string& data_folder) {
    Result<std::string> folder = make_private_folder();
    if (!folder) {
        return std::unexpected(folder.error());
    }
    CtlSocketPlace place;
    place.folder_ = *folder;
    place.path_ = *folder + "/" + kSocketName;
    if (!data_folder.empty()) {
        place.note_ = (fs::path(data_folder) / kNoteName).string();
        std::ofstream note(place.note_, std::ios::trunc);
        note << place.path_ << "\n" << std::flush;
        if (!note) {
            return fail("{}: cannot be written", place.note_);
        }
    }
    return place;
}

CtlSocketPlace::CtlSocketPlace(CtlSocketPlace&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      folder_(std::exchange(other.folder_, {})),
      note_(std::exchange(other.note_, {})) {}

CtlSocketPlace& CtlSocketPlace::operator=(CtlSocketPlace&& other) noexcept {
    remove();
    path_ = std::exchange(other.path_, {});
    folder_ = std::exchange(other.folder_, {});
    note_ = std::exchange(other.note_, {});
    return *this;
}

CtlSocketPlace::~CtlSocketPlace() {
    remove();
}

void CtlSocketPlace::remove() {
    std::error_code ignored;
    for (const std::string& made : {path_, note_, folder_}) {  // the folder last: it is empty then
        if (!made.empty()) {
            fs::remove(made, ignored);
        }
    }
}

std::string find_ctl_socket(const std::string& data_folder) {
    std::ifstream note(fs::path(data_folder) / kNoteName);
    std::string path;
    if (std::getline(note, path) && !path.empty()) {
        return path;
    }
    return (fs::path(data_folder) / kSocketName).string();
}

}  // namespace terrane
