// The state machine of session.h, walked through the loopback carrier.
#include "server/session/sessions.h"

#include "tests/server/session/test_zone.h"

namespace terrane {
namespace {

std::size_t left_count(const TestZone& zone, wire::LeaveReason reason) {
    return zone.sessions.stats().left[static_cast<std::size_t>(reason)];
}

TEST_CASE("sessions: connect, Hello, admit, play, Quit, gone") {
    TestZone zone;
    TestClient client(zone.carrier);
    zone.step();
    CHECK(zone.sessions.count(SessionState::hello_wait) == 1);

    client.end.send(encode_hello({.name = "Ada", .view_chunks = 200, .client_version = "1.2"}));
    zone.step(false);
    CHECK(zone.sessions.count(SessionState::joining) == 1);
    REQUIRE(zone.received.joins.size() == 1);
    const JoinRequest join = zone.received.joins[0];
    CHECK(join.name == "Ada");
    CHECK(join.view_chunks == 8);
    zone.step(false);
    CHECK(zone.received.joins.empty());

    CHECK(zone.sessions.admit(join.session, 42, zone.welcome(), zone.tick));
    CHECK_FALSE(zone.sessions.admit(join.session, 43, zone.welcome(), zone.tick));
    zone.sessions.flush();
    CHECK(zone.sessions.count(SessionState::playing) == 1);
    CHECK(zone.sessions.find_player(42)->name == "Ada");
    CHECK(zone.sessions.list_playing(zone.tick).size() == 1);
    client.read();
    CHECK(client.frames.size() == 1);

    client.end.send(encode_input(1, {}, {}));
    client.end.send(encode_quit());
    zone.step();
    CHECK(zone.sessions.count(SessionState::leaving) == 1);
    REQUIRE(zone.received.left.size() == 1);
    CHECK(zone.received.left[0].player == 42);
    CHECK(zone.received.left[0].name == "Ada");
    CHECK(zone.received.left[0].reason == wire::LeaveReason::quit);
    // The LeaveCommand, and no input of one who left.
    REQUIRE(zone.received.commands.size() == 1);
    CHECK(std::get<LeaveCommand>(zone.received.commands[0]).player == 42);
    CHECK(client.leave_reason() == wire::LeaveReason::quit);
    zone.step();
    CHECK(zone.received.left.empty());
    CHECK(zone.sessions.count(SessionState::leaving) == 0);
    CHECK(zone.sessions.find(join.session) == nullptr);
    CHECK_FALSE(client.end.is_open());
}

TEST_CASE("sessions: a connection that closes leaves once, in whatever state") {
    TestZone zone;
    {
        TestClient waiting(zone.carrier);
        TestClient joining(zone.carrier);
        joining.end.send(encode_hello({.name = "Bob"}));
        zone.step(false);
        TestClient playing = zone.join("Ada");
    }
    zone.step();
    REQUIRE(zone.received.left.size() == 3);
    CHECK(zone.received.left[0].player == 0);
    CHECK(zone.received.left[1].player == 0);
    CHECK(zone.received.left[2].player == zone.last_player);
    CHECK(zone.received.commands.size() == 1);
    CHECK(left_count(zone, wire::LeaveReason::quit) == 3);
    zone.step();
    CHECK(zone.received.left.empty());
}

TEST_CASE("sessions: a wrong version is told both versions") {
    TestZone zone;
    TestClient client(zone.carrier);
    client.end.send(encode_hello({.protocol_version = 77, .name = "Ada"}));
    zone.step();
    std::string text;
    CHECK(client.leave_reason(&text) == wire::LeaveReason::bad_version);
    CHECK(text == fmt::format("this zone speaks protocol version {}, the client version 77",
                              kProtocolVersion));
}

TEST_CASE("T38 sessions: bad names are refused with the rule, before anything is logged") {
    TestZone zone;
    for (const std::string& name : {std::string{}, std::string("a b"), std::string(25, 'x'),
                                    std::string("\x1b[2J"), std::string("a\nb")}) {
        TestClient client(zone.carrier);
        client.end.send(encode_hello({.name = name}));
        zone.step();
        std::string text;
        CHECK(client.leave_reason(&text) == wire::LeaveReason::bad_name);
        CHECK(text == "a name has 1 to 24 letters, digits, '_' or '-'");
    }
    CHECK(left_count(zone, wire::LeaveReason::bad_name) == 5);
}

TEST_CASE("T40 sessions: a name in the zone is refused, and free at once when its player left") {
    TestZone zone;
    TestClient first = zone.join("Ada");
    TestClient second(zone.carrier);
    second.end.send(encode_hello({.name = "Ada"}));
    zone.step();
    std::string text;
    CHECK(second.leave_reason(&text) == wire::LeaveReason::name_taken);
    CHECK(text == "'Ada' is already in the zone");
    CHECK(zone.sessions.count(SessionState::playing) == 1);

    // Two that ask in one tick: one gets it, though neither is admitted yet.
    TestClient third(zone.carrier);
    TestClient fourth(zone.carrier);
    third.end.send(encode_hello({.name = "Bob"}));
    fourth.end.send(encode_hello({.name = "Bob"}));
    zone.step();
    CHECK(zone.received.joins.size() == 1);
    CHECK(fourth.leave_reason() == wire::LeaveReason::name_taken);

    // Leaving and coming back in one tick: left comes first.
    first.end.send(encode_quit());
    TestClient again(zone.carrier);
    again.end.send(encode_hello({.name = "Ada"}));
    zone.step();
    CHECK(zone.received.left.size() == 1);
    CHECK(zone.received.joins.size() == 1);
    again.read();
    CHECK(again.frames.size() == 1);
}

TEST_CASE("sessions: a full zone refuses") {
    SessionConfig config;
    config.players_max = 2;
    TestZone zone(config);
    TestClient a = zone.join("a");
    TestClient b = zone.join("b");
    TestClient c(zone.carrier);
    c.end.send(encode_hello({.name = "c"}));
    zone.step();
    std::string text;
    CHECK(c.leave_reason(&text) == wire::LeaveReason::zone_full);
    CHECK(text == "the zone holds 2 players");
}

TEST_CASE("sessions: legal messages in the wrong state end with bad_state") {
    const Bytes hello = encode_hello({.name = "Ada"});
    const Bytes input = encode_input(1, {}, {});
    const Bytes hashes = encode_hash_request(std::vector<ChunkCoord>(1));
    for (const Bytes& early : {input, hashes, encode_quit()}) {
        TestZone zone;
        TestClient client(zone.carrier);
        client.end.send(early);
        zone.step();
        CHECK(client.leave_reason() == wire::LeaveReason::bad_state);
    }
    for (const Bytes& while_joining : {hello, input, hashes}) {
        TestZone zone;
        TestClient client(zone.carrier);
        client.end.send(hello);
        zone.step(false);
        client.end.send(while_joining);
        zone.step(false);
        CHECK(client.leave_reason() == wire::LeaveReason::bad_state);
        // The answer that was on its way finds nobody.
        CHECK_FALSE(zone.sessions.admit(1, 5, zone.welcome(), zone.tick));
    }
    TestZone zone;
    TestClient client = zone.join("Ada");
    client.end.send(hello);
    zone.step();
    std::string text;
    CHECK(client.leave_reason(&text) == wire::LeaveReason::bad_state);
    CHECK(text == "Hello is not allowed in state playing");
}

TEST_CASE(
    "T17 T22 sessions: an unverifiable message ends the session, what follows it is ignored") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    Bytes garbage(40, 0xAB);
    const std::uint32_t length = 36;
    std::memcpy(garbage.data(), &length, sizeof(length));
    client.end.send(garbage);
    client.end.send(encode_input(1, {}, {}));
    zone.step();
    std::string text;
    CHECK(client.leave_reason(&text) == wire::LeaveReason::bad_message);
    CHECK(text.starts_with("frame: no TRNS message"));
    CHECK(zone.inputs().empty());

    TestClient other = zone.join("Bob");
    other.end.send(encode_input(1, {.move_right = 0, .move_forward = 0, .buttons = 64}, {}));
    zone.step();
    CHECK(other.leave_reason(&text) == wire::LeaveReason::bad_message);
    CHECK(text.starts_with("Input.controls.buttons: 0x40"));
    CHECK(left_count(zone, wire::LeaveReason::bad_message) == 2);
}

TEST_CASE("sessions: a broken frame length ends the session without a word") {
    TestZone zone;
    TestClient client = zone.join("Ada");
    client.end.send(Bytes(8, 0xFF));
    zone.step();
    REQUIRE(zone.received.left.size() == 1);
    CHECK(zone.received.left[0].reason == wire::LeaveReason::bad_message);
    CHECK_FALSE(client.end.is_open());
}

TEST_CASE("T44 sessions: one that does not read is dropped as slow, others play on") {
    LoopbackConfig loopback;
    loopback.limits.outbox_bytes_max = 10000;
    TestZone zone({}, loopback);
    TestClient slow = zone.join("slow");
    const SessionId slow_id = zone.sessions.find_player(zone.last_player)->id;
    TestClient good = zone.join("good");
    const SessionId good_id = zone.sessions.find_player(zone.last_player)->id;
    const auto frame =
        std::make_shared<const Bytes>(encode_chunk({0, 0, 0}, std::vector<std::uint8_t>(900, 1)));
    int sent = 0;
    while (zone.sessions.send(slow_id, frame)) {
        ++sent;
        REQUIRE(zone.sessions.send(good_id, frame));
        zone.sessions.flush();
        good.read();
        REQUIRE(zone.sessions.queued_bytes(good_id) == 0);
        REQUIRE(sent < 20);
    }
    CHECK(sent == 10);
    zone.step();
    REQUIRE(zone.received.left.size() == 1);
    CHECK(zone.received.left[0].session == slow_id);
    CHECK(zone.received.left[0].reason == wire::LeaveReason::slow);
    CHECK(zone.sessions.count(SessionState::playing) == 1);
}

TEST_CASE("T70 sessions: silence ends each state after its time") {
    TestZone zone;
    TestClient silent(zone.carrier);
    zone.step_many(100);
    CHECK(zone.sessions.count(SessionState::hello_wait) == 1);
    zone.step();
    CHECK(silent.leave_reason() == wire::LeaveReason::timeout);

    TestClient joining(zone.carrier);
    joining.end.send(encode_hello({.name = "Bob"}));
    for (int i = 0; i < 600; ++i) {
        zone.step(false);
    }
    CHECK(zone.sessions.count(SessionState::joining) == 1);
    zone.step(false);
    CHECK(joining.leave_reason() == wire::LeaveReason::timeout);

    TestClient playing = zone.join("Ada");
    zone.step_many(599);
    playing.end.send(encode_input(1, {}, {}));
    zone.step_many(600);
    CHECK(zone.sessions.count(SessionState::playing) == 1);
    zone.step();
    CHECK(playing.leave_reason() == wire::LeaveReason::timeout);
    CHECK(left_count(zone, wire::LeaveReason::timeout) == 3);
}

TEST_CASE("sessions: close and close_all say why, and are in the next Received.left once") {
    TestZone zone;
    TestClient a = zone.join("a");
    const SessionId a_id = zone.sessions.find_player(zone.last_player)->id;
    TestClient b = zone.join("b");
    zone.sessions.close(a_id, wire::LeaveReason::kicked, "digging under the church");
    zone.sessions.close(a_id, wire::LeaveReason::kicked, "again");
    zone.sessions.close(999, wire::LeaveReason::kicked, "nobody");
    CHECK_FALSE(zone.sessions.send(a_id, zone.welcome()));
    zone.sessions.flush();
    std::string text;
    CHECK(a.leave_reason(&text) == wire::LeaveReason::kicked);
    CHECK(text == "digging under the church");
    zone.step();
    REQUIRE(zone.received.left.size() == 1);
    CHECK(zone.received.left[0].reason == wire::LeaveReason::kicked);

    zone.sessions.close_all(wire::LeaveReason::server_stopping, "back in a minute");
    zone.sessions.flush();
    CHECK(b.leave_reason() == wire::LeaveReason::server_stopping);
    zone.step();
    CHECK(zone.received.left.size() == 1);
    zone.step();
    CHECK(zone.received.left.empty());
}

TEST_CASE("sessions: inputs of many run in id order rotated by the tick") {
    TestZone zone;
    std::vector<TestClient> clients;
    for (const char* name : {"a", "b", "c", "d"}) {
        clients.push_back(zone.join(name));
    }
    std::vector<int> first(4);
    for (std::uint32_t tick = 1; tick <= 40; ++tick) {
        for (TestClient& client : clients) {
            client.end.send(encode_input(tick, {}, {}));
        }
        zone.step();
        const auto inputs = zone.inputs();
        REQUIRE(inputs.size() == 4);
        for (std::size_t i = 1; i < 4; ++i) {
            CHECK(inputs[i]->player == 1001 + (inputs[i - 1]->player - 1000) % 4);
        }
        ++first[inputs[0]->player - 1001];
    }
    CHECK(first == std::vector<int>{10, 10, 10, 10});
}

TEST_CASE("sessions: with cut streams and many players every input arrives") {
    LoopbackConfig loopback;
    loopback.cut_seed = 5;
    TestZone zone({}, loopback);
    std::vector<TestClient> clients;
    for (int i = 0; i < 30; ++i) {
        clients.push_back(zone.join("p" + std::to_string(i)));
    }
    std::size_t ran = 0;
    for (std::uint32_t tick = 1; tick <= 100; ++tick) {
        for (TestClient& client : clients) {
            client.end.send(encode_input(tick, {}, {}));
        }
        zone.step();
        ran += zone.inputs().size();
    }
    CHECK(ran == 3000);
    CHECK(zone.sessions.stats().inputs == 3000);
    CHECK(zone.sessions.stats().inputs_missing == 0);
}

TEST_CASE("sessions: the same bytes on the same ticks give the same commands") {
    const auto play = [] {
        LoopbackConfig loopback;
        loopback.cut_seed = 9;
        TestZone zone({}, loopback);
        std::vector<TestClient> clients;
        std::vector<std::uint64_t> trace;
        Random random(4);
        std::vector<std::uint32_t> client_ticks(8);
        for (int i = 0; i < 8; ++i) {
            clients.push_back(zone.join("p" + std::to_string(i)));
        }
        for (int tick = 0; tick < 300; ++tick) {
            for (std::size_t i = 0; i < clients.size(); ++i) {
                for (std::uint32_t n = random.below(4); n > 0; --n) {
                    clients[i].end.send(encode_input(++client_ticks[i], {}, {}));
                }
            }
            zone.step();
            for (const InputCommand* input : zone.inputs()) {
                trace.push_back(input->player * 1000000 + input->client_tick);
            }
        }
        return trace;
    };
    const auto trace = play();
    CHECK(trace.size() > 2000);
    CHECK(play() == trace);
}

}  // namespace
}  // namespace terrane
