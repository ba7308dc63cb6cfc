#include "server/net/loopback.h"

#include <doctest/doctest.h>

#include "shared/protocol/encode.h"

namespace terrane {
namespace {

SharedBytes share(Bytes bytes) {
    return std::make_shared<const Bytes>(std::move(bytes));
}

std::vector<Bytes> cut_frames(FrameReader& reader, const Bytes& stream) {
    std::vector<Bytes> frames;
    std::span<const std::uint8_t> input = stream;
    for (;;) {
        const auto frame = reader.next(input);
        REQUIRE(frame.has_value());
        if (frame->empty()) {
            return frames;
        }
        frames.emplace_back(frame->begin(), frame->end());
    }
}

TEST_CASE("carrier: what is of this machine") {
    for (const char* here : {"127.0.0.1", "127.8.0.1", "::1", "loopback"}) {
        CHECK(is_loopback_address(here));
    }
    for (const char* away : {"", "10.0.0.1", "128.0.0.1", "::11", "fe80::1", "loopback.example"}) {
        CHECK_FALSE(is_loopback_address(away));
    }
}

TEST_CASE("loopback: opened, messages, closed; frames both ways") {
    LoopbackCarrier carrier;
    LoopbackClient client = carrier.connect();
    CarrierEvents events;
    carrier.poll(events);
    REQUIRE(events.events.size() == 1);
    CHECK(events.events[0].kind == CarrierEventKind::opened);
    CHECK(events.address_of(events.events[0]) == "loopback");
    const ConnectionId id = events.events[0].connection;

    client.send(encode_quit());
    client.send(encode_hello({.name = "Ada"}));
    carrier.poll(events);
    REQUIRE(events.events.size() == 2);
    const auto first = events.frame_of(events.events[0]);
    CHECK(Bytes(first.begin(), first.end()) == encode_quit());

    const Bytes leave = encode_leave(wire::LeaveReason::kicked, "out");
    CHECK(carrier.send(id, share(leave)));
    Bytes received;
    CHECK(client.receive(received) == 0);  // not before the flush
    carrier.flush();
    CHECK(client.receive(received) == leave.size());
    CHECK(received == leave);

    client.close();
    carrier.poll(events);
    REQUIRE(events.events.size() == 1);
    CHECK(events.events[0].kind == CarrierEventKind::closed);
    CHECK(events.events[0].reason == CloseReason::by_peer);
    CHECK_FALSE(carrier.send(id, share(leave)));
}

TEST_CASE(
    "loopback: what was sent before close() goes out, also if a poll comes before the flush") {
    LoopbackCarrier carrier;
    LoopbackClient client = carrier.connect();
    CarrierEvents events;
    carrier.poll(events);
    const ConnectionId id = events.events.at(0).connection;
    const Bytes leave = encode_leave(wire::LeaveReason::kicked, "out");
    CHECK(carrier.send(id, share(leave)));
    carrier.close(id);
    client.send(encode_quit());
    carrier.poll(events);
    CHECK(events.events.empty());  // and input is dropped
    carrier.flush();
    carrier.poll(events);
    REQUIRE(events.events.size() == 1);
    CHECK(events.events[0].reason == CloseReason::by_zone);
    Bytes received;
    client.receive(received);
    CHECK(received == leave);
}

TEST_CASE("loopback: with cuts both directions carry the same frames") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        LoopbackCarrier carrier({.limits = {}, .cut_seed = seed});
        LoopbackClient client = carrier.connect();
        CarrierEvents events;
        carrier.poll(events);
        const ConnectionId id = events.events.at(0).connection;
        std::vector<Bytes> sent;
        std::vector<Bytes> seen;
        std::vector<Bytes> echoed;
        FrameReader reader(kToClientBytesMax);
        for (std::uint32_t tick = 1; tick <= 50; ++tick) {
            sent.push_back(encode_input(tick, {}, std::vector<EditMessage>(tick % 5)));
            // In two halves across ticks.
            client.send(std::span(sent.back()).first(sent.back().size() / 2));
            carrier.poll(events);
            client.send(std::span(sent.back()).subspan(sent.back().size() / 2));
            for (int poll = 0; poll < 2; ++poll) {
                for (const CarrierEvent& event : events.events) {
                    const auto frame = events.frame_of(event);
                    seen.emplace_back(frame.begin(), frame.end());
                    carrier.send(id, share(seen.back()));
                }
                carrier.poll(events);
            }
            for (const CarrierEvent& event : events.events) {
                const auto frame = events.frame_of(event);
                seen.emplace_back(frame.begin(), frame.end());
                carrier.send(id, share(seen.back()));
            }
            carrier.flush();
            Bytes stream;
            client.receive(stream);
            for (Bytes& frame : cut_frames(reader, stream)) {
                echoed.push_back(std::move(frame));
            }
        }
        for (Bytes stream; client.receive(stream) > 0; stream.clear()) {
            for (Bytes& frame : cut_frames(reader, stream)) {
                echoed.push_back(std::move(frame));
            }
        }
        REQUIRE(seen == sent);
        REQUIRE(echoed == sent);
    }
}

TEST_CASE("T10 loopback: a bad length closes, and admit() raises the limit") {
    LoopbackCarrier carrier;
    LoopbackClient client = carrier.connect();
    LoopbackClient admitted = carrier.connect();
    CarrierEvents events;
    carrier.poll(events);
    carrier.admit(events.events.at(1).connection);
    const std::vector<ChunkCoord> chunks(250);
    const std::vector<ChunkCoord> many(256);
    Bytes big(kFramePrefixBytes + kToServerBytesBeforeWelcomeMax + 1, 0);
    const auto length = static_cast<std::uint32_t>(big.size() - kFramePrefixBytes);
    std::memcpy(big.data(), &length, sizeof(length));
    client.send(big);
    admitted.send(big);
    carrier.poll(events);
    REQUIRE(events.events.size() == 2);
    CHECK(events.events[0].reason == CloseReason::bad_frame);
    CHECK(events.events[1].kind == CarrierEventKind::message);
    CHECK_FALSE(client.is_open());
    CHECK(admitted.is_open());
}

TEST_CASE("T44 loopback: a client that does not receive is closed as slow") {
    LoopbackConfig config;
    config.limits.outbox_bytes_max = 1000;
    LoopbackCarrier carrier(config);
    LoopbackClient client = carrier.connect();
    CarrierEvents events;
    carrier.poll(events);
    const ConnectionId id = events.events.at(0).connection;
    const SharedBytes frame = share(Bytes(300, 1));
    for (int i = 0; i < 3; ++i) {
        CHECK(carrier.send(id, frame));
        carrier.flush();
    }
    CHECK(carrier.queued_bytes(id) == 900);
    CHECK_FALSE(carrier.send(id, frame));
    carrier.poll(events);
    REQUIRE(events.events.size() == 1);
    CHECK(events.events[0].reason == CloseReason::slow);
    CHECK(carrier.stats().closed[static_cast<std::size_t>(CloseReason::slow)] == 1);
}

TEST_CASE("loopback: a flood waits outside, the rest comes with later polls") {
    LoopbackConfig config;
    config.limits.inbox_bytes_max = 500;
    config.cut_seed = 3;
    LoopbackCarrier carrier(config);
    LoopbackClient client = carrier.connect();
    for (int i = 0; i < 100; ++i) {
        client.send(encode_quit());
    }
    CarrierEvents events;
    std::size_t messages = 0;
    int polls = 0;
    for (; messages < 100 && polls < 100; ++polls) {
        carrier.poll(events);
        std::size_t bytes = 0;
        for (const CarrierEvent& event : events.events) {
            if (event.kind == CarrierEventKind::message) {
                ++messages;
                bytes += event.size;
            }
        }
        CHECK(bytes <= 600);
    }
    CHECK(messages == 100);
    CHECK(polls > 5);
    CHECK(carrier.stats().read_pauses > 0);
}

TEST_CASE(
    "loopback: close() lets what was sent arrive first; connections are capped; stop closes") {
    LoopbackConfig config;
    config.limits.connections_max = 2;
    LoopbackCarrier carrier(config);
    LoopbackClient first = carrier.connect();
    LoopbackClient second = carrier.connect();
    LoopbackClient third = carrier.connect();
    CHECK_FALSE(third.is_open());
    CHECK(carrier.stats().refused_full == 1);
    CarrierEvents events;
    carrier.poll(events);
    const ConnectionId id = events.events.at(0).connection;
    const Bytes leave = encode_leave(wire::LeaveReason::kicked, "bye");
    CHECK(carrier.send(id, share(leave)));
    carrier.close(id);
    CHECK_FALSE(carrier.send(id, share(leave)));
    carrier.flush();
    carrier.poll(events);
    CHECK(events.events.at(0).reason == CloseReason::by_zone);
    Bytes received;
    first.receive(received);
    CHECK(received == leave);
    CHECK_FALSE(first.is_open());
    carrier.stop();
    CHECK_FALSE(second.is_open());
    carrier.poll(events);
    REQUIRE(events.events.size() == 1);
    CHECK(events.events[0].reason == CloseReason::stopping);
}

}  // namespace
}  // namespace terrane
