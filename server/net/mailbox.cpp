#include "server/net/mailbox.h"

#include <utility>

namespace terrane {

const char* name_of(CloseReason reason) {
    constexpr std::array<const char*, kCloseReasonCount> kNames{
        "none",           "by_peer", "by_zone",  "bad_frame",
        "login_deadline", "slow",    "io_error", "stopping"};
    return kNames[static_cast<std::size_t>(reason)];
}

std::string_view CarrierEvents::address_of(const CarrierEvent& event) const {
    return {reinterpret_cast<const char*>(bytes.data()) + event.offset, event.size};
}

void CarrierEvents::add(ConnectionId connection, CarrierEventKind kind,
                        std::span<const std::uint8_t> content, CloseReason reason) {
    const std::size_t offset = bytes.size();
    bytes.append(content);
    bytes.pad_to_word();
    events.push_back({.connection = connection,
                      .offset = static_cast<std::uint32_t>(offset),
                      .size = static_cast<std::uint32_t>(content.size()),
                      .kind = kind,
                      .reason = reason});
}

void CarrierEvents::clear() {
    events.clear();
    bytes.clear();
}

void Mailbox::push(ConnectionId connection, CarrierEventKind kind,
                   std::span<const std::uint8_t> bytes, CloseReason reason) {
    const std::lock_guard lock(mutex_);
    waiting_.add(connection, kind, bytes, reason);
    waiting_bytes_ += bytes.size() + sizeof(CarrierEvent);
}

void Mailbox::drain(CarrierEvents& events) {
    events.clear();
    const std::lock_guard lock(mutex_);
    std::swap(events, waiting_);
    waiting_bytes_ = 0;
    ++drain_count_;
}

}  // namespace terrane
