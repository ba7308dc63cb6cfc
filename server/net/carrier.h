// A carrier moves frames (shared/protocol/framing.h) between the zone and its connections. It knows
// nothing of what is in them. Two kinds: tcp.h for players, loopback.h in process, without threads,
// for tests and virtual time.
//
//   I/O side --> mailbox (bounded) --> poll(): opened, message ..., closed     for each connection
//   tick     --> send(), close(), admit() --> flush() --> outboxes (bounded) --> I/O side
//
// A connection is opened once and closed once; its messages lie between. Until admit() it must not
// send messages over kToServerBytesBeforeWelcomeMax and is closed at the login deadline.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/core/result.h"
#include "shared/protocol/framing.h"

namespace terrane {

/// Grows from 1, never used again in a process.
using ConnectionId = std::uint64_t;

enum class CloseReason : std::uint8_t {
    none,
    by_peer,         ///< the other end closed
    by_zone,         ///< close() was called
    bad_frame,       ///< a length out of limits
    login_deadline,  ///< not admitted in time
    slow,            ///< its outbox was full
    io_error,
    stopping,
};
inline constexpr std::size_t kCloseReasonCount = 8;
const char* name_of(CloseReason reason);

/// Of this machine, or in process (CarrierEvents::address_of).
inline bool is_loopback_address(std::string_view address) {
    return address.starts_with("127.") || address == "::1" || address == "loopback";
}

enum class CarrierEventKind : std::uint8_t { opened, message, closed };

struct CarrierEvent {
    ConnectionId connection = 0;
    std::uint32_t offset = 0;  ///< of its bytes in CarrierEvents::bytes
    std::uint32_t size = 0;
    CarrierEventKind kind = CarrierEventKind::opened;
    CloseReason reason = CloseReason::none;  ///< closed only
};

/// What came since the last poll. Reused from poll to poll, so that a warm tick allocates nothing.
struct CarrierEvents {
    std::vector<CarrierEvent> events;
    AlignedBytes bytes;

    /// message: the frame, at a multiple of 8.
    std::span<const std::uint8_t> frame_of(const CarrierEvent& event) const {
        return bytes.span().subspan(event.offset, event.size);
    }
    /// opened: the peer's address without port, "loopback" in process.
    std::string_view address_of(const CarrierEvent& event) const;
    void add(ConnectionId connection, CarrierEventKind kind, std::span<const std::uint8_t> bytes,
             CloseReason reason = CloseReason::none);
    void clear();
};

struct CarrierLimits {
    /// Bytes of one connection that wait in the mailbox; then reading it pauses until the next
    /// poll.
    std::size_t inbox_bytes_max = 128 * 1024;
    /// Of all together.
    std::size_t mailbox_bytes_max = 32 * 1024 * 1024;
    /// Bytes not yet taken by the peer's socket; one more and the connection is closed as slow.
    std::size_t outbox_bytes_max = 4 * 1024 * 1024;
    std::size_t connections_max = 4096;
    std::size_t connections_per_address_max = 8;  ///< not for loopback addresses
    std::uint32_t login_deadline_ms = 5000;       ///< absolute, from accept to admit()
    std::uint32_t linger_ms = 1000;               ///< for the last messages after close()
    /// A write that the peer has not taken by then closes the connection as slow.
    std::uint32_t write_deadline_ms = 10'000;
};

struct CarrierStats {
    std::uint64_t opened = 0;
    std::uint64_t refused_full = 0;
    std::uint64_t refused_address = 0;
    std::uint64_t accept_errors = 0;
    std::uint64_t frames_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t read_pauses = 0;
    std::array<std::uint64_t, kCloseReasonCount> closed{};  ///< by CloseReason
};

class Carrier {
  public:
    Carrier() = default;
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;
    virtual ~Carrier() = default;

    virtual Result<void> start() = 0;
    /// New connections are refused from now on; those that are open go on.
    virtual void stop_accepting() = 0;
    /// Closes all connections; what was flushed before goes out for at most linger_ms.
    virtual void stop() = 0;
    /// Replaces `events` by what came since the last call. Thread: tick.
    virtual void poll(CarrierEvents& events) = 0;
    /// Queues a frame for the next flush. false: the connection is unknown, closing, or its outbox
    /// is full, in which case it will be closed as slow. Thread: any; frames of one thread keep
    /// order.
    virtual bool send(ConnectionId connection, SharedBytes frame) = 0;
    /// Bytes sent but not yet taken by the peer's socket; 0 if unknown. Thread: any.
    virtual std::size_t queued_bytes(ConnectionId connection) const = 0;
    /// Lifts the login deadline and the small message limit.
    virtual void admit(ConnectionId connection) = 0;
    /// After what was sent before; later input is dropped. `closed` still follows.
    virtual void close(ConnectionId connection) = 0;
    /// Wakes the I/O side once for all that was queued: call at the end of a tick.
    virtual void flush() = 0;
    virtual CarrierStats stats() const = 0;
};

}  // namespace terrane
