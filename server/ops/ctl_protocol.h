// The operator's line to a running zone, over its Unix socket: one line in, one line of JSON out.
//
//   say hello everybody\n        --> {"exit":0,"answer":{"said":"hello everybody"}}\n
//   spawn crat 0 40 0\n          --> {"exit":2,"error":"spawn: no kind 'crat'; ..."}\n
//
// The first word is the verb, words are parted by blanks, and the text of a verb that takes one is
// the rest of the line. "exit" is what terrane-ctl exits with: 1 = could not, 2 = wrong usage.
// Requests wait in the mailbox until the tick thread takes them; their number is bounded.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/net/stream_server.h"

namespace terrane {

inline constexpr std::size_t kCtlRequestBytesMax = 1024;
inline constexpr std::size_t kCtlWaitingMax = 16;

struct CtlRequest {
    StreamId stream = 0;
    std::string line;  ///< without its end
};

/// Thread: any.
class CtlMailbox {
  public:
    /// false: full.
    bool push(CtlRequest request);
    /// Moves what waits into `requests`, whose old content goes. Costs nothing if nothing waits.
    void take(std::vector<CtlRequest>& requests);
    std::size_t size() const { return size_; }

  private:
    std::mutex mutex_;
    std::vector<CtlRequest> waiting_;
    std::atomic<std::size_t> size_{0};
};

/// `json`: an object.
std::string ctl_answer(std::string_view json);
/// `exit`: 1 or 2. `line` says what is wrong and what would be right.
std::string ctl_error(int exit, std::string_view line);

/// For a StreamServer; `mailbox` must outlive it.
StreamProtocol ctl_protocol(CtlMailbox& mailbox);
StreamLimits ctl_limits();

}  // namespace terrane
