#include "server/net/mailbox.h"

#include <thread>

#include <doctest/doctest.h>

#include "server/net/outgoing.h"

namespace terrane {
namespace {

SharedBytes frame_of_size(std::size_t size) {
    return std::make_shared<const Bytes>(size, 7);
}

TEST_CASE("mailbox: events come out once, in order, with their bytes aligned") {
    Mailbox mailbox(1000);
    const Bytes odd{1, 2, 3};
    const Bytes four{4, 5, 6, 7};
    mailbox.push(5, CarrierEventKind::opened, odd);
    mailbox.push(5, CarrierEventKind::message, four);
    mailbox.push(5, CarrierEventKind::closed, {}, CloseReason::slow);
    CarrierEvents events;
    mailbox.drain(events);
    REQUIRE(events.events.size() == 3);
    CHECK(events.address_of(events.events[0]) == "\x01\x02\x03");
    const auto frame = events.frame_of(events.events[1]);
    CHECK(Bytes(frame.begin(), frame.end()) == four);
    CHECK(reinterpret_cast<std::uintptr_t>(frame.data()) % 8 == 0);
    CHECK(events.events[2].reason == CloseReason::slow);
    CHECK(mailbox.drain_count() == 1);
    mailbox.drain(events);
    CHECK(events.events.empty());
    CHECK(mailbox.drain_count() == 2);
}

TEST_CASE("mailbox: has room until its bytes are over the limit, and again when drained") {
    Mailbox mailbox(200);
    CHECK(mailbox.has_room());
    const Bytes bytes(200, 1);
    mailbox.push(1, CarrierEventKind::message, bytes);
    CHECK_FALSE(mailbox.has_room());
    CarrierEvents events;
    mailbox.drain(events);
    CHECK(mailbox.has_room());
}

TEST_CASE("mailbox: one writer, one reader, nothing lost and nothing out of order") {
    constexpr std::uint32_t kCount = 20000;
    Mailbox mailbox(1 << 20);
    std::thread writer([&mailbox] {
        for (std::uint32_t i = 0; i < kCount; ++i) {
            const Bytes bytes(1 + i % 13, static_cast<std::uint8_t>(i));
            mailbox.push(i, CarrierEventKind::message, bytes);
        }
    });
    std::uint32_t next = 0;
    CarrierEvents events;
    while (next < kCount) {
        mailbox.drain(events);
        for (const CarrierEvent& event : events.events) {
            REQUIRE(event.connection == next);
            REQUIRE(event.size == 1 + next % 13);
            REQUIRE(events.frame_of(event)[0] == static_cast<std::uint8_t>(next));
            ++next;
        }
    }
    writer.join();
}

TEST_CASE("outgoing: counts queued bytes, refuses the unknown, the closing and the slow") {
    Outgoing outgoing(100);
    CHECK_FALSE(outgoing.send(1, frame_of_size(10)));
    outgoing.add_connection(1);
    CHECK(outgoing.send(1, frame_of_size(60)));
    CHECK(outgoing.send(1, frame_of_size(40)));
    CHECK(outgoing.queued_bytes(1) == 100);
    outgoing.note_written(1, 60);
    CHECK(outgoing.queued_bytes(1) == 40);
    CHECK_FALSE(outgoing.send(1, frame_of_size(61)));
    CHECK_FALSE(outgoing.send(1, frame_of_size(1)));  // on its way out
    std::vector<Order> orders;
    outgoing.take(orders);
    REQUIRE(orders.size() == 3);
    CHECK(orders[2].kind == Order::Kind::drop_slow);
    CHECK(outgoing.is_empty());

    outgoing.add_connection(2);
    outgoing.close(2);
    outgoing.close(2);
    CHECK_FALSE(outgoing.send(2, frame_of_size(1)));
    outgoing.take(orders);
    REQUIRE(orders.size() == 1);
    CHECK(orders[0].kind == Order::Kind::close);
    outgoing.remove_connection(2);
    CHECK(outgoing.queued_bytes(2) == 0);
}

TEST_CASE("mailbox: every close reason has a name of its own") {
    for (std::size_t i = 0; i + 1 < kCloseReasonCount; ++i) {
        CHECK(std::string_view(name_of(static_cast<CloseReason>(i))) !=
              name_of(static_cast<CloseReason>(i + 1)));
    }
}

}  // namespace
}  // namespace terrane
