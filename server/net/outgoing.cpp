#include "server/net/outgoing.h"

#include <utility>

namespace terrane {

void Outgoing::add_connection(ConnectionId id) {
    const std::lock_guard lock(mutex_);
    outboxes_.emplace(id, Outbox{});
}

void Outgoing::remove_connection(ConnectionId id) {
    const std::lock_guard lock(mutex_);
    outboxes_.erase(id);
}

bool Outgoing::send(ConnectionId id, SharedBytes frame) {
    const std::lock_guard lock(mutex_);
    const auto it = outboxes_.find(id);
    if (it == outboxes_.end() || it->second.is_closing) {
        return false;
    }
    if (it->second.queued_bytes + frame->size() > outbox_bytes_max_) {
        it->second.is_closing = true;
        orders_.push_back({.kind = Order::Kind::drop_slow, .connection = id, .frame = nullptr});
        return false;
    }
    it->second.queued_bytes += frame->size();
    orders_.push_back({.kind = Order::Kind::send, .connection = id, .frame = std::move(frame)});
    return true;
}

void Outgoing::admit(ConnectionId id) {
    const std::lock_guard lock(mutex_);
    orders_.push_back({.kind = Order::Kind::admit, .connection = id, .frame = nullptr});
}

void Outgoing::close(ConnectionId id) {
    const std::lock_guard lock(mutex_);
    const auto it = outboxes_.find(id);
    if (it != outboxes_.end() && !it->second.is_closing) {
        it->second.is_closing = true;
        orders_.push_back({.kind = Order::Kind::close, .connection = id, .frame = nullptr});
    }
}

std::size_t Outgoing::queued_bytes(ConnectionId id) const {
    const std::lock_guard lock(mutex_);
    const auto it = outboxes_.find(id);
    return it == outboxes_.end() ? 0 : it->second.queued_bytes;
}

void Outgoing::note_written(ConnectionId id, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto it = outboxes_.find(id);
    if (it != outboxes_.end()) {
        it->second.queued_bytes -= bytes;
    }
}

bool Outgoing::is_empty() const {
    const std::lock_guard lock(mutex_);
    return orders_.empty();
}

void Outgoing::take(std::vector<Order>& orders) {
    orders.clear();
    const std::lock_guard lock(mutex_);
    std::swap(orders, orders_);
}

}  // namespace terrane
