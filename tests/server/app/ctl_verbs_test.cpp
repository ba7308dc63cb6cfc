#include "server/app/ctl_verbs.h"

#include <doctest/doctest.h>

#include "tests/server/app/operated_zone.h"

namespace terrane {
namespace {

using namespace terrane::test;

std::string error_of(const nlohmann::json& answer, int exit) {
    CHECK(answer["exit"] == exit);
    CHECK(!answer.contains("answer"));
    return answer.value("error", "");
}

TEST_CASE("ctl_verbs: status is the page's text, players are who is here and where") {
    OperatedZone zone(test_zone_config());
    CHECK(zone.ask("players")["answer"] == nlohmann::json({{"players", nlohmann::json::array()}}));
    ClientSession& ada = zone.join("ada");
    const auto status = zone.ask("status");
    CHECK(status["exit"] == 0);
    CHECK(status["answer"] == nlohmann::json::parse(zone.pages.status()));
    const auto players = zone.ask("players")["answer"]["players"];
    REQUIRE(players.size() == 1);
    CHECK(players[0]["name"] == "ada");
    CHECK(players[0]["address"] == "loopback");
    CHECK(players[0]["view_chunks"] == 2);
    CHECK(players[0]["id"] == ada.replica()->zone().player_id);
    CHECK(players[0]["position"][1].get<double>() ==
          doctest::Approx(zone.zone.player(ada).state.position.y).epsilon(0.01));
}

TEST_CASE("ctl_verbs: say reaches every player, whole, and nothing else does") {
    OperatedZone zone(test_zone_config());
    zone.join_listener("ada");
    CHECK(zone.ask("say  dinner is   ready ")["answer"]["said"] == "dinner is   ready");
    zone.ticks(3);
    CHECK(zone.heard == std::vector<std::string>{"dinner is   ready"});
    CHECK(error_of(zone.ask("say"), 2) == "say: what?; usage: say TEXT");
    CHECK(zone.ask("say " + std::string(kChatBytesMax, 'x'))["exit"] == 0);
    CHECK(zone.ask("say " + std::string(kChatBytesMax + 1, 'x'))["exit"] == 2);
    CHECK(zone.ask("say \x1B[31mred")["exit"] == 2);
    CHECK(zone.ask("say \xFF")["exit"] == 2);
}

TEST_CASE("ctl_verbs: kick ends the session with the reason; a wrong name gets the nearest") {
    OperatedZone zone(test_zone_config());
    ClientSession& ada = zone.join("ada");
    ClientSession& bob = zone.join("bob");
    CHECK(error_of(zone.ask("kick adda"), 1) ==
          "kick: no player 'adda' is here; did you mean 'ada'?");
    CHECK(zone.ask("kick ada be nice, please")["answer"]["kicked"] == "ada");
    zone.ticks(3);
    CHECK(ada.is_left());
    CHECK(ada.leave_text() == "the zone ended the session: kicked (be nice, please)");
    CHECK(bob.state() == ClientSessionState::playing);
    CHECK(zone.ask("kick bob")["exit"] == 0);
    zone.ticks(3);
    CHECK(error_of(zone.ask("kick bob"), 1) == "kick: no player 'bob' is here; nobody is");
    CHECK(zone.ask("kick")["exit"] == 2);
}

TEST_CASE(
    "ctl_verbs: spawn puts bodies side by side around the place, answered once they are there") {
    OperatedZone zone(test_zone_config());
    CHECK(zone.ask("spawn crate 4 90 -2.5 9")["answer"] ==
          nlohmann::json({{"spawned", 9}, {"kind", "crate"}}));
    const World& world = zone.zone.zone->world();
    REQUIRE(world.bodies.size() == 9);
    Vec3 sum{0.0F};
    for (const auto& [id, body] : world.bodies) {
        const Vec3 at = world.physics.state(body.handle).position;
        CHECK(std::abs(at.x - 4.0F) < 2.0F);
        CHECK(std::abs(at.z + 2.5F) < 2.0F);
        sum += at / 9.0F;
        for (const auto& [other_id, other] : world.bodies) {
            CHECK((other_id == id ||
                   glm::length(world.physics.state(other.handle).position - at) > 0.6F));
        }
    }
    CHECK(sum.x == doctest::Approx(4.0).epsilon(0.01));
    CHECK(sum.z == doctest::Approx(-2.5).epsilon(0.01));
    CHECK(zone.ask("spawn ball 0 90 0")["answer"]["spawned"] == 1);
    CHECK(world.bodies.size() == 10);
}

TEST_CASE("ctl_verbs: spawn says what would be right") {
    ZoneConfig config = test_zone_config();
    config.physics.bodies_max = 5;
    OperatedZone zone(config);
    const std::string unknown = error_of(zone.ask("spawn crat 0 90 0"), 2);
    CHECK(unknown.starts_with("spawn: no kind 'crat'; there are crate, ball, "));
    CHECK(error_of(zone.ask("spawn player 0 90 0"), 2).starts_with("spawn: no kind 'player'"));
    CHECK(error_of(zone.ask("spawn piece 0 90 0"), 2).starts_with("spawn: no kind 'piece'"));
    CHECK(unknown.find("piece") == std::string::npos);
    CHECK(error_of(zone.ask("spawn crate 0 900 0"), 2) ==
          "spawn: y = 900 lies outside the zone, which goes from -64 to 128 m; usage: spawn KIND X "
          "Y Z [N]");
    CHECK(error_of(zone.ask("spawn crate 256 0 0"), 2).starts_with("spawn: x = 256 lies outside"));
    for (const char* wrong :
         {"spawn", "spawn crate", "spawn crate 1 2", "spawn crate 1 2 x", "spawn crate nan 0 0",
          "spawn crate inf 0 0", "spawn crate 1e400 0 0", "spawn crate 0 90 0 0",
          "spawn crate 0 90 0 -1", "spawn crate 0 90 0 1001", "spawn crate 0 90 0 1.5",
          "spawn crate 0 90 0 1 1", "spawn crate 0x1 0 0"}) {
        CAPTURE(wrong);
        CHECK(error_of(zone.ask(wrong), 2).find("usage: spawn KIND X Y Z [N]") !=
              std::string::npos);
    }
    CHECK(zone.ask("spawn crate 0 90 0 5")["exit"] == 0);
    CHECK(error_of(zone.ask("spawn crate 0 90 0"), 1) ==
          "spawn: the zone holds 5 bodies, and physics.bodies_max is 5");
}

TEST_CASE("ctl_verbs: teleport puts a player somewhere in the zone") {
    OperatedZone zone(test_zone_config());
    ClientSession& ada = zone.join("ada");
    const Vec3 from = zone.zone.player(ada).state.position;
    CHECK(zone.ask(fmt::format("teleport ada 20.5 {} 12.5", from.y + 20.0F))["exit"] == 0);
    zone.tick();
    CHECK(zone.zone.player(ada).state.position.x == doctest::Approx(20.5F).epsilon(0.01));
    CHECK(zone.ask("teleport")["exit"] == 2);
    CHECK(zone.ask("teleport ada 1 2")["exit"] == 2);
    CHECK(zone.ask("teleport ada 1 2 9999")["exit"] == 2);
    const auto unknown = zone.ask("teleport adda 1 2 3");
    CHECK(unknown["exit"] == 1);
    CHECK(unknown["error"].get<std::string>().find("did you mean 'ada'") != std::string::npos);
}

TEST_CASE("B1 ctl_verbs: blast digs where somebody is, and says what would be right") {
    OperatedZone zone(test_zone_config());
    ClientSession& ada = zone.join("ada");
    const Vec3 foot = zone.zone.player(ada).state.position;
    const VoxelCoord below = voxel_at(foot - Vec3(0.0F, 1.5F, 0.0F));
    REQUIRE(is_solid(zone.zone.zone->world().grid.voxel(below)));
    CHECK(zone.ask(fmt::format("blast {} {} {} 2", foot.x, foot.y - 1.0F, foot.z))["exit"] == 0);
    zone.tick();
    CHECK(zone.zone.zone->world().grid.voxel(below) == kAirVoxel);
    CHECK(error_of(zone.ask("blast 200 40 200 2"), 1).find("not all is simulated") !=
          std::string::npos);
    for (const char* wrong :
         {"blast", "blast 0 0 0", "blast 0 0 0 5", "blast 0 0 0 0", "blast 0 0 0 2 -1",
          "blast 0 0 0 2 nan", "blast 0 0 0 2 1 1", "blast 0 9999 0 2"}) {
        CAPTURE(wrong);
        CHECK(error_of(zone.ask(wrong), 2).find("usage: blast X Y Z RADIUS [IMPULSE]") !=
              std::string::npos);
    }
}

TEST_CASE("ctl_verbs: debug grants and takes the sight of physics by name") {
    OperatedZone zone(test_zone_config());
    CHECK(zone.ask("debug bob on")["answer"]["is_on"] == true);
    CHECK(zone.ask("debug bob off")["answer"]["is_on"] == false);
    for (const char* wrong : {"debug", "debug bob", "debug bob maybe", "debug b/b on"}) {
        CAPTURE(wrong);
        CHECK(error_of(zone.ask(wrong), 2).find("usage: debug NAME on|off") != std::string::npos);
    }
}

TEST_CASE("ctl_verbs: spawnpoint is where the next player appears") {
    OperatedZone zone(test_zone_config());
    const Vec3 place = ground_position(zone.zone.zone->world(), 20, 12);
    CHECK(zone.ask(fmt::format("spawnpoint 20.5 {} 12.5", place.y))["exit"] == 0);
    ClientSession& ada = zone.join("ada");
    const Vec3 at = zone.zone.player(ada).state.position;
    CHECK(std::abs(at.x - 20.5F) < 3.0F);
    CHECK(std::abs(at.z - 12.5F) < 3.0F);
    CHECK(zone.ask("spawnpoint 1 2")["exit"] == 2);
    CHECK(zone.ask("spawnpoint 1 2 3 4")["exit"] == 2);
    CHECK(zone.ask("spawnpoint 1 2 9999")["exit"] == 2);
}

TEST_CASE("ctl_verbs: pregen takes the corners in any order and counts the chunks") {
    const TemporaryFolder folder;
    OperatedZone zone(test_zone_config(), {.data_folder = folder.string()});
    // Two columns of chunks of the zone's six: x from 128 to 191 m, z from -64 to -33 m.
    CHECK(zone.ask("pregen 128.5 -33 191 -64")["answer"] ==
          nlohmann::json({{"chunks", 12}, {"waiting", 12}}));
    CHECK(zone.ask("pregen 191 -64 128 -33")["answer"]["chunks"] == 12);
    zone.ticks(200);
    CHECK(zone.zone.zone->pregen_waiting() == 0);
    for (const char* wrong :
         {"pregen", "pregen 0 0 1", "pregen 0 0 1 x", "pregen 0 0 9999 1", "pregen 0 0 1 1 1"}) {
        CAPTURE(wrong);
        CHECK(error_of(zone.ask(wrong), 2).ends_with("usage: pregen X0 Z0 X1 Z1"));
    }
    OperatedZone ephemeral(test_zone_config());
    CHECK(error_of(ephemeral.ask("pregen 0 0 1 1"), 1).starts_with("pregen: this zone keeps"));
}

TEST_CASE("ctl_verbs: save is answered when what was there is durable") {
    const TemporaryFolder folder;
    OperatedZone zone(test_zone_config(), {.data_folder = folder.string()});
    zone.join("ada");
    const std::uint64_t before = zone.zone.zone->world().tick;
    const auto saved = zone.ask("save");
    CHECK(saved["exit"] == 0);
    CHECK(saved["answer"]["saved_tick"].get<std::uint64_t>() > before);
    CHECK(zone.zone.store->stats().durable_tick >= saved["answer"]["saved_tick"]);
    OperatedZone ephemeral(test_zone_config());
    CHECK(error_of(ephemeral.ask("save"), 1).starts_with("save: this zone keeps nothing"));
}

TEST_CASE("ctl_verbs: save of a zone in which nothing has changed is answered at once") {
    const TemporaryFolder folder;
    OperatedZone zone(test_zone_config(), {.data_folder = folder.string()});
    zone.join("ada");
    zone.zone.clients.front()->quit(zone.zone.clock.now());
    zone.ticks(100);
    const std::uint64_t commits = zone.zone.store->stats().commits;
    CHECK(zone.ask("save")["answer"]["saved_tick"] == zone.zone.zone->world().tick);
    CHECK(zone.zone.store->stats().commits == commits);
    CHECK(zone.read_metrics()["terrane_store_lag_ticks"] == 0);
}

TEST_CASE("ctl_verbs: stop is due at once, or after a wait that players are told of") {
    OperatedZone zone(test_zone_config());
    zone.join_listener("ada");
    for (const char* wrong : {"stop now", "stop --in", "stop --in x", "stop --in -1",
                              "stop --in 1 2", "stop --in 90000", "stop --in=", "stop 5"}) {
        CAPTURE(wrong);
        CHECK(error_of(zone.ask(wrong), 2).ends_with("usage: stop [--in S]"));
        CHECK(!zone.ops.is_stop_due());
    }
    CHECK(zone.ask("stop --in 12")["answer"]["stops_in_s"] == 12);
    int ticks = 0;
    while (!zone.ops.is_stop_due()) {
        zone.tick();
        ++ticks;
    }
    CHECK(ticks == 12 * 20);
    CHECK(zone.heard == std::vector<std::string>{"The zone stops in 12 s.",
                                                 "The zone stops in 10 s.",
                                                 "The zone stops in 5 s.", "The zone stops in 4 s.",
                                                 "The zone stops in 3 s.", "The zone stops in 2 s.",
                                                 "The zone stops in 1 s."});
    const std::uint64_t stop_tick = zone.zone.zone->world().tick;
    CHECK(zone.heard_ticks[1] == stop_tick - 10 * 20 + 1);  // said in the next tick
    CHECK(zone.heard_ticks[6] == stop_tick - 20 + 1);
    OperatedZone other(test_zone_config());
    CHECK(other.ask("stop --in=600")["exit"] == 0);
    CHECK(!other.ops.is_stop_due());
    CHECK(other.ask("stop")["answer"]["stops_in_s"] == 0);
    CHECK(other.ops.is_stop_due());
}

TEST_CASE("ctl_verbs: who still waits when the zone closes is answered") {
    const TemporaryFolder folder;
    OperatedZone zone(test_zone_config(), {.data_folder = folder.string()});
    zone.join("ada");
    REQUIRE(zone.mailbox.push({70, "save"}));
    REQUIRE(zone.mailbox.push({71, "spawn crate 0 90 0"}));
    zone.tick();
    REQUIRE(!zone.answers.contains(71));
    zone.zone.zone->close();
    zone.ops.close();
    CHECK(nlohmann::json::parse(zone.answers[70])["answer"]["saved_tick"] ==
          zone.zone.zone->world().tick);
    CHECK(nlohmann::json::parse(zone.answers[71])["error"] == "the zone is stopping");
}

TEST_CASE("ctl_verbs: unknown verbs get the nearest, later ones say so, any bytes are harmless") {
    OperatedZone zone(test_zone_config());
    CHECK(error_of(zone.ask("statsu"), 2)
              .starts_with("unknown verb 'statsu'; did you mean 'status'? There are status, "));
    CHECK(zone.ask("")["exit"] == 2);
    CHECK(zone.ask("   \t ")["exit"] == 2);
    for (const char* verb : {"ban", "unban", "invite", "backup", "set", "trace"}) {
        CHECK(error_of(zone.ask(std::string(verb) + " x"), 2) ==
              std::string(verb) + ": not in this version");
    }
    Random random(3);
    for (int round = 0; round < 300; ++round) {
        std::string line = round % 2 == 0 ? "spawn " : "";
        for (std::uint32_t i = random.below(40); i > 0; --i) {
            line += static_cast<char>(random.below(256));
        }
        CHECK(zone.ask(line)["exit"] != 0);
    }
}

}  // namespace
}  // namespace terrane
