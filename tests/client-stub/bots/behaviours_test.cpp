#include "client-stub/bots/behaviours.h"

#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/client-stub/bots/tiny_zone.h"

namespace terrane::test {
namespace {

/// A replica of small_ground() with a player at `foot`.
struct Ground {
    Replica replica{small_zone_info(), {}};
    std::uint32_t tick = 0;

    explicit Ground(const VoxelGrid& grid = small_ground(), const Vec3& foot = {0.5F, 0, 0.5F}) {
        for (const ChunkCoord& c : grid.sorted_coords()) {
            const auto held = hold_to_client(encode_chunk(c, encode_chunk(*grid.find(c))));
            REQUIRE(replica.apply(*held->root->message_as_Chunk()));
        }
        stand(foot);
    }
    void stand(const Vec3& foot, const std::vector<Vec3>& others = {}) {
        StateMessage state = state_at(++tick);
        state.own.position = foot;
        state.own.is_grounded = true;
        for (std::uint16_t slot = 0; slot < others.size(); ++slot) {
            state.enters.push_back({slot, 0, 0, slot + 1U, "other"});
            state.nodes.push_back(node_at(others[slot], slot, 0));
        }
        const auto held = hold_to_client(encode_state(state));
        REQUIRE(replica.apply(*held->root->message_as_State()));
    }
    Vec3 eye() const { return replica.own().position + Vec3(0, 1.62F, 0); }
};

/// A face of `v` has nothing before its middle.
bool sees(const Ground& ground, const VoxelCoord& v) {
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-0.49F, 0.49F}) {
            Vec3 face = corner_of(v) + 0.5F;
            face[axis] += side;
            const auto hit =
                raycast_voxels(ground.replica.grid(), {ground.eye(), face - ground.eye(), 1.0F});
            if (hit.has_value() && hit->voxel == v) {
                return true;
            }
        }
    }
    return false;
}

Vec3 centre_of(const Brush& brush) {
    return Vec3(static_cast<float>(brush.centre_x), static_cast<float>(brush.centre_y),
                static_cast<float>(brush.centre_z)) /
           16.0F;
}

TEST_CASE("behaviours: names are parsed, others refused with what there is") {
    CHECK(parse_behaviour("walk") == BehaviourKind::walk);
    CHECK(parse_behaviour("mixed") == BehaviourKind::mixed);
    CHECK(parse_behaviour("explore") == BehaviourKind::explore);
    CHECK(parse_behaviour("hostile").error().message == "hostile: not in this version");
    CHECK(parse_behaviour("fly").error().message ==
          "'fly' is no behaviour: walk, dig, build, mixed, explore or idle");
}

TEST_CASE("behaviours: yaw_towards is where direction_of_view looks") {
    Random random(3);
    for (int i = 0; i < 200; ++i) {
        const auto turn = static_cast<std::uint16_t>(random.below(65536));
        const Vec3 direction = direction_of_view(turn, 0);
        const auto back = yaw_towards(direction.x * 7.0F, direction.z * 7.0F);
        const auto difference = static_cast<std::int16_t>(back - turn);
        CHECK(std::abs(difference) <= 1);
    }
}

TEST_CASE("behaviours: what is dug is solid, in reach, in sight and not underfoot") {
    const Ground ground;
    Random random(11);
    int found = 0;
    std::map<VoxelCoord, int> targets;
    for (int i = 0; i < 300; ++i) {
        const auto brush = choose_dig(ground.replica, random);
        if (!brush.has_value()) {
            continue;
        }
        ++found;
        REQUIRE(is_valid(*brush, ground.replica.zone().materials.size()));
        CHECK(brush->mode == BrushMode::dig);
        const Vec3 centre = centre_of(*brush);
        const VoxelCoord target = voxel_at(centre);
        ++targets[target];
        CHECK(is_core(ground.replica.grid().voxel(target)));
        CHECK(glm::length(centre - ground.eye()) <= ground.replica.zone().reach_m);
        CHECK(sees(ground, target));
        const bool is_near = std::abs(centre.x - 0.5F) < 1.0F && std::abs(centre.z - 0.5F) < 1.0F;
        CHECK_FALSE((is_near && centre.y < 0.0F));
    }
    CHECK(found > 250);
    CHECK(targets.size() > 50);
}

TEST_CASE(
    "behaviours: what is placed is placeable, in the air, in reach, in sight, in nobody's way") {
    Ground ground;
    const Vec3 other{2.5F, 0.0F, 0.5F};
    ground.stand({0.5F, 0, 0.5F}, {other});
    const MotionConfig& motion = ground.replica.zone().motion;
    Random random(12);
    int found = 0;
    for (int i = 0; i < 300; ++i) {
        const auto brush = choose_place(ground.replica, random);
        if (!brush.has_value()) {
            continue;
        }
        ++found;
        REQUIRE(is_valid(*brush, ground.replica.zone().materials.size()));
        CHECK(brush->mode == BrushMode::place);
        CHECK(ground.replica.zone().materials[brush->material].can_place);
        const Vec3 centre = centre_of(*brush);
        const VoxelCoord target = voxel_at(centre);
        CHECK(ground.replica.grid().voxel(target) == kAirVoxel);
        CHECK(glm::length(centre - ground.eye()) <= ground.replica.zone().reach_m);
        CHECK_FALSE(
            raycast_voxels(ground.replica.grid(), {ground.eye(), centre - ground.eye(), 1.0F}));
        const Aabb block = to_aabb({target, target});
        CHECK_FALSE(overlaps(block, player_box(ground.replica.own().position, motion)));
        CHECK_FALSE(overlaps(block, player_box(other, motion)));
    }
    CHECK(found > 200);
}

TEST_CASE("behaviours: with nothing in sight there is no target, and no crash outside the zone") {
    VoxelGrid empty(small_welcome().bounds);
    Random random(13);
    const Ground nothing(empty);
    CHECK_FALSE(choose_dig(nothing.replica, random).has_value());
    CHECK_FALSE(choose_place(nothing.replica, random).has_value());
    Ground ground;
    for (const Vec3& foot : {Vec3(500.0F, 3.0F, 0.0F), Vec3(0.5F, -60.0F, 0.5F),
                             Vec3(63.9F, 0.0F, 63.9F), Vec3(0.5F, -30.0F, 0.5F)}) {
        ground.stand(foot);
        for (int i = 0; i < 20; ++i) {
            for (const auto& brush :
                 {choose_dig(ground.replica, random), choose_place(ground.replica, random)}) {
                if (brush.has_value()) {
                    CHECK(contains(voxel_box(ground.replica.zone().bounds), reach_of(*brush).min));
                    CHECK(contains(voxel_box(ground.replica.zone().bounds), reach_of(*brush).max));
                }
            }
        }
    }
}

TEST_CASE("behaviours: edits come at their rate, whatever the phase") {
    const Ground ground;
    for (const float rate : {0.5F, 1.0F, 4.0F, 50.0F}) {
        CAPTURE(rate);
        Behaviour behaviour({.kind = BehaviourKind::dig, .edits_per_s = rate}, 5);
        std::size_t edits = 0;
        for (int tick = 0; tick < 400; ++tick) {  // 20 s
            edits += behaviour.think(ground.replica, true).edits.size();
        }
        CHECK(static_cast<float>(edits) <= rate * 20.0F + 1.0F);
        CHECK(static_cast<float>(edits) >= rate * 20.0F * 0.8F - 1.0F);
        CHECK(behaviour.think(ground.replica, false).edits.empty());
    }
}

TEST_CASE("behaviours: idle and walk never edit, idle and dig stand") {
    const Ground ground;
    for (const auto kind : {BehaviourKind::idle, BehaviourKind::walk, BehaviourKind::dig}) {
        CAPTURE(static_cast<int>(kind));
        Behaviour behaviour({.kind = kind, .edits_per_s = 10.0F}, 6);
        std::size_t edits = 0;
        int moves = 0;
        for (int tick = 0; tick < 100; ++tick) {
            const Intent intent = behaviour.think(ground.replica, true);
            edits += intent.edits.size();
            moves += intent.controls.move_forward != 0 ? 1 : 0;
        }
        CHECK((edits > 0) == (kind == BehaviourKind::dig));
        CHECK((moves > 0) == (kind == BehaviourKind::walk));
    }
}

TEST_CASE("behaviours: a walker stays near where it came in, and jumps when it is stuck") {
    Ground ground;
    const BehaviourConfig config{.kind = BehaviourKind::walk, .wander_radius_m = 6.0F};
    Behaviour walker(config, 7);
    Vec3 position{0.5F, 0, 0.5F};
    float farthest = 0.0F;
    float walked = 0.0F;
    for (int tick = 0; tick < 1200; ++tick) {
        const Intent intent = walker.think(ground.replica, true);
        const Vec3 step = direction_of_view(intent.controls.yaw, 0) *
                          (static_cast<float>(intent.controls.move_forward) / 127.0F * 0.225F);
        position += step;
        walked += glm::length(step);
        farthest = std::max(farthest, glm::length(position - Vec3(0.5F, 0, 0.5F)));
        ground.stand(position);
    }
    CHECK(walked > 200.0F);
    CHECK(farthest > 2.0F);
    CHECK(farthest <= config.wander_radius_m + 1.0F);

    Behaviour stuck(config, 8);
    int jumps = 0;
    for (int tick = 0; tick < 60; ++tick) {
        jumps += (stuck.think(ground.replica, true).controls.buttons & kButtonJump) != 0 ? 1 : 0;
    }
    CHECK(jumps >= 3);
}

TEST_CASE("behaviours: an explorer runs straight out to the zone's border and comes back") {
    Ground ground;
    Behaviour explorer({.kind = BehaviourKind::explore}, 9);
    const Vec3 home{0.5F, 0, 0.5F};
    Vec3 position = home;
    const Aabb inside = grow(to_aabb(voxel_box(ground.replica.zone().bounds)), -6.0F);
    int returns = 0;
    bool is_away = false;
    float longest_straight = 0.0F;
    float straight = 0.0F;
    std::uint16_t yaw = 0;
    for (int tick = 0; tick < 1200; ++tick) {
        const Intent intent = explorer.think(ground.replica, true);
        REQUIRE(intent.edits.empty());
        REQUIRE((intent.controls.buttons & kButtonRun) != 0);
        position += direction_of_view(intent.controls.yaw, 0) * 0.35F;
        const bool is_straight =
            std::abs(static_cast<std::int16_t>(intent.controls.yaw - yaw)) < 400;
        straight = is_straight ? straight + 0.35F : 0.0F;
        longest_straight = std::max(longest_straight, straight);
        yaw = intent.controls.yaw;
        const float away = glm::length(position - home);
        returns += is_away && away < 2.0F ? 1 : 0;
        is_away = away > 40.0F || (is_away && away > 2.0F);
        REQUIRE(position.x > inside.min.x);
        REQUIRE(position.x < inside.max.x);
        REQUIRE(position.z > inside.min.z);
        REQUIRE(position.z < inside.max.z);
        ground.stand(position);
    }
    CHECK(returns >= 2);
    CHECK(longest_straight > 35.0F);

    // Before a wall it goes round: other directions, then the old one again.
    Behaviour stuck({.kind = BehaviourKind::explore}, 10);
    std::map<std::uint16_t, int> directions;
    for (int tick = 0; tick < 400; ++tick) {
        ++directions[stuck.think(ground.replica, true).controls.yaw];
    }
    CHECK(directions.size() > 3);
}

TEST_CASE("behaviours: the same seed does the same") {
    const Ground ground;
    Behaviour first({.kind = BehaviourKind::mixed, .edits_per_s = 5.0F}, 21);
    Behaviour second({.kind = BehaviourKind::mixed, .edits_per_s = 5.0F}, 21);
    Behaviour other({.kind = BehaviourKind::mixed, .edits_per_s = 5.0F}, 22);
    bool differs = false;
    for (int tick = 0; tick < 100; ++tick) {
        const Intent a = first.think(ground.replica, true);
        const Intent b = second.think(ground.replica, true);
        CHECK(a.controls == b.controls);
        CHECK(a.edits == b.edits);
        differs = differs || a.controls != other.think(ground.replica, true).controls;
    }
    CHECK(differs);
}

}  // namespace
}  // namespace terrane::test
