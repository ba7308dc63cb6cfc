// Short conversations over byte streams, beside the carriers: somebody connects (TCP or a Unix
// socket), sends one request, gets one answer, and the stream closes. What a request is, and what
// answers it, is a function of the owner (ops: HTTP and ctl). One I/O thread runs all listeners
// (Asio, in stream_server.cpp only).
//
//   accepted --> reading --protocol says answer-----------------> answering --> drained --> closed
//                  |    \--protocol says later--> waiting --answer()--^  ^
//                  +--> too long, too late: the listener's text for it ---+
//
// Bounds, each with its answer: connections (the text too_many, and beyond twice as many closed at
// once), bytes of a request (too_long), time for the whole request, however it trickles (too_late),
// time for the owner's answer (no_answer), time to take the answer (closed).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "shared/core/result.h"

namespace terrane {

/// Grows from 1, never used again in a process.
using StreamId = std::uint64_t;

struct StreamLimits {
    std::size_t connections_max = 32;
    std::size_t request_bytes_max = 8 * 1024;
    std::uint32_t request_deadline_ms = 5'000;
    std::uint32_t answer_deadline_ms = 60'000;  ///< until the owner's answer()
    std::uint32_t write_deadline_ms = 10'000;   ///< until the peer has taken it
    std::uint32_t linger_ms = 1'000;            ///< for the peer to close after it
};

struct StreamReply {
    enum class Kind : std::uint8_t {
        more,    ///< the request is not whole yet
        answer,  ///< `bytes`, then the end
        later,   ///< the owner calls StreamServer::answer
    };
    Kind kind = Kind::more;
    std::string bytes;
};

struct StreamProtocol {
    /// What to say to a request of which `input` has come so far. Thread: I/O; must not wait.
    std::function<StreamReply(StreamId stream, std::string_view input)> receive;
    std::string too_many;
    std::string too_long;
    std::string too_late;
    std::string no_answer;
};

/// Since the start.
struct StreamStats {
    std::uint64_t accepted = 0;
    std::uint64_t answered = 0;
    std::uint64_t too_many = 0;
    std::uint64_t too_long = 0;
    std::uint64_t too_late = 0;
    std::uint64_t no_answer = 0;
};

class StreamServer {
  public:
    StreamServer();
    ~StreamServer();  ///< stops
    StreamServer(const StreamServer&) = delete;
    StreamServer& operator=(const StreamServer&) = delete;

    /// The port is ours from here on and answers once start() was called. Returns the port; `port`
    /// 0 takes a free one. Before start().
    Result<std::uint16_t> listen_tcp(const std::string& address, std::uint16_t port,
                                     const StreamLimits& limits, StreamProtocol protocol);
    /// A socket file that only its owner may use (mode 0600); nothing may lie at `path`. Before
    /// start().
    Result<void> listen_unix(const std::string& path, const StreamLimits& limits,
                             StreamProtocol protocol);
    void start();
    /// Answers a stream that waits; nothing if it is gone. Thread: any.
    void answer(StreamId stream, std::string bytes);
    /// Closes all listeners; streams that were answered get their answer for at most linger_ms.
    void stop();
    StreamStats stats() const;

  private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace terrane
