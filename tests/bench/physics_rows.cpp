// Rows about bodies: a step of the whole physics world with bodies at rest and with a heap of them,
// ours and Bullet's on the same ground; buoyancy; how many boxes the contact filter lets pass.
// Bodies are kept awake on both sides: a sleeping one costs nothing and tells nothing.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "server/physics/buoyancy.h"
#include "server/physics/contact_filter.h"
#include "server/physics/physics_world.h"
#include "shared/core/random.h"
#include "shared/math/trig.h"
#include "tests/bench/bench_row.h"
#include "tests/bench/physics_peer.h"
#include "tests/bench/terrain_scene.h"

namespace terrane::bench {
namespace {

constexpr float kSubstepS = 1.0F / 60.0F;
constexpr int kSettleSteps = 180;

const BodyKind kBox{"box", BodyShape::box, Vec3(0.3F), 350.0F};
const BodyKind kSphere{"sphere", BodyShape::sphere, Vec3(0.25F), 300.0F};
const BodyKind kCylinder{"cylinder", BodyShape::cylinder, Vec3(0.3F, 0.4F, 0.3F), 600.0F};

/// The ground's height under the sky at (x, z), and its normal there.
std::optional<TerrainHit> sky_hit(TerrainScene& scene, float x, float z, Vec3& at) {
    const Ray down{{x, 120.0F, z}, {0.0F, -200.0F, 0.0F}, 1.0F};
    const auto hit = scene.terrain.raycast(down);
    if (hit) {
        at = point_at(down, hit->t);
    }
    return hit;
}

PhysicsConfig all_awake() {
    PhysicsConfig config;
    config.awake_max = config.bodies_max;
    return config;
}

/// The same bodies in both worlds.
struct Bodies {
    std::unique_ptr<PhysicsWorld> ours;
    std::unique_ptr<PhysicsPeer> theirs;
    std::vector<BodyHandle> handles;

    explicit Bodies(TerrainScene& scene)
        : ours(std::make_unique<PhysicsWorld>(scene.terrain, all_awake())),
          theirs(make_physics_peer(scene)) {}
    void add(const BodyKind& kind, const Vec3& position) {
        BodyState state;
        state.position = position;
        handles.push_back(ours->add_body(kind, state));
        theirs->add(kind, position);
    }
    void step_ours() {
        for (const BodyHandle body : handles) {
            ours->wake(body);
        }
        ours->step(kSubstepS);
    }
    /// Not lost, and slower than 20 cm/s.
    std::size_t resting_of_ours() const {
        return static_cast<std::size_t>(std::ranges::count_if(handles, [&](const BodyHandle body) {
            return ours->is_awake(body) && glm::length(ours->state(body).linear_velocity) < 0.2F;
        }));
    }
    std::size_t resting_of_theirs() const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < theirs->body_count(); ++i) {
            count += glm::length(theirs->velocity(i)) < 0.2F ? 1U : 0U;
        }
        return count;
    }
    /// The same scene: bodies lie within 10 cm of each other in both worlds, and as many rest. A
    /// few may roll another way.
    bool is_alike() const {
        const std::size_t few = handles.size() / 10;
        std::size_t apart = 0;
        for (std::size_t i = 0; i < handles.size(); ++i) {
            const Vec3 way = ours->state(handles[i]).position - theirs->position(i);
            apart += glm::length(way) < 0.1F ? 0U : 1U;
        }
        const std::size_t our_resting = resting_of_ours();
        const std::size_t their_resting = resting_of_theirs();
        return apart <= few && our_resting + few >= their_resting &&
               their_resting + few >= our_resting && our_resting + 2 * few >= handles.size();
    }
    /// One pass: `substeps` of each side; the answer is whether the scenes are alike.
    Work work(int substeps, bool is_comparable) {
        const std::uint64_t answer = handles.size();
        Work made;
        made.ours = [this, substeps, answer] {
            for (int i = 0; i < substeps; ++i) {
                step_ours();
            }
            return answer;
        };
        made.theirs = [this, substeps, answer, is_comparable] {
            for (int i = 0; i < substeps; ++i) {
                theirs->step(kSubstepS);
            }
            return is_comparable ? answer : 0;
        };
        return made;
    }
};

/// Keeps what the passes use for as long as they are.
Work keeping(const std::shared_ptr<Bodies>& bodies, Work work) {
    work.ours = [bodies, pass = std::move(work.ours)] { return pass(); };
    work.theirs = [bodies, pass = std::move(work.theirs)] { return pass(); };
    return work;
}

/// A12: 1,000 bodies at rest, each for itself, on level ground under the sky and above the lake.
std::optional<Work> rest(std::span<const BodyKind* const> kinds) {
    constexpr std::size_t kCount = 1000;
    TerrainScene& scene = terrain_scene();
    auto bodies = std::make_shared<Bodies>(scene);
    if (bodies->theirs == nullptr) {
        return std::nullopt;
    }
    const Aabb zone = grow(to_aabb(voxel_box(scene.grid.bounds())), -8.0F);
    Random random(12);
    std::vector<Vec3> places;
    while (places.size() < kCount) {
        Vec3 at{0.0F};
        const auto hit = sky_hit(scene, random.range(zone.min.x, zone.max.x),
                                 random.range(zone.min.z, zone.max.z), at);
        if (!hit || at.y < 1.5F || hit->normal.y < 0.998F ||
            std::ranges::any_of(
                places, [&](const Vec3& other) { return glm::length(other - at) < 2.0F; })) {
            continue;
        }
        const BodyKind& kind = *kinds[places.size() % kinds.size()];
        const float height =
            kind.shape == BodyShape::sphere ? kind.half_extents.x : kind.half_extents.y;
        bodies->add(kind, at + Vec3(0.0F, height + 0.05F, 0.0F));
        places.push_back(at);
    }
    for (int i = 0; i < kSettleSteps; ++i) {
        bodies->step_ours();
        bodies->theirs->step(kSubstepS);
    }
    return keeping(bodies, bodies->work(1, bodies->is_alike()));
}

/// M3: a heap of 300 bodies on a hill's top; an operation is a tick of three substeps.
std::optional<Work> heap() {
    constexpr int kSide = 10;
    TerrainScene& scene = terrain_scene();
    auto bodies = std::make_shared<Bodies>(scene);
    if (bodies->theirs == nullptr) {
        return std::nullopt;
    }
    Random random(3);
    Vec3 middle{0.0F};
    float best_drop = 1e9F;
    for (int i = 0; i < 400; ++i) {  // the most level place of many
        const float x = random.range(-100.0F, 100.0F);
        const float z = random.range(-100.0F, 100.0F);
        float low = 1e9F;
        float high = -1e9F;
        for (int k = 0; k < 9; ++k) {
            Vec3 at{0.0F};
            const auto along = static_cast<float>(k % 3 - 1);
            const auto across = static_cast<float>(k / 3 - 1);
            if (sky_hit(scene, x + 5.0F * along, z + 5.0F * across, at)) {
                low = std::min(low, at.y);
                high = std::max(high, at.y);
            }
        }
        if (low > 1.5F && high - low < best_drop) {
            best_drop = high - low;
            middle = {x, high, z};
        }
    }
    const std::array<const BodyKind*, 3> kinds{&kBox, &kSphere, &kCylinder};
    for (int i = 0; i < 300; ++i) {
        const Vec3 cell{static_cast<float>(i % kSide), static_cast<float>(i / (kSide * kSide)),
                        static_cast<float>(i / kSide % kSide)};
        const Vec3 shake{random.range(-0.05F, 0.05F), 0.0F, random.range(-0.05F, 0.05F)};
        bodies->add(*kinds[random.below(3)],
                    middle + 0.75F * (cell - Vec3(4.5F, 0.0F, 4.5F)) + shake + Vec3(0, 0.6F, 0));
    }
    for (int i = 0; i < kSettleSteps; ++i) {
        bodies->step_ours();
        bodies->theirs->step(kSubstepS);
    }
    const bool is_comparable =
        bodies->resting_of_ours() >= 250 && bodies->resting_of_theirs() >= 250;
    return keeping(bodies, bodies->work(3, is_comparable));
}

// ---- buoyancy ----

/// How high the voxel's own column is wet: what buoyancy.h writes down, voxel by voxel.
float wet_share(const VoxelGrid& grid, const VoxelCoord& at) {
    const auto part = [](const Voxel& v) { return static_cast<float>(v.occupancy) / 255.0F; };
    const auto look = [&](int x, int y, int z) { return grid.voxel(at + VoxelCoord{x, y, z}); };
    const Voxel here = look(0, 0, 0);
    const bool is_under_water = is_water(look(0, 1, 0));
    if (is_water(here)) {
        return is_under_water ? 1.0F : part(here);
    }
    if (!is_solid(here) || is_core(here)) {
        return 0.0F;
    }
    if (is_under_water) {
        return 1.0F;
    }
    float flooded = 0.0F;
    for (const auto& [x, z] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const Voxel beside = look(x, 0, z);
        if (is_water(beside)) {
            flooded = std::max(flooded, is_water(look(x, 1, z)) ? 1.0F : part(beside));
        }
    }
    return flooded;
}

/// Calls fn(point) for side^3 points spread over the body.
template <typename Fn>
void each_point(const BodyVolume& body, int side, Fn&& fn) {
    const bool is_ball = body.shape == BodyShape::sphere;
    const Vec3 half = is_ball ? Vec3(body.half_extents.x) : body.half_extents;
    for (int i = 0; i < side * side * side; ++i) {
        const Vec3 cell{static_cast<float>(i % side), static_cast<float>(i / side % side),
                        static_cast<float>(i / (side * side))};
        const Vec3 unit = (cell + 0.5F) * (2.0F / static_cast<float>(side)) - 1.0F;
        if (!is_ball || glm::dot(unit, unit) <= 1.0F) {
            fn(body.position + body.rotation * (half * unit));
        }
    }
}

/// Physics keeps bodies out of it.
bool is_in_rock(const VoxelGrid& grid, const BodyVolume& body) {
    bool is_met = false;
    each_point(body, 8,
               [&](const Vec3& at) { is_met = is_met || is_core(grid.voxel(voxel_at(at))); });
    return is_met;
}

/// Share of the body under water by side^3 points.
float sampled_share(const VoxelGrid& grid, const BodyVolume& body, int side) {
    int inside = 0;
    int wet = 0;
    each_point(body, side, [&](const Vec3& at) {
        const VoxelCoord voxel = voxel_at(at);
        ++inside;
        wet += at.y - static_cast<float>(voxel.y) < wet_share(grid, voxel) ? 1 : 0;
    });
    return static_cast<float>(wet) / static_cast<float>(inside);
}

float our_share(const Terrain& terrain, const BodyVolume& body) {
    return submerge(terrain, body).volume_m3 / volume_m3(body.shape, body.half_extents);
}

/// A24: boxes and spheres about the lake's level, its shore among them. The answers agree if the
/// share under water is right: mean error at most .01, largest .2, against 20^3 points.
std::optional<Work> buoyancy() {
    const TerrainScene& scene = terrain_scene();
    auto bodies = std::make_shared<std::vector<BodyVolume>>();
    const Aabb zone = grow(to_aabb(voxel_box(scene.grid.bounds())), -8.0F);
    Random random(24);
    while (bodies->size() < 4000) {
        BodyVolume body;
        body.shape = bodies->size() % 2 == 0 ? BodyShape::box : BodyShape::sphere;
        body.position = {random.range(zone.min.x, zone.max.x), random.range(-1.5F, 1.0F),
                         random.range(zone.min.z, zone.max.z)};
        const VoxelCoord at = voxel_at(body.position);
        bool is_near = false;
        for (std::int32_t y = -1; y <= 1; ++y) {
            is_near = is_near || is_water(scene.grid.voxel(at + VoxelCoord{0, y, 0}));
        }
        if (!is_near) {
            continue;
        }
        body.half_extents = {random.range(0.25F, 0.9F), random.range(0.25F, 0.9F),
                             random.range(0.25F, 0.9F)};
        const Vec3 axis = glm::normalize(
            Vec3(random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F), random.range(0.1F, 1.0F)));
        body.rotation = rotation_about(axis, static_cast<std::uint16_t>(random.below(65536)));
        if (!is_in_rock(scene.grid, body)) {
            bodies->push_back(body);
        }
    }
    double sum = 0.0;
    double most = 0.0;
    constexpr std::size_t kChecked = 600;
    for (std::size_t i = 0; i < kChecked; ++i) {
        const BodyVolume& body = (*bodies)[i];
        const double error =
            std::abs(our_share(scene.terrain, body) - sampled_share(scene.grid, body, 20));
        sum += error;
        most = std::max(most, error);
    }
    const bool is_right = sum / kChecked <= 0.01 && most <= 0.2;
    Work work;
    work.operations = static_cast<double>(bodies->size());
    work.ours = [&scene, bodies] {
        std::uint64_t count = 0;
        for (const BodyVolume& body : *bodies) {
            count += our_share(scene.terrain, body) >= 0.0F ? 1U : 0U;
        }
        return count;
    };
    work.theirs = [&scene, bodies, is_right] {
        std::uint64_t count = is_right ? 0 : std::uint64_t{1} << 32;
        for (const BodyVolume& body : *bodies) {
            count += sampled_share(scene.grid, body, 4) >= 0.0F ? 1U : 0U;
        }
        return count;
    };
    return work;
}

// ---- the contact filter ----

/// A21: the share of boxes of 0.5-3 m, in percent, that meet an active cell, against the dilated
/// mask's. The answers agree if no box that meets a triangle is left out.
std::optional<Work> filter(bool is_near) {
    TerrainScene& scene = terrain_scene();
    const Aabb zone = grow(to_aabb(voxel_box(scene.grid.bounds())), -8.0F);
    constexpr int kCount = 20000;
    Random random(21);
    int passed = 0;
    int masked = 0;
    std::uint64_t missed = 0;
    std::vector<TerrainTriangle> found;
    for (int i = 0; i < kCount; ++i) {
        Vec3 at{random.range(zone.min.x, zone.max.x), random.range(zone.min.y, zone.max.y),
                random.range(zone.min.z, zone.max.z)};
        if (is_near) {
            at = glm::clamp(surface_point(scene, random) + random.range(-2.0F, 2.0F), zone.min,
                            zone.max);
        }
        const Vec3 half{random.range(0.25F, 1.5F), random.range(0.25F, 1.5F),
                        random.range(0.25F, 1.5F)};
        const Aabb box{at - half, at + half};
        const bool is_passed = may_touch_surface(scene.terrain.masks(), box);
        passed += is_passed ? 1 : 0;
        found.clear();
        scene.terrain.masks().for_each_touched_brick(
            box, [&](const BrickCoord& brick, bool is_solid, bool) {
                if (is_solid) {
                    gather(scene.terrain.colliders().get(brick), brick, box, found);
                }
            });
        masked += scene.terrain.overlap(box).solid ? 1 : 0;
        missed += !is_passed && !found.empty() ? 1U : 0U;
    }
    Work work;
    work.ours = [missed] { return missed; };
    work.theirs = [] { return std::uint64_t{0}; };
    work.our_size = 100.0 * passed / kCount;
    work.their_size = 100.0 * masked / kCount;
    return work;
}

}  // namespace

void add_physics_rows(std::vector<BenchRow>& rows) {
    static constexpr std::array<const BodyKind*, 1> kSpheres{&kSphere};
    static constexpr std::array<const BodyKind*, 1> kBoxes{&kBox};
    static constexpr std::array<const BodyKind*, 3> kMixed{&kSphere, &kBox, &kCylinder};
    const std::string bullet = "Bullet BVH a brick";
    rows.push_back(
        {"A12.rest.spheres", bullet, "ms", Goal::ratio, 2.8, 4, [] { return rest(kSpheres); }});
    rows.push_back(
        {"A12.rest.boxes", bullet, "ms", Goal::ratio, 1.5, 2.5, [] { return rest(kBoxes); }});
    rows.push_back(
        {"A12.rest.mixed", bullet, "ms", Goal::ratio, 1.4, 2, [] { return rest(kMixed); }});
    rows.push_back({"M3.awake_300", bullet, "ms", Goal::value, 8, 5, heap});
    rows.push_back({"A24.buoyancy", "4^3 points", "ns", Goal::value, 400, 100, buoyancy});
    rows.push_back(
        {"A21.filter.near", "dilated mask", "%", Goal::value, 70, 60, [] { return filter(true); }});
    rows.push_back({"A21.filter.uniform", "dilated mask", "%", Goal::value, 16, 13,
                    [] { return filter(false); }});
}

}  // namespace terrane::bench
