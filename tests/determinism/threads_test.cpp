#include <doctest/doctest.h>

#include "server/world/state_hash.h"
#include "shared/core/random.h"
#include "tests/support/virtual_zone.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// Where the boat is, and whether there is one.
std::pair<Vec3, bool> find_boat(const World& world) {
    for (const auto& [id, body] : world.bodies) {
        if (!body.riders.empty()) {
            return {world.physics.state(body.handle).position, true};
        }
    }
    return {Vec3(0.0F), false};
}

/// A zone with bodies and three clients who walk and dig for a while; one of them takes a boat, one
/// is far away in between, so that chunks come and go.
struct History {
    std::uint64_t hash = 0;  ///< of the bodies after each tick, and of everything at the end
    std::uint64_t edits = 0;
    std::uint64_t pieces = 0;  ///< that were cut off

    friend bool operator==(const History&, const History&) = default;
};

struct Variant {
    unsigned worker_threads = 0;
    ColliderKind collider = ColliderKind::flat;
    bool is_contact_filter_on = true;
    MovingPolicy moving = MovingPolicy::refit;
    BvhBuilder props = BvhBuilder::sah;
};

History run_history(const Variant& variant) {
    History history;
    ZoneConfig config = test_zone_config();
    config.terrain.collider = variant.collider;
    config.physics.is_contact_filter_on = variant.is_contact_filter_on;
    config.objects.moving.policy = variant.moving;
    config.objects.props.builder = variant.props;
    set_first_count(config, "crate", 6);
    set_first_count(config, "ball", 4);
    set_first_count(config, "log", 2);
    set_first_count(config, "boat", 1);
    config.edit.per_second = 100;
    VirtualZoneOptions options;
    options.worker_threads = variant.worker_threads;
    VirtualZone zone(config, options);
    bool has_ridden = false;
    std::vector<ClientSession*> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(&zone.join("bot" + std::to_string(i), 3));
    }
    const auto [boat, is_afloat] = find_boat(zone.zone->world());
    REQUIRE(is_afloat);
    Random random(21);
    for (int tick = 0; tick < 220; ++tick) {
        for (ClientSession* client : clients) {
            const VoxelCoord foot = voxel_at(client->replica()->own().position);
            Brush brush = voxel_brush(
                BrushMode::dig, {foot.x + random.between(-3, 3), foot.y + random.between(-3, 1),
                                 foot.z + random.between(-3, 3)});
            if (random.below(3) == 0) {
                brush.shape = BrushShape::sphere;
                brush.size_x = static_cast<std::uint8_t>(random.between(8, 40));
            }
            PlayerControls controls;
            controls.move_forward = 127;
            controls.yaw = static_cast<std::uint16_t>(tick * 300);
            controls.buttons = tick == 25 ? kButtonUse : 0;
            client->tick(controls, std::vector<Brush>{brush});
        }
        const auto id_of = [&](std::size_t i) { return clients[i]->replica()->zone().player_id; };
        if (tick == 20) {
            zone.zone->submit(TeleportCommand{id_of(0), boat + Vec3(0.0F, 0.5F, -0.9F)});
        } else if (tick == 30 || tick == 100) {
            const Vec3 far{tick == 30 ? 200.0F : 0.0F, 60.0F, 150.0F};
            zone.zone->submit(TeleportCommand{id_of(1), far});
        }
        zone.tick();
        history.hash = mix_bits(history.hash ^ hash_state(zone.zone->world(), true));
        history.pieces += zone.zone->last_step().pieces.cut;
        has_ridden = has_ridden || zone.player(*clients[0]).vehicle != 0;
    }
    CHECK(has_ridden);
    CHECK(zone.zone->chunk_stats().left > 50);
    for (const ClientSession* client : clients) {
        history.edits += client->counters().edits_applied;
    }
    history.hash ^= hash_state(zone.zone->world());
    return history;
}

/// The plain one, which others are compared with.
const History& plain_history() {
    static const History history = run_history({});
    return history;
}

}  // namespace

TEST_CASE("determinism: the same clients give the same state on one thread and on several") {
    CHECK(plain_history().edits > 50);
    CHECK(plain_history().pieces > 0);
    CHECK(run_history({.worker_threads = 1}) == plain_history());
    CHECK(run_history({.worker_threads = 3}) == plain_history());
}

TEST_CASE("A22 determinism: one state for flat and kD colliders, with SIMD and without") {
    CHECK(run_history({.collider = ColliderKind::flat_scalar}) == plain_history());
    CHECK(run_history({.collider = ColliderKind::kd}) == plain_history());
}

TEST_CASE("A21 determinism: one state with the filter of contacts and without") {
    CHECK(run_history({.is_contact_filter_on = false}) == plain_history());
}

TEST_CASE("B14 determinism: one state for every tree over props and over what moves") {
    CHECK(run_history({.moving = MovingPolicy::reinsert, .props = BvhBuilder::median}) ==
          plain_history());
    CHECK(run_history({.worker_threads = 2,
                       .moving = MovingPolicy::rebuild_subtree,
                       .props = BvhBuilder::lbvh}) == plain_history());
}
