#include "server/physics/buoyancy.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "server/physics/water_forces.h"
#include "shared/math/trig.h"
#include "tests/server/physics/physics_scene.h"

namespace terrane {
namespace {

bool is_inside(const BodyVolume& body, const Vec3& point) {
    const Vec3 local = glm::conjugate(body.rotation) * (point - body.position);
    const Vec3& half = body.half_extents;
    switch (body.shape) {
        case BodyShape::sphere:
            return glm::dot(local, local) < half.x * half.x;
        case BodyShape::cylinder:
            return local.x * local.x + local.z * local.z < half.x * half.x &&
                   std::abs(local.y) < half.y;
        case BodyShape::capsule: {
            const float arm = std::max(0.0F, half.y - half.x);
            const Vec3 out = local - Vec3(0.0F, std::clamp(local.y, -arm, arm), 0.0F);
            return glm::dot(out, out) < half.x * half.x;
        }
        default:
            return std::abs(local.x) < half.x && std::abs(local.y) < half.y &&
                   std::abs(local.z) < half.z;
    }
}

/// Counts `points` seeded random points of the body's box: on a lattice, layers parallel to the
/// level would all tip at once.
template <typename IsWet>
Submersion sample(const BodyVolume& body, int points, const IsWet& is_wet) {
    const Aabb box = box_of(body);
    Random random(31);
    float inside = 0.0F;
    float wet = 0.0F;
    Vec3 sum{0.0F};
    for (int i = 0; i < points; ++i) {
        const Vec3 unit{random.unit(), random.unit(), random.unit()};
        const Vec3 at = box.min + (box.max - box.min) * unit;
        if (!is_inside(body, at)) {
            continue;
        }
        inside += 1.0F;
        if (is_wet(at)) {
            wet += 1.0F;
            sum += at - body.position;
        }
    }
    Submersion result{0.0F, body.position};
    if (wet > 0.0F) {
        result.volume_m3 = volume_m3(body.shape, body.half_extents) * wet / inside;
        result.centre += sum / wet;
    }
    return result;
}

BodyVolume random_body(Random& random) {
    BodyVolume body;
    const BodyShape shapes[] = {BodyShape::box, BodyShape::sphere, BodyShape::cylinder,
                                BodyShape::capsule};
    body.shape = shapes[random.below(4)];
    body.half_extents = {random.range(0.2F, 0.9F), random.range(0.2F, 0.9F),
                         random.range(0.2F, 0.9F)};
    body.position = {random.range(-3.0F, 3.0F), random.range(-0.8F, 0.8F),
                     random.range(-3.0F, 3.0F)};
    const Vec3 axis = glm::normalize(
        Vec3(random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F), random.range(0.1F, 1.0F)));
    body.rotation = rotation_about(axis, static_cast<std::uint16_t>(random.below(65536)));
    return body;
}

}  // namespace

TEST_CASE("A24 buoyancy: a flat level cuts boxes, balls, cylinders and capsules as sampling does") {
    const std::uint64_t seed = 24;
    CAPTURE(seed);
    Random random(seed);
    for (int i = 0; i < 150; ++i) {
        CAPTURE(i);
        const BodyVolume body = random_body(random);
        const float volume = volume_m3(body.shape, body.half_extents);
        const Submersion exact = submerge_flat(body, 0.1F);
        const Submersion counted = sample(body, 40000, [](const Vec3& p) { return p.y < 0.1F; });
        CHECK(std::abs(exact.volume_m3 - counted.volume_m3) < 0.02F * volume);
        if (counted.volume_m3 > 0.05F * volume) {
            // A capsule's eight sides turn its centre by up to a twentieth of its radius.
            const float off_m = body.shape == BodyShape::capsule ? 0.05F : 0.03F;
            CHECK(glm::length(exact.centre - counted.centre) < off_m);
        }
    }
}

TEST_CASE("A24 buoyancy: levels below, above and half way give nothing, all and half") {
    for (const BodyShape shape :
         {BodyShape::box, BodyShape::sphere, BodyShape::cylinder, BodyShape::capsule}) {
        BodyVolume body;
        body.shape = shape;
        body.half_extents = {0.5F, 0.75F, 0.25F};
        body.position = {100.0F, 7.0F, -60.0F};
        const float volume = volume_m3(shape, body.half_extents);
        CHECK(submerge_flat(body, 5.0F).volume_m3 == doctest::Approx(0.0F));
        CHECK(submerge_flat(body, 9.0F).volume_m3 == doctest::Approx(volume));
        CHECK(glm::length(submerge_flat(body, 9.0F).centre - body.position) < 1e-4F);
        CHECK(submerge_flat(body, 7.0F).volume_m3 == doctest::Approx(0.5F * volume));
        CHECK(submerge_flat(body, 7.0F).centre.y < 7.0F);
    }
}

TEST_CASE("A24 buoyancy: water is classified none, full, flat or mixed") {
    PhysicsScene scene(pool(kSceneBounds));
    const auto kind = [&](const Vec3& low, const Vec3& high) {
        return classify_water(scene.terrain, {low, high});
    };
    CHECK(kind({0, 1, 0}, {1, 2, 1}).kind == WaterCase::none);
    CHECK(kind({0, -5, 0}, {1, -4, 1}).kind == WaterCase::full);
    CHECK(kind({0, -0.5F, 0}, {1, 0.5F, 1}).kind == WaterCase::flat);
    CHECK(kind({0, -0.5F, 0}, {1, 0.5F, 1}).level_m == doctest::Approx(0.0F));
    // Rock beside water says nothing: the level goes on to the visible shore.
    CHECK(kind({15, -0.5F, 0}, {17, 0.5F, 1}).kind == WaterCase::flat);
    // Nor does thin ground farther from the water than its neighbour: it is not a dry hole.
    scene.edit({{16, -1, 0}, {19, -1, 0}}, {kFirstSolid, 100});
    CHECK(kind({15.5F, -0.5F, 0.2F}, {17.5F, 0.5F, 0.8F}).kind == WaterCase::flat);
    CHECK(kind({17.2F, -0.5F, 0.2F}, {18.8F, 0.5F, 0.8F}).kind == WaterCase::none);
    scene.edit({{16, -1, 0}, {19, -1, 0}}, kAirVoxel);
    CHECK(kind({15.5F, -0.5F, 0.2F}, {17.5F, 0.5F, 0.8F}).kind == WaterCase::mixed);
    // Half a voxel of water on top: the level is inside that voxel.
    scene.edit({{-4, 0, -4}, {4, 0, 4}}, {kWater, 128});
    CHECK(kind({0, 0.1F, 0}, {1, 0.9F, 1}).level_m == doctest::Approx(128.0F / 255.0F));
    // A step of half a metre in the level.
    CHECK(kind({4, -0.5F, 0}, {6, 0.9F, 1}).kind == WaterCase::mixed);
}

TEST_CASE("A24 buoyancy: a solid voxel below core is flooded by water beside it or above it") {
    PhysicsScene scene(flat_ground(kSceneBounds));
    const VoxelCoord thin{4, 2, 4};
    scene.edit({{3, 1, 3}, {5, 1, 5}}, kRock);
    scene.edit({thin, thin}, {kFirstSolid, 100});
    const Aabb box{{4.1F, 2.1F, 4.1F}, {4.9F, 2.9F, 4.9F}};
    CHECK(classify_water(scene.terrain, box).kind == WaterCase::none);
    SUBCASE("beside") {
        scene.edit({{5, 2, 4}, {5, 2, 4}}, {kWater, 204});
        CHECK(classify_water(scene.terrain, box).kind == WaterCase::flat);
        CHECK(classify_water(scene.terrain, box).level_m == doctest::Approx(2.8F));
    }
    SUBCASE("above") {
        scene.edit({{4, 3, 4}, {4, 3, 4}}, kFullWater);
        CHECK(classify_water(scene.terrain, box).kind == WaterCase::full);
    }
    SUBCASE("core is not") {
        scene.edit({thin, thin}, {kFirstSolid, kCoreOccupancy});
        scene.edit({{5, 2, 4}, {5, 2, 4}}, {kWater, 204});
        CHECK(classify_water(scene.terrain, box).kind == WaterCase::none);
    }
}

TEST_CASE("A24 buoyancy: boxes of any size are classified by all of the voxels they meet") {
    PhysicsScene scene(pool(kSceneBounds));
    const auto kind = [&](const Vec3& low, const Vec3& high) {
        return classify_water(scene.terrain, {low, high}).kind;
    };
    CHECK(kind({-15.5F, -11.5F, -15.5F}, {15.5F, -0.5F, 15.5F}) == WaterCase::full);
    CHECK(kind({-15.5F, -11.5F, -15.5F}, {15.5F, 9.5F, 15.5F}) == WaterCase::flat);
    CHECK(kind({-15.5F, 0.5F, -15.5F}, {15.5F, 9.5F, 15.5F}) == WaterCase::none);
    // One voxel of air deep down, one of water high above, far from the box's first voxels.
    scene.edit({{9, -5, 12}, {9, -5, 12}}, kAirVoxel);
    CHECK(kind({-15.5F, -11.5F, -15.5F}, {15.5F, -0.5F, 15.5F}) == WaterCase::mixed);
    scene.edit({{9, -5, 12}, {9, -5, 12}}, kFullWater);
    scene.edit({{9, 8, 12}, {9, 8, 12}}, {kWater, 1});
    CHECK(kind({-15.5F, -11.5F, -15.5F}, {15.5F, 9.5F, 15.5F}) == WaterCase::mixed);
    CHECK(kind({-15.5F, -11.5F, -15.5F}, {15.5F, 7.5F, 15.5F}) == WaterCase::flat);
}

TEST_CASE(
    "A24 buoyancy: at steps and shores the share is within 0.2, on average 0.02, of counting") {
    const std::uint64_t seed = 7;
    CAPTURE(seed);
    Random random(seed);
    VoxelGrid grid = pool(kSceneBounds);
    for (int i = 0; i < 60; ++i) {  // puddles of many heights
        const VoxelCoord at{random.between(-4, 3), 0, random.between(-4, 3)};
        fill(grid, {at, at}, {kWater, static_cast<std::uint8_t>(random.between(1, 255))});
    }
    const PhysicsScene scene(std::move(grid));
    double total = 0.0;
    const int count = 200;
    for (int i = 0; i < count; ++i) {
        CAPTURE(i);
        const BodyVolume body = random_body(random);
        const Submersion counted = sample(body, 8000, [&](const Vec3& p) {
            const VoxelCoord at = voxel_at(p);
            const Voxel voxel = scene.grid.voxel(at);
            return is_water(voxel) &&
                   p.y - std::floor(p.y) < static_cast<float>(voxel.occupancy) / 255.0F;
        });
        const float volume = volume_m3(body.shape, body.half_extents);
        const Submersion under = submerge(scene.terrain, body);
        const float error = std::abs(under.volume_m3 - counted.volume_m3) / volume;
        if (body.shape == BodyShape::sphere) {  // no shore sets a ball spinning
            CHECK(under.centre.x == body.position.x);
            CHECK(under.centre.z == body.position.z);
        }
        CHECK(error < 0.2F);
        total += static_cast<double>(error);
    }
    CHECK(total / count < 0.02);
}

TEST_CASE(
    "A14 water_forces: nothing out of water, weight against lift in it, drag against motion") {
    const WaterConfig water;
    BodyVolume body;
    body.shape = BodyShape::sphere;
    BodyMotion motion;
    motion.mass_kg = 500.0F;
    motion.linear_velocity = {1.0F, -2.0F, 0.0F};
    motion.angular_velocity = {0.0F, 3.0F, 0.0F};
    const WaterForce dry = water_force(water, body, {0.0F, body.position}, motion, kSubstep);
    CHECK(dry.lift_n == Vec3(0.0F));
    CHECK(dry.drag_n == Vec3(0.0F));
    CHECK(dry.angular_velocity == motion.angular_velocity);
    const float volume = volume_m3(body.shape, body.half_extents);
    const WaterForce wet = water_force(water, body, {volume, body.position}, motion, kSubstep);
    CHECK(wet.lift_n.y == doctest::Approx(1000.0F * volume * 9.81F));
    CHECK(wet.drag_n.x < 0.0F);
    CHECK(wet.angular_velocity.y < 3.0F);
}

TEST_CASE("A14 water_forces: water that carries a body and its load at rest does not drag on it") {
    const WaterConfig water;
    BodyVolume body;
    body.half_extents = {0.5F, 0.5F, 0.5F};
    BodyMotion motion;
    motion.mass_kg = 300.0F;
    motion.push_n = {0.0F, -100.0F * 9.81F, 0.0F};
    const WaterForce force = water_force(water, body, {0.4F, body.position}, motion, kSubstep);
    CHECK(force.lift_n.y == doctest::Approx(400.0F * 9.81F));
    CHECK(std::abs(force.drag_n.y) < 0.01F);
}

TEST_CASE("A14 water_forces: a box shows one face along an axis and more when turned") {
    BodyVolume body;
    body.half_extents = {0.5F, 1.0F, 2.0F};
    CHECK(area_along(body, {0.0F, 1.0F, 0.0F}) == doctest::Approx(4.0F * 0.5F * 2.0F));
    CHECK(area_along(body, {1.0F, 0.0F, 0.0F}) == doctest::Approx(4.0F * 1.0F * 2.0F));
    body.rotation = rotation_about({0.0F, 0.0F, 1.0F}, 8192);
    CHECK(area_along(body, {0.0F, 1.0F, 0.0F}) == doctest::Approx((4.0F + 8.0F) * 0.70710678F));
}

}  // namespace terrane
