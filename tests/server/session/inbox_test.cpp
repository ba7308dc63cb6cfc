// Inputs, edits and rates, on virtual ticks.
#include "server/session/inbox.h"

#include "tests/server/session/test_zone.h"

namespace terrane {
namespace {

std::vector<EditMessage> edits_from(std::uint32_t first_id, std::size_t count) {
    std::vector<EditMessage> edits(count);
    for (std::size_t i = 0; i < count; ++i) {
        edits[i].id = first_id + static_cast<std::uint32_t>(i);
        edits[i].brush.centre_x = -1;
        edits[i].brush.centre_y = 512;
        edits[i].brush.centre_z = 511;
    }
    return edits;
}

TEST_CASE("inbox: an input becomes a command of the same tick, with all its values") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    const PlayerControls controls{
        .move_right = -5, .move_forward = 127, .buttons = kButtonRun, .yaw = 9, .pitch = -9};
    client.end.send(encode_input(1, controls, edits_from(1, 2)));
    zone.step();
    REQUIRE(zone.inputs().size() == 1);
    const InputCommand& input = *zone.inputs()[0];
    CHECK(input.player == zone.last_player);
    CHECK(input.client_tick == 1);
    CHECK(input.controls == controls);
    REQUIRE(input.edits.size() == 2);
    CHECK(input.edits[1].id == 2);
    CHECK(input.edits[1].brush == edits_from(2, 1)[0].brush);
}

TEST_CASE("inbox: duplicates and older inputs are ignored, a gap is accepted and counted") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    for (const std::uint32_t tick : {1U, 2U, 2U, 1U}) {
        client.end.send(encode_input(tick, {}, {}));
    }
    zone.step();
    CHECK(zone.inputs().size() == 2);
    CHECK(zone.sessions.stats().inputs_duplicate == 2);
    client.end.send(encode_input(10, {}, {}));
    zone.step();
    REQUIRE(zone.inputs().size() == 1);
    CHECK(zone.inputs()[0]->client_tick == 10);
    CHECK(zone.sessions.stats().inputs_missing == 7);
}

TEST_CASE("T34 inbox: at most 3 inputs a tick, and on average one, however fast they come") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    std::uint32_t client_tick = 0;
    std::size_t ran = 0;
    constexpr std::size_t kTicks = 2000;
    for (std::size_t i = 1; i <= kTicks; ++i) {
        for (int burst = 0; burst < 3; ++burst) {  // three times too fast: 60 a second
            client.end.send(encode_input(++client_tick, {}, {}));
        }
        zone.step();
        REQUIRE(zone.inputs().size() <= 3);
        ran += zone.inputs().size();
        // A quarter of a second ahead, and 1 % for its clock.
        REQUIRE(ran <= i + i / 100 + 6);
    }
    CHECK(ran >= kTicks);
    CHECK(zone.sessions.stats().inputs_overflowed > 0);
    CHECK(zone.sessions.find_player(zone.last_player)->inputs.size() <= 32);
}

TEST_CASE("inbox: inputs that came late together are caught up, in order, none lost") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    std::uint32_t sent = 0;
    std::uint32_t ran = 0;
    for (int i = 0; i < 200; ++i) {
        const bool is_stalled = i % 20 < 4;
        if (!is_stalled) {
            const int due = i % 20 == 4 ? 5 : 1;
            for (int k = 0; k < due; ++k) {
                client.end.send(encode_input(++sent, {}, {}));
            }
        }
        zone.step();
        for (const InputCommand* input : zone.inputs()) {
            REQUIRE(input->client_tick == ran + 1);
            ran = input->client_tick;
        }
    }
    CHECK(ran == sent);
}

TEST_CASE("inbox: a full queue drops its oldest input and refuses that input's edits") {
    SessionConfig config;
    config.input_queue_max = 4;
    TestZone zone(config);
    TestClient client = zone.join("Ada");
    for (std::uint32_t tick = 1; tick <= 6; ++tick) {
        client.end.send(encode_input(tick, {}, edits_from(tick, 1)));
    }
    zone.step();
    CHECK(zone.sessions.stats().inputs_overflowed == 2);
    REQUIRE(zone.received.refused_edits.size() == 2);
    CHECK(zone.received.refused_edits[0].edit == 1);
    CHECK(zone.received.refused_edits[1].edit == 2);
    REQUIRE(zone.inputs().size() == 3);
    CHECK(zone.inputs()[0]->client_tick == 3);
}

TEST_CASE("T29 inbox: edits over 10/s burst 20 are refused one by one with their chunk") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    std::uint32_t id = 0;
    std::size_t passed = 0;
    std::size_t refused = 0;
    for (std::uint32_t tick = 1; tick <= 200; ++tick) {
        client.end.send(encode_input(tick, {}, edits_from(id + 1, 2)));  // 40 a second
        id += 2;
        zone.step();
        for (const InputCommand* input : zone.inputs()) {
            passed += input->edits.size();
        }
        refused += zone.received.refused_edits.size();
        for (const RefusedEdit& edit : zone.received.refused_edits) {
            CHECK(edit.chunk == ChunkCoord{-1, 1, 0});  // floor division
            CHECK(edit.session == 1);
        }
    }
    // The burst, and 10 a second over the 199 ticks after the first.
    CHECK(passed == 20 + 99);
    CHECK(passed + refused == 400);
    CHECK(zone.sessions.stats().edits_over_rate == refused);
    CHECK(zone.sessions.count(SessionState::playing) == 1);  // refused, not thrown out
}

TEST_CASE("inbox: an edit id that was seen is not run again") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    client.end.send(encode_input(1, {}, edits_from(1, 3)));
    client.end.send(encode_input(2, {}, edits_from(2, 3)));
    zone.step();
    REQUIRE(zone.inputs().size() == 2);
    REQUIRE(zone.inputs()[1]->edits.size() == 1);
    CHECK(zone.inputs()[1]->edits[0].id == 4);
    CHECK(zone.sessions.stats().edits_duplicate == 2);
}

TEST_CASE("inbox: inputs over 64/s burst 128 are dropped, their edits refused") {
    SessionConfig config;
    config.input_queue_max = 1000;
    TestZone zone(config);
    TestClient client = zone.join("Ada");
    for (std::uint32_t tick = 1; tick <= 140; ++tick) {
        client.end.send(encode_input(tick, {}, tick == 135 ? edits_from(1, 1) : edits_from(1, 0)));
    }
    zone.step();
    // 128, and 3 of the tick since the session opened.
    CHECK(zone.sessions.stats().inputs_over_rate >= 9);
    CHECK(zone.sessions.stats().inputs_over_rate <= 12);
    REQUIRE(zone.received.refused_edits.size() == 1);
    CHECK(zone.received.refused_edits[0].edit == 1);
}

TEST_CASE("inbox: hash requests reach replication, over 4/s they are ignored") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    const std::vector<ChunkCoord> chunks{{1, 2, 3}, {-4, 5, -6}};
    for (int i = 0; i < 10; ++i) {
        client.end.send(encode_hash_request(chunks));
    }
    zone.step();
    REQUIRE(zone.received.hash_requests.size() == 8);
    CHECK(zone.received.hash_requests[0].chunks == chunks);
    CHECK(zone.sessions.stats().hash_requests_over_rate == 2);
    zone.step_many(19);
    client.end.send(encode_hash_request(chunks));
    zone.step();
    CHECK(zone.received.hash_requests.size() == 1);
}

TEST_CASE("inbox: lines of chat become commands, those over 1/s are named to be told") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    for (int i = 0; i < 7; ++i) {
        client.end.send(encode_say(fmt::format("line {}", i)));
    }
    zone.step();
    std::vector<std::string> texts;
    for (const Command& command : zone.received.commands) {
        if (const auto* chat = std::get_if<ChatCommand>(&command)) {
            CHECK(chat->player != 0);
            texts.push_back(chat->text);
        }
    }
    CHECK(texts == std::vector<std::string>{"line 0", "line 1", "line 2", "line 3", "line 4"});
    CHECK(zone.received.refused_lines.size() == 2);
    CHECK(zone.sessions.stats().lines_over_rate == 2);
    zone.step_many(19);
    client.end.send(encode_say("again"));
    zone.step();
    CHECK(zone.sessions.stats().lines == 6);
}

TEST_CASE("inbox: more than its bytes a second end a session with rate") {
    SessionConfig config;
    config.bytes = {.per_second = 1000, .burst = 5000};
    TestZone zone(config);
    TestClient client = zone.join("Ada");
    const std::vector<ChunkCoord> chunks(kHashRequestChunksMax);
    for (int i = 0; i < 3; ++i) {
        client.end.send(encode_hash_request(chunks));
    }
    zone.step();
    CHECK(client.leave_reason() == wire::LeaveReason::rate);
    CHECK(zone.sessions.stats().left[static_cast<std::size_t>(wire::LeaveReason::rate)] == 1);
}

}  // namespace
}  // namespace terrane
