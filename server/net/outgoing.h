// From the tick to the I/O thread of a carrier: orders, taken as a whole after a flush, and for
// each connection the bytes that were sent but not yet written, so that send() can refuse at once.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "server/net/carrier.h"

namespace terrane {

struct Order {
    enum class Kind : std::uint8_t { send, admit, close, drop_slow };

    Kind kind = Kind::send;
    ConnectionId connection = 0;
    SharedBytes frame;  ///< send only
};

/// Thread: any.
class Outgoing {
  public:
    explicit Outgoing(std::size_t outbox_bytes_max) : outbox_bytes_max_(outbox_bytes_max) {}

    void add_connection(ConnectionId id);
    void remove_connection(ConnectionId id);
    bool send(ConnectionId id, SharedBytes frame);
    void admit(ConnectionId id);
    void close(ConnectionId id);
    std::size_t queued_bytes(ConnectionId id) const;
    /// `bytes` of a connection's frames were written.
    void note_written(ConnectionId id, std::size_t bytes);
    bool is_empty() const;
    /// Swaps the orders into `orders`, whose old content goes.
    void take(std::vector<Order>& orders);

  private:
    struct Outbox {
        std::size_t queued_bytes = 0;
        bool is_closing = false;
    };
    mutable std::mutex mutex_;
    std::vector<Order> orders_;
    std::unordered_map<ConnectionId, Outbox> outboxes_;
    const std::size_t outbox_bytes_max_;
};

}  // namespace terrane
