// Where a zone's ctl socket lies, and how its operator finds it:
//
//   DATA/ctl.sock     as a rule
//   DATA/ctl.path     holds the socket's path, if DATA/ctl.sock would be too long for a socket or
//                     DATA's file system knows none; it is then in a private folder among the
//                     temporary ones
//   no DATA           (ephemeral zone) the private folder; the ready file and the log name it
//
// Whoever holds the store's lock on DATA may replace what a killed zone left there.
#pragma once

#include <string>

#include "shared/core/result.h"

namespace terrane {

/// sockaddr_un holds 108 bytes with the 0 at the end.
inline constexpr std::size_t kSocketPathBytesMax = 107;

/// Removes what it made when it goes: socket, note, private folder.
class CtlSocketPlace {
  public:
    /// In `data_folder`, or privately if it is empty. Removes a stale socket. Call only with the
    /// folder's lock held.
    static Result<CtlSocketPlace> choose(const std::string& data_folder);
    /// Privately, with a note in `data_folder` if it is not empty.
    static Result<CtlSocketPlace> choose_private(const std::string& data_folder);

    CtlSocketPlace() = default;
    CtlSocketPlace(CtlSocketPlace&& other) noexcept;
    CtlSocketPlace& operator=(CtlSocketPlace&& other) noexcept;
    ~CtlSocketPlace();

    /// Absolute; empty: none.
    const std::string& path() const { return path_; }
    bool is_private() const { return !folder_.empty(); }

  private:
    void remove();

    std::string path_;
    std::string folder_;  ///< the private one
    std::string note_;
};

/// The socket of the zone that runs, or ran last, with `data_folder`.
std::string find_ctl_socket(const std::string& data_folder);

}  // namespace terrane
