// One TCP connection and the counters of all, as tcp.cpp keeps them. Private to the room: it
// shows Asio.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include "server/net/carrier.h"

namespace terrane {

inline constexpr std::size_t kReadBytes = 4096;

/// Owner: TcpLoop and its coroutines. Thread: I/O.
///
///   reading --close()--> flushing, input dropped --all written--> shut for sending --peer closes
///   or
///      |                       |                                          |          linger is
///      over
///      +---- peer, error, bad frame, deadline, slow: at once -------------+--> closed
struct TcpConnection {
    TcpConnection(ConnectionId connection_id, asio::ip::tcp::socket connected,
                  std::string peer_address)
        : id(connection_id),
          socket(std::move(connected)),
          address(std::move(peer_address)),
          reader(kToServerBytesBeforeWelcomeMax),
          deadline(socket.get_executor()),
          gate(socket.get_executor()) {}

    ConnectionId id;
    asio::ip::tcp::socket socket;
    std::string address;
    FrameReader reader;
    asio::steady_timer deadline;  ///< login, later linger
    asio::steady_timer gate;      ///< waited for while reading pauses
    std::deque<SharedBytes> outbox;
    std::vector<asio::const_buffer> gather;  ///< of the write in flight: the front of outbox
    std::size_t inbox_bytes = 0;             ///< waiting in the mailbox since drain `inbox_drain`
    std::uint64_t inbox_drain = 0;
    std::chrono::steady_clock::time_point write_start;  ///< of the write in flight
    bool is_counted_by_address = false;
    bool is_writing = false;
    bool is_paused = false;
    bool is_closing = false;
    bool is_closed = false;
    std::array<std::uint8_t, kReadBytes> input;
};

using ConnectionPtr = std::shared_ptr<TcpConnection>;

struct AtomicStats {
    std::atomic<std::uint64_t> opened{0};
    std::atomic<std::uint64_t> refused_full{0};
    std::atomic<std::uint64_t> refused_address{0};
    std::atomic<std::uint64_t> accept_errors{0};
    std::atomic<std::uint64_t> frames_in{0};
    std::atomic<std::uint64_t> frames_out{0};
    std::atomic<std::uint64_t> bytes_in{0};
    std::atomic<std::uint64_t> bytes_out{0};
    std::atomic<std::uint64_t> read_pauses{0};
    std::array<std::atomic<std::uint64_t>, kCloseReasonCount> closed{};
};

}  // namespace terrane
