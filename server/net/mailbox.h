// From the I/O thread to the tick: events in order of arrival, drained as a whole once a tick by
// swapping buffers. It is bounded by those who write: before reading on, a connection asks
// has_room() and counts what it has waiting here since the last drain (drain_count() tells it when
// that is gone).
#pragma once

#include <atomic>
#include <mutex>

#include "server/net/carrier.h"

namespace terrane {

/// Thread: any.
class Mailbox {
  public:
    explicit Mailbox(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    void push(ConnectionId connection, CarrierEventKind kind, std::span<const std::uint8_t> bytes,
              CloseReason reason = CloseReason::none);
    /// Swaps what is here into `events`, whose old content goes.
    void drain(CarrierEvents& events);
    bool has_room() const { return waiting_bytes_ < bytes_max_; }
    std::uint64_t drain_count() const { return drain_count_; }

  private:
    mutable std::mutex mutex_;
    CarrierEvents waiting_;
    const std::size_t bytes_max_;
    std::atomic<std::size_t> waiting_bytes_{0};  ///< frames and the events themselves
    std::atomic<std::uint64_t> drain_count_{0};
};

}  // namespace terrane
