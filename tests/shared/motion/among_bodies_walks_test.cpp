// Long random walks over ground that is edited under the player's feet, among bodies that fly
// about: nobody ends up in rock, below the floor, too fast or nowhere, and the same inputs give the
// same bits.
#include <algorithm>
#include <bit>

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/motion/among_bodies.h"
#include "shared/motion/surroundings.h"
#include "shared/voxel/ground_density.h"
#include "tests/shared/motion/body_scene.h"

namespace terrane {
namespace {

Vec3 random_vec(Random& random, float reach) {
    const float x = random.range(-reach, reach);
    const float y = random.range(-reach, reach);
    return {x, y, random.range(-reach, reach)};
}

/// A walk of its own seed: everything random comes from it.
struct Walk {
    explicit Walk(std::uint64_t seed) : random(seed) {
        scene.fill([](float x, float z) { return 0.1F * x - 0.05F * z; }, -2.0F);
        for (std::uint64_t id = 1; id <= 12; ++id) {
            const auto shape = static_cast<BodyShape>(random.between(1, 3));
            const Vec3 half = glm::abs(random_vec(random, 0.8F)) + 0.2F;
            scene.add(id, {}, half, random.range(1.0F, 600.0F), shape);
            throw_body(scene.body(id));
        }
        scene.put({0.0F, 2.0F, 0.0F});
    }

    /// Somewhere near the player, at some speed: often on the way to him or under his feet.
    void throw_body(MotionBody& body) {
        body.position = scene.player.position + random_vec(random, 4.0F);
        body.linear_velocity = random_vec(random, random.below(4) == 0 ? 20.0F : 3.0F);
        body.angular_velocity = random_vec(random, 2.0F);
        if (random.below(3) == 0) {  // a raft below him
            body.half_extents = {1.5F, 0.4F, 1.5F};
            body.position.y = scene.player.position.y - 1.0F;
            body.linear_velocity = 0.3F * body.linear_velocity;
        }
        const Vec3 axis = random_vec(random, 1.0F);
        body.rotation =
            random.below(2) == 0 ? kNoRotation : glm::normalize(Quat{1.1F, axis.x, axis.y, axis.z});
    }

    /// As the zone does: nothing is placed into the capsule's box.
    void edit() {
        const Vec3 at = scene.player.position + random_vec(random, 2.5F);
        const VoxelCoord low = voxel_at(at);
        const VoxelBox box{low, low + VoxelCoord{random.between(0, 1), random.between(0, 1),
                                                 random.between(0, 1)}};
        const bool digs = random.below(2) == 0;
        const Aabb solid{corner_of(box.min), corner_of(box.max) + 1.0F};
        const bool is_inside = box.min.x >= -32 && box.max.x <= 31 && box.min.y >= -32 &&
                               box.max.y <= 31 && box.min.z >= -32 && box.max.z <= 31;
        if (is_inside &&
            (digs || !overlaps(solid, player_box(scene.player.position, scene.config)))) {
            const auto occupancy = static_cast<std::uint8_t>(random.between(1, 255));
            scene.set_box(box, digs ? kAirVoxel : Voxel{kFirstSolid, occupancy});
        }
    }

    void substep() {
        if (random.below(30) == 0) {
            controls.move_forward = static_cast<std::int8_t>(random.between(-60, 127));
            controls.move_right = static_cast<std::int8_t>(random.between(-127, 127));
            controls.buttons = static_cast<std::uint8_t>(random.below(8));
            controls.yaw = static_cast<std::uint16_t>(random.below(65536));
        }
        if (random.below(6) == 0) {
            edit();
        }
        if (random.below(20) == 0) {
            throw_body(scene.body(static_cast<std::uint64_t>(random.between(1, 12))));
        }
        scene.step(controls);
    }

    Random random;
    BodyScene scene;
    PlayerControls controls;
};

TEST_CASE("motion: 24,000 substeps among flying bodies over ground that is dug and built") {
    int carried = 0;
    int pushed = 0;
    int freed = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        Walk walk(seed);
        BodyScene& scene = walk.scene;
        for (int i = 0; i < 4000; ++i) {
            CAPTURE(i);
            const Vec3 before = scene.player.position;
            walk.substep();
            const Vec3& at = scene.player.position;
            REQUIRE(is_finite(at));
            REQUIRE(is_finite(scene.player.velocity));
            REQUIRE(at.y > -32.5F);
            REQUIRE(std::abs(at.x) <= 31.6301F);
            REQUIRE(std::abs(at.z) <= 31.6301F);
            for (int axis = 0; axis < 3; ++axis) {
                REQUIRE(std::abs(scene.player.velocity[axis]) <= 60.0F);
            }
            const Capsule capsule{0.35F, 1.8F, 0.37F};
            REQUIRE_FALSE(is_buried(scene.grid, capsule, at));
            // The edit of this substep may have buried him: then he was set free instead of moved.
            const float way = glm::length(at - before);
            freed += way > 1.2F ? 1 : 0;
            REQUIRE(way < 4.2F);
            float given = 0.0F;
            for (const MotionPush& push : scene.pushes) {
                REQUIRE(is_finite(push.impulse_ns));
                const bool is_weight = push.impulse_ns.x == 0.0F && push.impulse_ns.z == 0.0F;
                given += is_weight ? 0.0F : glm::length(push.impulse_ns);
            }
            REQUIRE(given <= kPlayerStrengthN * kSubstepS * 1.001F);
            pushed += given > 0.0F ? 1 : 0;
            carried += scene.player.carrier != 0 ? 1 : 0;
        }
    }
    CHECK(carried > 300);
    CHECK(pushed > 300);
    CHECK(freed < 60);
}

TEST_CASE("motion: the same bodies and inputs give the same bits, also in a world used before") {
    Walk first(77);
    Walk second(77);
    // The second's working memory has seen other things.
    PlayerState other;
    other.position = {9.0F, 3.0F, 9.0F};
    for (int i = 0; i < 1500; ++i) {
        first.substep();
        second.substep();
        BodyScene& scene = second.scene;
        step_player(other, walk_forward(static_cast<std::uint16_t>(i * 99)), scene.config,
                    scene.world, kSubstepS);
        const PlayerState& a = first.scene.player;
        const PlayerState& b = second.scene.player;
        for (int axis = 0; axis < 3; ++axis) {
            REQUIRE(std::bit_cast<std::uint32_t>(a.position[axis]) ==
                    std::bit_cast<std::uint32_t>(b.position[axis]));
            REQUIRE(std::bit_cast<std::uint32_t>(a.velocity[axis]) ==
                    std::bit_cast<std::uint32_t>(b.velocity[axis]));
            REQUIRE(std::bit_cast<std::uint32_t>(a.carrier_point[axis]) ==
                    std::bit_cast<std::uint32_t>(b.carrier_point[axis]));
        }
        REQUIRE(a.carrier == b.carrier);
        REQUIRE(first.scene.pushes.size() == second.scene.pushes.size());
        for (std::size_t p = 0; p < first.scene.pushes.size(); ++p) {
            REQUIRE(first.scene.pushes[p].impulse_ns == second.scene.pushes[p].impulse_ns);
        }
    }
}

}  // namespace
}  // namespace terrane
