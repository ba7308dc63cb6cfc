// A byte stream from a client to the zone. ByteStream is what a session talks to: a socket, or the
// two queues of a carrier inside one process (tests). Nothing here waits or throws: the owner
// polls, and a stream that ends says why.
//
//   TcpConnector::start ──> connecting ──> open ──> closed (close_reason)
//                               └─────────────────────^   refused, or no answer in time
//
// One TcpConnector serves any number of streams of one thread; its wait() sleeps until one of them
// has something to say. Bytes that the socket does not take wait in the stream, up to a limit: a
// zone that stops reading ends the stream instead of filling the client's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/core/clock.h"
#include "shared/core/result.h"

namespace terrane {

/// Bytes that may wait for the socket.
inline constexpr std::size_t kSendWaitingBytesMax = 1U << 20;
/// Bytes that one receive() takes from the socket; the rest is there the next time.
inline constexpr std::size_t kReceiveBytesMax = 1U << 20;

/// Thread: its owner's.
class ByteStream {
  public:
    virtual ~ByteStream() = default;

    /// Takes all of `bytes`, in order; sends what it can now. No effect once closed.
    virtual void send(std::span<const std::uint8_t> bytes) = 0;
    /// Appends what has arrived to `out`; returns how many bytes. Never waits.
    virtual std::size_t receive(std::vector<std::uint8_t>& out) = 0;
    /// Not closed yet: connecting or open.
    virtual bool is_open() const = 0;
    /// Open, but nobody has answered yet; send() keeps the bytes.
    virtual bool is_connecting() const { return false; }
    /// Empty while open.
    virtual const std::string& close_reason() const = 0;
    virtual void close(std::string_view reason) = 0;
};

struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};

/// "127.0.0.1:7777", "zone.example.org:7777", "[::1]:7777". The error says what would be right.
Result<HostPort> parse_host_port(std::string_view text);
std::string to_string(const HostPort& address);

/// Thread: one, the same as its streams'.
class TcpConnector {
  public:
    TcpConnector();
    ~TcpConnector();
    TcpConnector(const TcpConnector&) = delete;
    TcpConnector& operator=(const TcpConnector&) = delete;

    /// Starts connecting and returns at once (a name is looked up once and remembered). `tag` names
    /// the stream in wait(). The stream may outlive the connector.
    std::unique_ptr<ByteStream> start(const HostPort& address, Nanoseconds timeout,
                                      std::uint64_t tag);
    /// Sleeps until `timeout` has passed or streams have bytes, opened or closed; appends their
    /// tags.
    void wait(Nanoseconds timeout, std::vector<std::uint64_t>& ready);

    struct State;

  private:
    std::shared_ptr<State> state_;
};

/// One stream with a connector of its own. Waits until it is open:
/// "cannot connect to 127.0.0.1:7777: Connection refused".
Result<std::unique_ptr<ByteStream>> connect_tcp(const HostPort& address, Nanoseconds timeout);

}  // namespace terrane
