#include "client-stub/session/client_session.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/client-stub/session/scripted_zone.h"

namespace terrane::test {
namespace {

using namespace std::chrono_literals;

ClientSessionConfig config_of(const std::string& name) {
    ClientSessionConfig config;
    config.name = name;
    config.view_chunks = 3;
    config.client_version = "1.2.3";
    return config;
}

/// A session with its zone's end.
struct Pair {
    ScriptedZone zone;
    ClientSession session{zone.stream(), config_of("ann"), 0s};

    const SessionEvents& send(const Bytes& frame) {
        zone.send(frame);
        return session.receive(1s);
    }
    /// Past Hello and Welcome.
    void join() {
        REQUIRE(zone.next() != nullptr);
        REQUIRE(send(encode_welcome(small_welcome())).is_welcomed);
        REQUIRE(session.state() == ClientSessionState::playing);
    }
};

TEST_CASE("client_session: greets once the stream is open, and plays once welcomed") {
    ScriptedZone zone;
    zone.pipe->is_connecting = true;
    ClientSession session(zone.stream(), config_of("ann"), 0s);
    session.receive(1s);
    CHECK(session.state() == ClientSessionState::connecting);
    CHECK(zone.next() == nullptr);
    zone.pipe->is_connecting = false;
    session.receive(2s);
    CHECK(session.state() == ClientSessionState::hello_sent);
    const wire::ToServer* hello = zone.next();
    REQUIRE(hello != nullptr);
    REQUIRE(hello->message_type() == wire::ToServerMessage::Hello);
    CHECK(hello->message_as_Hello()->protocol_version() == kProtocolVersion);
    CHECK(hello->message_as_Hello()->name()->str() == "ann");
    CHECK(hello->message_as_Hello()->view_chunks() == 3);
    CHECK(hello->message_as_Hello()->client_version()->str() == "1.2.3");
    CHECK(session.replica() == nullptr);
    CHECK(session.tick({}, {}) == 0);  // not yet
    CHECK(zone.next() == nullptr);

    zone.send(encode_welcome(small_welcome()));
    CHECK(session.receive(3s).is_welcomed);
    CHECK(session.state() == ClientSessionState::playing);
    REQUIRE(session.replica() != nullptr);
    const ZoneInfo& info = session.replica()->zone();
    CHECK(info.player_id == 77);
    CHECK(info.bounds == small_welcome().bounds);
    CHECK(info.materials.at(kPlanks).name == "planks");
    CHECK_FALSE(info.materials.at(kBedrock).can_place);
    CHECK(info.kinds.at(1).shape == BodyShape::box);
    CHECK_FALSE(session.receive(3s).is_welcomed);
}

TEST_CASE("client_session: inputs and edits are numbered from 1 without gaps") {
    Pair pair;
    pair.join();
    const Brush dig = voxel_brush(BrushMode::dig, {1, 2, 3});
    PlayerControls controls;
    controls.move_forward = 100;
    controls.yaw = 999;
    CHECK(pair.session.tick(controls, {}) == 0);
    CHECK(pair.session.tick(controls, std::vector<Brush>{dig, dig}) == 1);
    CHECK(pair.session.tick(controls, std::vector<Brush>{dig}) == 3);
    for (std::uint32_t tick = 1; tick <= 3; ++tick) {
        const wire::ToServer* message = pair.zone.next();
        REQUIRE(message != nullptr);
        const wire::Input* input = message->message_as_Input();
        REQUIRE(input != nullptr);
        CHECK(input->tick() == tick);
        CHECK(from_wire(*input->controls()) == controls);
        const std::uint32_t edits = input->edits() == nullptr ? 0 : input->edits()->size();
        CHECK(edits == (tick == 1 ? 0 : 4 - tick));
        if (tick == 3) {
            CHECK(input->edits()->Get(0)->id() == 3);
            CHECK(from_wire(*input->edits()->Get(0)) == dig);
        }
    }
    CHECK(pair.session.counters().edits_sent == 3);
}

TEST_CASE("client_session: own edits are told with the revision they made") {
    Pair pair;
    pair.join();
    const Brush near = voxel_brush(BrushMode::dig, {1, 2, 3});
    Brush across = voxel_brush(BrushMode::dig, {32, 2, 3});  // touches chunks 0 and 1
    across.shape = BrushShape::sphere;
    across.size_x = 32;
    pair.session.tick({}, std::vector<Brush>{near, across});
    const Chunk rock = uniform_chunk({kRock, kFullOccupancy});
    pair.zone.send_chunk({0, 0, 0}, rock);
    pair.zone.send_chunk({1, 0, 0}, rock);
    const ChunkOp others = clip_to_chunk(voxel_brush(BrushMode::dig, {9, 9, 9}), {0, 0, 0});
    pair.zone.send(encode_chunk_ops({0, 0, 0}, 1,
                                    std::vector<ChunkOp>{others, clip_to_chunk(near, {0, 0, 0}),
                                                         clip_to_chunk(across, {0, 0, 0})},
                                    std::vector<std::uint32_t>{1, 2}));
    const SessionEvents& events = pair.send(
        encode_chunk_ops({1, 0, 0}, 1, std::vector<ChunkOp>{clip_to_chunk(across, {1, 0, 0})},
                         std::vector<std::uint32_t>{2}));
    CHECK(events.arrived_chunks == std::vector<ChunkCoord>{{0, 0, 0}, {1, 0, 0}});
    CHECK(events.chunks == 2);
    CHECK(events.ops.size() == 4);
    REQUIRE(events.own_edits.size() == 3);
    CHECK(events.own_edits[0].id == 1);
    CHECK(events.own_edits[0].revision == 2);
    CHECK(events.own_edits[1].revision == 3);
    CHECK(events.own_edits[1].is_first);
    CHECK(events.own_edits[2].chunk == ChunkCoord{1, 0, 0});
    CHECK(events.own_edits[2].revision == 1);
    CHECK_FALSE(events.own_edits[2].is_first);
    CHECK(pair.session.counters().edits_applied == 2);
}

TEST_CASE("client_session: edit ids that we never sent or that lie elsewhere do no harm") {
    Pair pair;
    pair.join();
    pair.session.tick({}, std::vector<Brush>{voxel_brush(BrushMode::dig, {1, 2, 3})});
    const ChunkOp op = clip_to_chunk(voxel_brush(BrushMode::dig, {40, 2, 3}), {1, 0, 0});
    const SessionEvents& events = pair.send(encode_chunk_ops(
        {1, 0, 0}, 1, std::vector<ChunkOp>{op}, std::vector<std::uint32_t>{0, 1, 2, 4000000000U}));
    REQUIRE(events.own_edits.size() == 1);
    CHECK(events.own_edits[0].revision == 0);
    CHECK(pair.session.state() == ClientSessionState::playing);
}

TEST_CASE("client_session: refusals, hash requests and their answers") {
    Pair pair;
    pair.join();
    const SessionEvents& events =
        pair.send(encode_reject(5, wire::RejectReason::no_sight, {1, 1, 1}, 8));
    REQUIRE(events.refused_edits.size() == 1);
    CHECK(events.refused_edits[0].id == 5);
    CHECK(events.refused_edits[0].reason == wire::RejectReason::no_sight);
    CHECK(events.refused_edits[0].revision == 8);
    CHECK(pair.session.counters().edits_refused == 1);

    const std::vector<ChunkCoord> chunks{{0, 0, 0}, {1, 0, 0}};
    pair.session.request_hashes(chunks);
    const wire::ToServer* request = pair.zone.next();
    REQUIRE(request != nullptr);
    REQUIRE(request->message_type() == wire::ToServerMessage::HashRequest);
    CHECK(request->message_as_HashRequest()->chunks()->size() == 2);
    CHECK(pair.send(encode_hash(1, std::vector<HashMessage>{{{0, 0, 0}, 0, 0}})).hash_answers == 1);
    CHECK(pair.session.counters().hash_answers == 1);
    CHECK(pair.session.replica()->counters().hashes_skipped == 1);
}

TEST_CASE("client_session: lines of chat go out fit and come in with their sender") {
    Pair pair;
    pair.session.say("too early");
    pair.join();
    CHECK(pair.zone.next() == nullptr);
    pair.session.say("ahoy\n");
    pair.session.say("\n");
    const wire::ToServer* message = pair.zone.next();
    REQUIRE(message != nullptr);
    REQUIRE(message->message_type() == wire::ToServerMessage::Say);
    CHECK(message->message_as_Say()->text()->str() == "ahoy");
    CHECK(pair.zone.next() == nullptr);

    pair.zone.send(encode_chat("bob", "hi"));
    const SessionEvents& events = pair.send(encode_chat("", "the zone stops"));
    REQUIRE(events.chats.size() == 2);
    CHECK(events.chats[0].sender == "bob");
    CHECK(events.chats[0].text == "hi");
    CHECK(events.chats[1].sender.empty());
    CHECK(pair.session.receive(3s).chats.empty());
}

TEST_CASE("client_session: runs, props and the sky reach the replica") {
    Pair pair;
    pair.join();
    pair.zone.send(encode_chunk({0, 0, 0}, encode_chunk(uniform_chunk({kRock, 255})),
                                std::vector{PropPlacement{.index = 9, .kind = 3}}));
    pair.zone.send(encode_chunk_runs({0, 0, 0}, 1, std::vector{VoxelRun{5, 2, {kWater, 255}}}));
    pair.zone.send(encode_sky_changed(wire::Sky{100, 0.25F, 0.0F}));
    const SessionEvents& events =
        pair.send(encode_props_gone({0, 0, 0}, std::vector{std::uint8_t{8}}));
    REQUIRE(events.ops.size() == 1);
    CHECK(events.ops[0].runs.size() == 1);
    CHECK(pair.session.replica()->props().at({0, 0, 0}).size() == 1);
    CHECK(pair.session.replica()->day_fraction(0) == 0.25F);
    CHECK(pair.session.state() == ClientSessionState::playing);
}

TEST_CASE("client_session: another protocol ends the session with both numbers, on either side") {
    SUBCASE("the zone's Welcome names another") {
        Pair pair;
        Bytes frame = encode_welcome(small_welcome());
        const auto held = hold_to_client(frame);
        const auto* welcome =
            reinterpret_cast<const flatbuffers::Table*>(held->root->message_as_Welcome());
        const auto offset = static_cast<std::size_t>(
            welcome->GetAddressOf(wire::Welcome::VT_PROTOCOL_VERSION) - held->frame.data());
        frame[offset] = 42;
        pair.send(frame);
        CHECK(pair.session.is_left());
        CHECK(pair.session.leave_reason() == wire::LeaveReason::bad_version);
        CHECK(
            pair.session.leave_text() ==
            fmt::format("the zone (version 9.9.9) speaks protocol 42, this client speaks protocol "
                        "{}: use the client of the zone's release",
                        kProtocolVersion));
    }
    SUBCASE("the zone refuses ours") {
        Pair pair;
        pair.send(encode_leave(wire::LeaveReason::bad_version, "this zone speaks protocol 42"));
        CHECK(pair.session.is_left());
        CHECK(pair.session.leave_text() ==
              fmt::format("the zone does not speak this client's protocol {}: this zone speaks "
                          "protocol 42",
                          kProtocolVersion));
        CHECK_FALSE(pair.zone.pipe->is_open);
    }
}

TEST_CASE("client_session: Leave ends it with the zone's reason; what follows is not read") {
    Pair pair;
    pair.join();
    pair.zone.send(encode_leave(wire::LeaveReason::kicked, "by the operator"));
    pair.zone.send(Bytes{1, 2, 3, 4});
    pair.session.receive(1s);
    CHECK(pair.session.is_left());
    CHECK(pair.session.leave_reason() == wire::LeaveReason::kicked);
    CHECK(pair.session.leave_text() == "the zone ended the session: kicked (by the operator)");
    CHECK(pair.session.tick({}, {}) == 0);
    CHECK(pair.session.replica() != nullptr);
}

TEST_CASE("client_session: quit says goodbye and waits for the end") {
    Pair pair;
    pair.join();
    pair.session.quit(2s);
    CHECK(pair.session.state() == ClientSessionState::quitting);
    const wire::ToServer* quit = pair.zone.next();
    REQUIRE(quit != nullptr);
    CHECK(quit->message_type() == wire::ToServerMessage::Quit);
    SUBCASE("the zone answers") {
        pair.send(encode_leave(wire::LeaveReason::quit, ""));
        CHECK(pair.session.is_left());
        CHECK(pair.session.leave_reason() == wire::LeaveReason::quit);
    }
    SUBCASE("the zone does not") {
        pair.session.receive(11s);
        CHECK_FALSE(pair.session.is_left());
        pair.session.receive(12s);
        CHECK(pair.session.is_left());
    }
}

TEST_CASE("client_session: a zone that never answers the greeting is left") {
    ScriptedZone zone;
    ClientSession session(zone.stream(), config_of("ann"), 5s);
    session.receive(14s);
    CHECK_FALSE(session.is_left());
    session.receive(15s);
    CHECK(session.is_left());
    CHECK(session.leave_text().find("does not answer") != std::string::npos);
}

TEST_CASE("client_session: a stream that ends is the end, with the stream's reason") {
    Pair pair;
    pair.join();
    pair.zone.send(encode_reject(1, wire::RejectReason::rate, {0, 0, 0}, 0));
    pair.zone.pipe->is_open = false;
    pair.zone.pipe->reason = "the zone closed the connection";
    // What came before the end still counts.
    CHECK(pair.session.receive(1s).refused_edits.size() == 1);
    CHECK(pair.session.is_left());
    CHECK(pair.session.leave_text() == "the zone closed the connection");
}

TEST_CASE("client_session: the zone's view of physics is the newest one, or a refusal") {
    Pair pair;
    pair.join();
    const std::vector<wire::DebugContact> contacts{
        {to_wire(Vec3{1.0F, 2.0F, 3.0F}), to_wire(Vec3{0.0F, 1.0F, 0.0F}), -0.01F, true}};
    const std::vector<wire::DebugWater> water{{to_wire(Vec3{4.0F, 5.0F, 6.0F}), 5.5F, 0.5F}};
    pair.zone.send(encode_debug_contacts(120, contacts, water));
    pair.session.receive(1s);
    const DebugPicture& picture = pair.session.debug_picture();
    CHECK(picture.tick == 120);
    REQUIRE(picture.touches.size() == 1);
    CHECK(picture.touches[0].point == Vec3{1.0F, 2.0F, 3.0F});
    CHECK(picture.touches[0].is_ground);
    REQUIRE(picture.afloat.size() == 1);
    CHECK(picture.afloat[0].level_m == 5.5F);
    CHECK_FALSE(picture.is_refused);
    pair.zone.send(encode_debug_refused(121));
    pair.session.receive(2s);
    CHECK(picture.is_refused);
    CHECK(picture.touches.empty());
}

TEST_CASE("client_session: messages out of turn end the session") {
    SUBCASE("before Welcome") {
        Pair pair;
        pair.send(encode_state(state_at(1)));
        CHECK(pair.session.leave_text() ==
              "the zone sent a message that makes no sense: State before Welcome");
    }
    SUBCASE("Welcome twice") {
        Pair pair;
        pair.join();
        pair.send(encode_welcome(small_welcome()));
        CHECK(pair.session.leave_text() ==
              "the zone sent a message that makes no sense: a second Welcome");
    }
    SUBCASE("a frame of no sane length") {
        Pair pair;
        pair.join();
        pair.send(Bytes{0xff, 0xff, 0xff, 0x7f});
        CHECK(pair.session.is_left());
        CHECK(pair.session.leave_text().starts_with("the zone sent no frame"));
    }
    SUBCASE("more chunks than the view holds") {
        Pair pair;
        REQUIRE(pair.zone.next() != nullptr);
        WelcomeMessage wide = small_welcome();
        wide.bounds = {{-20, -1, -20}, {20, 2, 20}};
        wide.view_chunks = 1;
        pair.send(encode_welcome(wide));
        for (std::int32_t i = 0; i < 400 && !pair.session.is_left(); ++i) {
            pair.zone.send_chunk({i % 40 - 20, 0, i / 40 - 20}, uniform_chunk(kAirVoxel));
            pair.session.receive(1s);
        }
        CHECK(pair.session.is_left());
        CHECK(pair.session.replica()->grid().chunk_count() == 343);
        CHECK(pair.session.leave_text().find("more than 343 chunks") != std::string::npos);
    }
}

/// One message of each kind that a zone sends after Welcome.
std::vector<Bytes> good_messages() {
    Chunk chunk = uniform_chunk({kRock, kFullOccupancy});
    const ChunkOp op = clip_to_chunk(voxel_brush(BrushMode::dig, {1, 1, 1}), {0, 0, 0});
    apply_op(chunk, {0, 0, 0}, op);
    StateMessage state = state_at(101, 1);
    state.enters = {{.slot = 1, .generation = 1, .kind = 0, .id = 9, .name = "bob"}};
    state.exits = {4};
    state.nodes = {node_at({1, 2, 3}, 1, 1)};
    return {encode_welcome(small_welcome()),
            encode_state(state),
            encode_chunk({0, 0, 0}, encode_chunk(chunk)),
            encode_chunk_ops({0, 0, 0}, 2, std::vector<ChunkOp>{op, op},
                             std::vector<std::uint32_t>{1, 2}),
            encode_hash(101, std::vector<HashMessage>{{{0, 0, 0}, 1, 5}, {{0, 0, 0}, 9, 5}}),
            encode_forget(std::vector<ChunkCoord>{{0, 0, 0}, {5, 5, 5}}),
            encode_reject(1, wire::RejectReason::stale, {0, 0, 0}, 1),
            encode_leave(wire::LeaveReason::kicked, "bye")};
}

TEST_CASE(
    "client_session: a stream cut at any byte waits for the rest or ends, and never crashes") {
    for (const Bytes& message : good_messages()) {
        for (std::size_t length = 0; length < message.size(); ++length) {
            Pair pair;
            if (&message != &good_messages().front()) {
                pair.zone.next();
            }
            pair.zone.send(
                Bytes(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(length)));
            pair.session.receive(1s);
            REQUIRE(pair.session.state() == ClientSessionState::hello_sent);
            REQUIRE(pair.session.counters().messages_in == 0);
            pair.zone.pipe->is_open = false;
            pair.zone.pipe->reason = "cut";
            pair.session.receive(1s);
            REQUIRE(pair.session.leave_text() == "cut");
        }
    }
}

TEST_CASE(
    "client_session: flipped bits are refused with a reason or read as another good message") {
    const std::uint64_t seed = 20261130;
    CAPTURE(seed);
    Random random(seed);
    const std::vector<Bytes> messages = good_messages();
    int ended = 0;
    for (int round = 0; round < 1500; ++round) {
        Pair pair;
        pair.session.tick({}, {});
        const std::size_t victim = random.below(static_cast<std::uint32_t>(messages.size()));
        for (std::size_t i = 0; i < messages.size(); ++i) {
            Bytes bytes = messages[i];
            if (i == victim) {
                const std::uint32_t flips = 1 + random.below(4);
                for (std::uint32_t flip = 0; flip < flips; ++flip) {
                    const std::uint32_t bit =
                        random.below(static_cast<std::uint32_t>(bytes.size()) * 8);
                    bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
                }
            }
            pair.send(bytes);
            if (i == 0 && pair.session.state() == ClientSessionState::playing) {
                pair.session.tick({}, std::vector<Brush>{voxel_brush(BrushMode::dig, {1, 1, 1})});
            }
        }
        if (pair.session.is_left()) {
            ++ended;
            REQUIRE_FALSE(pair.session.leave_text().empty());
        }
    }
    CHECK(ended > 1000);  // all but those cut short by a longer length
}

TEST_CASE("client_session: random bytes end the session or wait for more") {
    Random random(7);
    for (int round = 0; round < 500; ++round) {
        Pair pair;
        if (random.below(2) == 0) {
            pair.join();
        }
        Bytes bytes(12 + random.below(400));
        for (std::uint8_t& byte : bytes) {
            byte = static_cast<std::uint8_t>(random.below(256));
        }
        bytes[0] = static_cast<std::uint8_t>(bytes.size() - 4);
        bytes[1] = static_cast<std::uint8_t>((bytes.size() - 4) >> 8);
        bytes[2] = 0;
        bytes[3] = 0;
        pair.send(bytes);
        CHECK(pair.session.leave_text().starts_with("the zone sent a bad message"));
    }
}

}  // namespace
}  // namespace terrane::test
