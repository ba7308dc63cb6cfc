// Prediction against the real zone, over lines as long as the Earth's.
#include <cmath>

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/math/trig.h"
#include "tests/support/delayed_stream.h"
#include "tests/support/virtual_zone.h"

namespace terrane::test {
namespace {

/// A zone with predicting clients behind lines of their own.
struct LongLines {
    VirtualZone zone;
    std::vector<DelayedStream*> lines;

    explicit LongLines(const ZoneConfig& config = test_zone_config()) : zone(config) {}

    ClientSession& join(const std::string& name, Nanoseconds out, Nanoseconds in) {
        auto line = std::make_unique<DelayedStream>(
            std::make_unique<LoopbackStream>(zone.carrier.connect()), zone.clock, out, in);
        lines.push_back(line.get());
        ClientSessionConfig config;
        config.name = name;
        config.view_chunks = 3;
        config.client_version = "test";
        config.is_predicting = true;
        zone.clients.push_back(
            std::make_unique<ClientSession>(std::move(line), config, zone.clock.now()));
        ClientSession& client = *zone.clients.back();
        ticks(100);
        REQUIRE(client.state() == ClientSessionState::playing);
        REQUIRE(client.replica()->has_state());
        return client;
    }
    void tick() {
        for (DelayedStream* line : lines) {
            line->pass();
        }
        zone.tick();
    }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) {
            tick();
        }
    }
    /// Every client sends inputs that ask for nothing until all is answered.
    void settle() {
        for (int i = 0; i < 40; ++i) {
            for (const auto& client : zone.clients) {
                client->tick({}, {});
            }
            tick();
        }
    }
    /// Predicted and confirmed chunks are the zone's own.
    bool has_zone_grid(const ClientSession& client) const {
        for (const ChunkCoord& c : client.replica()->grid().sorted_coords()) {
            const Chunk* truth = zone.zone->world().grid.find(c);
            if (truth != nullptr &&
                (hash_chunk(*client.replica()->grid().find(c)) != hash_chunk(*truth) ||
                 hash_chunk(*client.prediction()->grid().find(c)) != hash_chunk(*truth))) {
                return false;
            }
        }
        return true;
    }
};

Brush dig_below(const Vec3& foot) {
    Brush brush = voxel_brush(BrushMode::dig, voxel_at(foot - Vec3(0, 0.5F, 0)));
    brush.shape = BrushShape::sphere;
    brush.size_x = 20;
    return brush;
}

/// Wanders over the hills: turns, jumps, stops and runs.
PlayerControls wander(Random& random, int tick) {
    PlayerControls controls;
    static constexpr int kTurnEvery = 25;
    controls.yaw = static_cast<std::uint16_t>((tick / kTurnEvery) * 9000);
    controls.move_forward = (tick / 40) % 5 == 4 ? 0 : 127;
    controls.move_right = static_cast<std::int8_t>(random.below(3) == 0 ? 60 : 0);
    if (random.below(20) == 0) {
        controls.buttons |= kButtonJump;
    }
    if ((tick / 30) % 3 == 0) {
        controls.buttons |= kButtonRun;
    }
    return controls;
}

TEST_CASE("prediction: walking over hills needs no correction, however long the line") {
    for (const int delay_ms : {0, 50, 120, 300}) {
        CAPTURE(delay_ms);
        LongLines lines;
        const Nanoseconds delay{std::int64_t{delay_ms} * 1'000'000};
        ClientSession& ann = lines.join("ann", delay, delay);
        Random random(3);
        const Vec3 start = ann.replica()->own().position;
        float way_m = 0.0F;
        float climbed_m = 0.0F;
        for (int i = 0; i < 600; ++i) {
            const Vec3 before = ann.prediction()->own().position;
            ann.tick(wander(random, i), {});
            lines.tick();
            const Vec3 step = ann.prediction()->own().position - before;
            if (i > 0) {
                way_m += glm::length(step);
                climbed_m += std::abs(step.y);
            }
        }
        CHECK(way_m > 60.0F);
        CHECK(climbed_m > 5.0F);
        const PredictionCounters& counters = ann.prediction()->counters();
        CHECK(counters.corrections == 0);
        CHECK(counters.inputs == 600);
        lines.settle();
        CHECK(ann.prediction()->own().position == lines.zone.player(ann).state.position);
        CHECK(glm::length(start - ann.prediction()->own().position) < 200.0F);
    }
}

TEST_CASE("prediction: digging the own ground away while walking needs no correction either") {
    LongLines lines;
    ClientSession& ann = lines.join("ann", Nanoseconds(150'000'000), Nanoseconds(150'000'000));
    Random random(5);
    for (int i = 0; i < 300; ++i) {
        std::vector<Brush> edits;
        if (i % 8 == 0) {
            edits.push_back(dig_below(ann.prediction()->own().position));
        }
        ann.tick(wander(random, i), edits);
        lines.tick();
    }
    lines.settle();
    CHECK(ann.counters().edits_applied > 20);
    CHECK(ann.prediction()->counters().corrections <= ann.counters().edits_refused);
    CHECK(ann.prediction()->guess_count() == 0);
    CHECK(lines.has_zone_grid(ann));
    CHECK(ann.prediction()->own().position == lines.zone.player(ann).state.position);
}

TEST_CASE("prediction: refused edits leave the zone's exact voxels") {
    LongLines lines;
    ClientSession& ann = lines.join("ann", Nanoseconds(100'000'000), Nanoseconds(100'000'000));
    const Vec3 foot = ann.replica()->own().position;
    ann.tick({}, std::vector{dig_below(foot + Vec3(20, 0, 0)), dig_below(foot + Vec3(0, -6, 14))});
    CHECK(ann.prediction()->guess_count() == 2);
    CHECK_FALSE(lines.has_zone_grid(ann));
    lines.settle();
    CHECK(ann.counters().edits_refused == 2);
    CHECK(ann.prediction()->guess_count() == 0);
    CHECK(lines.has_zone_grid(ann));
}

TEST_CASE("prediction: two who edit the same voxels both end with the zone's") {
    LongLines lines;
    ClientSession& ann = lines.join("ann", Nanoseconds(50'000'000), Nanoseconds(100'000'000));
    ClientSession& bob = lines.join("bob", Nanoseconds(200'000'000), Nanoseconds(50'000'000));
    Random random(9);
    const Vec3 middle = ann.replica()->own().position;
    for (int i = 0; i < 200; ++i) {
        for (ClientSession* client : {&ann, &bob}) {
            std::vector<Brush> edits;
            if (random.below(4) == 0) {
                const Vec3 at = middle + Vec3(static_cast<float>(random.between(-3, 3)),
                                              static_cast<float>(random.between(-2, 1)),
                                              static_cast<float>(random.between(-3, 3)));
                Brush brush = dig_below(at);
                if (random.below(2) == 0) {
                    brush.mode = BrushMode::place;
                    brush.material = kFirstSolid;
                }
                edits.push_back(brush);
            }
            PlayerControls controls;
            controls.yaw = static_cast<std::uint16_t>(random.below(65536));
            controls.pitch = -9000;
            client->tick(controls, edits);
        }
        lines.tick();
    }
    lines.settle();
    for (const ClientSession* client : {&ann, &bob}) {
        CHECK(client->counters().edits_applied > 5);
        CHECK(client->counters().edits_refused > 0);
        CHECK(client->prediction()->guess_count() == 0);
        CHECK(client->replica()->counters().divergences() == 0);
        CHECK(lines.has_zone_grid(*client));
        CHECK(client->prediction()->own().position == lines.zone.player(*client).state.position);
    }
}

TEST_CASE("prediction: standing in a boat that somebody rows, the corrections are small") {
    ZoneConfig config = test_zone_config();
    set_first_count(config, "boat", 1);
    LongLines lines(config);
    ClientSession& ann = lines.join("ann", Nanoseconds(100'000'000), Nanoseconds(100'000'000));
    ClientSession& bob = lines.join("bob", Nanoseconds(20'000'000), Nanoseconds(20'000'000));
    const World& world = lines.zone.zone->world();
    REQUIRE_FALSE(world.bodies.empty());
    const EntityId boat = world.bodies.begin()->first;
    const auto boat_position = [&] {
        return world.scene.world(world.bodies.at(boat).node).position;
    };
    const auto put = [&](const ClientSession& client, const Vec3& place) {
        const Quat turned = world.scene.world(world.bodies.at(boat).node).rotation;
        lines.zone.zone->submit(
            TeleportCommand{client.replica()->zone().player_id, boat_position() + turned * place});
    };
    const Vec3 seat = world.config.kinds[world.bodies.at(boat).kind].seats.at(0);
    put(bob, seat + Vec3(0, 0.7F, 0));
    put(ann, Vec3(0, 0.5F, -0.5F * seat.z));
    const auto play = [&](int ticks, const PlayerControls& bobs) {
        for (int i = 0; i < ticks; ++i) {
            ann.tick({}, {});
            bob.tick(bobs, {});
            lines.tick();
        }
    };
    play(60, {});
    PlayerControls use;
    use.buttons = kButtonUse;
    play(1, use);
    play(20, {});
    REQUIRE(bob.replica()->own_seat().vehicle == boat);
    REQUIRE(bob.replica()->own_seat().seat == 0);
    REQUIRE(ann.replica()->own().carrier == boat);
    const Vec3 start = boat_position();
    const PredictionCounters before = ann.prediction()->counters();
    PlayerControls row;
    row.move_forward = 127;
    play(100, row);
    const PredictionCounters& after = ann.prediction()->counters();
    const float way_m = glm::length(boat_position() - start);
    const float sum_m = after.correction_m_sum - before.correction_m_sum;
    MESSAGE("rowed " << way_m << " m; corrections " << after.corrections - before.corrections
                     << ", longest " << after.correction_m_max << " m, all " << sum_m << " m");
    CHECK(way_m > 10.0F);
    CHECK(ann.replica()->own().carrier == boat);
    CHECK(ann.prediction()->own().carrier == boat);
    CHECK(after.correction_m_max < 0.15F);  // while the boat gathers way
    CHECK(sum_m < 0.15F * way_m);
}

TEST_CASE("prediction: among crates the corrections are small") {
    ZoneConfig config = test_zone_config();
    set_first_count(config, "crate", 40);
    LongLines lines(config);
    ClientSession& ann = lines.join("ann", Nanoseconds(50'000'000), Nanoseconds(50'000'000));
    lines.ticks(100);
    Random random(4);
    for (int i = 0; i < 400; ++i) {
        ann.tick(wander(random, i), {});
        lines.tick();
    }
    const PredictionCounters& counters = ann.prediction()->counters();
    MESSAGE("corrections " << counters.corrections << ", longest " << counters.correction_m_max
                           << " m, all " << counters.correction_m_sum << " m");
    CHECK(counters.correction_m_max < 0.5F);
    CHECK(counters.correction_m_sum < 5.0F);
}

}  // namespace
}  // namespace terrane::test
