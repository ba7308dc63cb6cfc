#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/protocol/encode.h"
#include "shared/voxel/voxel_ray.h"
#include "tests/support/virtual_zone.h"

using namespace terrane;
using namespace terrane::test;

namespace {

std::vector<Bytes> golden_frames() {
    HelloMessage hello;
    hello.name = "mallory";
    hello.client_version = "1";
    PlayerControls controls;
    controls.move_forward = 100;
    const std::vector<EditMessage> edits{{1, voxel_brush(BrushMode::dig, {0, 0, 0})}};
    const std::vector<ChunkCoord> chunks{{0, 0, 0}, {1, 0, 0}};
    return {encode_hello(hello), encode_input(1, controls, edits), encode_hash_request(chunks),
            encode_quit()};
}

}  // namespace

TEST_CASE("zone: truncated, oversized and bit-flipped messages end their session, nobody else's") {
    VirtualZone zone(test_zone_config());
    ClientSession& honest = zone.join("honest");
    Random random(8);
    for (const Bytes& frame : golden_frames()) {
        for (int attempt = 0; attempt < 60; ++attempt) {
            LoopbackClient mallory = zone.carrier.connect();
            if (attempt % 2 == 0) {
                mallory.send(golden_frames()[0]);  // a good Hello first
            }
            Bytes bytes = frame;
            switch (attempt % 3) {
                case 0:
                    bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size())));
                    break;
                case 1:
                    bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^=
                        static_cast<std::uint8_t>(1U << random.below(8));
                    break;
                default:
                    bytes = {0xff, 0xff, 0xff, 0x7f, 1, 2, 3};
                    break;
            }
            mallory.send(bytes);
            honest.tick({}, {});
            zone.tick();
            mallory.close();
            zone.tick();
        }
    }
    zone.ticks(2);
    CHECK(honest.state() == ClientSessionState::playing);
    CHECK(zone.zone->world().players.size() == 1);
    CHECK(honest.replica()->tick() == zone.zone->world().tick);
    const SessionStats& stats = zone.zone->sessions().stats();
    CHECK(stats.left[static_cast<std::size_t>(LeaveReason::bad_message)] > 10);
}

TEST_CASE("zone: a name that quits may come back at once, while its old connection lingers") {
    for (const bool has_store : {false, true}) {
        CAPTURE(has_store);
        const TemporaryFolder folder;
        VirtualZoneOptions options;
        options.data_folder = has_store ? folder.string() : "";
        VirtualZone zone(test_zone_config(), options);
        ClientSession& first = zone.join("ada");
        const std::uint64_t id = first.replica()->zone().player_id;
        for (int round = 0; round < 30; ++round) {
            const auto& last = *zone.clients.back();
            zone.clients.back()->quit(zone.clock.now());
            ClientSession& again = zone.connect("ada");
            for (int tick = 0; tick < 6 && again.state() != ClientSessionState::playing; ++tick) {
                zone.tick();
            }
            REQUIRE(again.state() == ClientSessionState::playing);
            CHECK(again.replica()->zone().player_id == id);
            CHECK(zone.zone->world().players.size() == 1);
            CHECK(&last != &again);
            zone.ticks(round % 3);
        }
    }
}

TEST_CASE("zone: another protocol version is refused with both versions named") {
    VirtualZone zone(test_zone_config());
    LoopbackClient old = zone.carrier.connect();
    HelloMessage hello;
    hello.protocol_version = kProtocolVersion + 1;
    hello.name = "future";
    hello.client_version = "9";
    old.send(encode_hello(hello));
    zone.ticks(3);
    Bytes answer;
    old.receive(answer);
    const std::string text(answer.begin(), answer.end());
    CHECK(text.find(std::to_string(kProtocolVersion)) != std::string::npos);
    CHECK(text.find(std::to_string(kProtocolVersion + 1)) != std::string::npos);
    CHECK(zone.zone->world().players.empty());
}

TEST_CASE("zone: after a stall inputs do not lag behind, and no edit of theirs is lost") {
    VirtualZone zone(test_zone_config());
    ClientSession& client = zone.join("patient");
    const Replica& replica = *client.replica();
    const Vec3 eye = eye_position(replica.own(), replica.zone().motion);
    const auto aimed = raycast_voxels(replica.grid(), {eye, Vec3(0.3F, -1.0F, 0.2F), 8.0F});
    REQUIRE(aimed.has_value());
    PlayerControls look_down;
    look_down.pitch = -16384;
    // The client plays on for 1.4 s while the zone stands still, and digs at the first of it.
    client.tick(look_down, std::vector<Brush>{voxel_brush(BrushMode::dig, aimed->voxel)});
    for (int i = 0; i < 27; ++i) {
        client.tick(look_down, {});
    }
    for (int tick = 0; tick < 20; ++tick) {
        client.tick(look_down, {});
        zone.tick();
    }
    CHECK(client.client_tick() - client.replica()->applied_input() <= 2);
    CHECK(client.counters().edits_applied + client.counters().edits_refused == 1);
    CHECK(client.counters().edits_applied == 1);
}

TEST_CASE("zone: a client that sends its inputs four times too fast moves no farther") {
    VirtualZone zone(test_zone_config());
    ClientSession& honest = zone.join("honest");
    ClientSession& eager = zone.join("eager");
    const Vec3 honest_start = honest.replica()->own().position;
    const Vec3 eager_start = eager.replica()->own().position;
    PlayerControls walk;
    walk.move_forward = 127;
    for (int tick = 0; tick < 40; ++tick) {
        honest.tick(walk, {});
        for (int i = 0; i < 4; ++i) {
            eager.tick(walk, {});
        }
        zone.tick();
    }
    const float honest_way = glm::length(honest.replica()->own().position - honest_start);
    const float eager_way = glm::length(eager.replica()->own().position - eager_start);
    CHECK(honest_way > 2.0F);
    // 40 ticks and a quarter of a second saved up, at 4.5 m/s
    CHECK(eager_way < 4.5F * (40.0F / 20.0F + 0.3F));
}

TEST_CASE("hostile: a crowd at the door comes in eight at a time, and all of it comes in") {
    VirtualZone zone(test_zone_config());
    zone.ticks(2);
    for (int i = 0; i < 60; ++i) {
        zone.connect("guest" + std::to_string(i), 1);
    }
    std::size_t players = 0;
    for (int tick = 0; tick < 20; ++tick) {
        zone.tick();
        const std::size_t now = zone.zone->world().players.size();
        CHECK(now - players <= 8);
        players = now;
    }
    CHECK(players == 60);
}
