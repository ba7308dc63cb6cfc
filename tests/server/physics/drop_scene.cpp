#include "tests/server/physics/drop_scene.h"

#include <algorithm>

#include "shared/math/trig.h"
#include "shared/voxel/terrain_generator.h"

namespace terrane {
namespace {

constexpr std::int32_t kReach = 20;  ///< bodies start within so many metres of the middle

/// A wedge, 0.8 m long: two triangles and three sides.
PieceShape wedge() {
    PieceShape piece;
    const float third = 0.5F / 3.0F;
    std::vector<Vec3> corners;
    for (const float z : {-0.4F, 0.4F}) {
        corners.push_back({-third, -third, z});
        corners.push_back({0.5F - third, -third, z});
        corners.push_back({-third, 0.5F - third, z});
    }
    piece.parts.push_back(shape_part(corners));
    piece.volume_m3 = 0.5F * 0.5F * 0.5F * 0.8F;
    piece.mass_kg = 1500.0F * piece.volume_m3;
    // Of a right triangle with legs a about its centre: a^2 / 18 across each leg, -a^2 / 36 between
    // them, so a^2 / 12 and a^2 / 36 about the axes at 45 degrees; along it their sum.
    const float leg2 = 0.25F;
    const float length2 = 0.64F / 12.0F;
    piece.moments =
        piece.mass_kg * Vec3(leg2 / 36.0F + length2, leg2 / 12.0F + length2, leg2 / 9.0F);
    piece.axes = rotation_about({0.0F, 0.0F, 1.0F}, 8192);
    return piece;
}

struct Dropped {
    BodyHandle handle;
    float mass_kg = 0.0F;
    Vec3 moments{0.0F};
    Quat axes = kNoRotation;
};

double energy_j(const PhysicsScene& scene, const Dropped& body, float gravity_mps2) {
    const BodyState state = scene.world.state(body.handle);
    const Vec3 spin = glm::conjugate(state.rotation * body.axes) * state.angular_velocity;
    const auto kinetic = 0.5 * static_cast<double>(body.mass_kg * glm::dot(state.linear_velocity,
                                                                           state.linear_velocity) +
                                                   glm::dot(spin * spin, body.moments));
    return kinetic + static_cast<double>(body.mass_kg) * static_cast<double>(gravity_mps2) *
                         static_cast<double>(state.position.y);
}

Dropped add_one(PhysicsScene& scene, Random& random, const Vec3& middle, const PieceShape& hull) {
    static const std::array<const BodyKind*, 5> kKinds{&kCrate, &kBall, &kPill, &kLog, &kStone};
    constexpr auto kReachM = static_cast<float>(kReach);
    const Vec3 place{random.range(-kReachM, kReachM), random.range(0.0F, 24.0F),
                     random.range(-kReachM, kReachM)};
    const Vec3 axis =
        glm::normalize(Vec3(random.range(-1.0F, 1.0F), 1.0F, random.range(-1.0F, 1.0F)));
    BodyState state;
    state.position = middle + place;
    state.rotation = rotation_about(axis, static_cast<std::uint16_t>(random.below(65536)));
    const std::uint32_t which = random.below(6);
    if (which == kKinds.size()) {
        return {scene.world.add_piece(hull, 0.6F, state), hull.mass_kg, hull.moments, hull.axes};
    }
    const BodyKind& kind = *kKinds[which];
    const float mass_kg = body_mass_kg(kind);
    return {scene.world.add_body(kind, state), mass_kg,
            mass_kg * inertia_per_kg(kind.shape, kind.half_extents), kNoRotation};
}

void fill_adversarial(VoxelGrid& grid, const VoxelCoord& middle) {
    Random random(77);
    const auto put = [&](std::int32_t x, std::int32_t y, std::int32_t z, std::uint8_t occupancy) {
        const VoxelCoord at = middle + VoxelCoord{x, y, z};
        fill(grid, {at, at}, {kFirstSolid, occupancy});
    };
    for (std::int32_t z = -32; z < 32; ++z) {
        for (std::int32_t x = -32; x < 32; ++x) {
            const bool is_wall = x % 8 == 0 || z % 8 == 0;
            const int part = (x >= 0 ? 1 : 0) + (z >= 0 ? 2 : 0);
            if (std::max(std::abs(x), std::abs(z)) > 30) {  // nobody rolls away
                for (std::int32_t y = 0; y < 12; ++y) {
                    put(x, y, z, kFullOccupancy);
                }
            } else if (part == 0) {  // walls of one voxel
                for (std::int32_t y = 0; is_wall && y < 5; ++y) {
                    put(x, y, z, kFullOccupancy);
                }
            } else if (part == 1) {  // a checkerboard of columns
                put(x, 0, z, (x + z) % 2 == 0 ? 255 : 100);
            } else if (part == 2) {  // single voxels in the air and on the ground
                if (random.below(4) == 0) {
                    put(x, static_cast<std::int32_t>(random.below(4)), z, kFullOccupancy);
                }
            } else {  // part-filled heights
                put(x, 0, z, static_cast<std::uint8_t>(1 + random.below(255)));
            }
        }
    }
}

}  // namespace

bool is_in_mesh(Terrain& terrain, const Vec3& point) {
    constexpr float kSkyM = 200.0F;
    std::vector<TerrainTriangle> triangles;
    terrain.gather_triangles({point, point + Vec3(0.0F, kSkyM, 0.0F)}, triangles);
    const auto turn = [&](const Vec3& a, const Vec3& b) {
        const auto ax = static_cast<double>(a.x - point.x);
        const auto az = static_cast<double>(a.z - point.z);
        const auto bx = static_cast<double>(b.x - point.x);
        const auto bz = static_cast<double>(b.z - point.z);
        return az * bx - ax * bz;
    };
    int crossings = 0;
    for (const TerrainTriangle& triangle : triangles) {
        const double ab = turn(triangle.a, triangle.b);
        const double bc = turn(triangle.b, triangle.c);
        const double ca = turn(triangle.c, triangle.a);
        const bool is_up = ab > 0.0 && bc > 0.0 && ca > 0.0;
        const bool is_down = ab < 0.0 && bc < 0.0 && ca < 0.0;
        const Vec3 normal = glm::cross(triangle.b - triangle.a, triangle.c - triangle.a);
        if ((is_up || is_down) && glm::dot(triangle.a - point, normal) * normal.y > 0.0F) {
            crossings += normal.y > 0.0F ? 1 : -1;
        }
    }
    return crossings > 0;
}

VoxelGrid drop_ground(DropGround ground, const ChunkCoord& middle) {
    const GridBounds bounds{{middle.x - 2, middle.y - 2, middle.z - 2},
                            {middle.x + 2, middle.y + 2, middle.z + 2}};
    if (ground == DropGround::adversarial) {
        VoxelGrid grid(bounds);
        for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
            for (std::int32_t z = bounds.min.z; z < bounds.max.z; ++z) {
                for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
                    grid.insert({x, y, z}, uniform_chunk(y < middle.y ? kRock : kAirVoxel));
                }
            }
        }
        fill_adversarial(grid, origin_of(middle));
        return grid;
    }
    VoxelGrid grid(bounds);
    const GeneratorConfig generator;
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t z = bounds.min.z; z < bounds.max.z; ++z) {
            for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
                grid.insert({x, y, z}, generate_chunk(generator, bounds, {x, y, z}));
            }
        }
    }
    // A wall around it all: who rolls out of so small a zone would count as lost.
    const VoxelBox all = voxel_box(bounds);
    fill(grid, {all.min, {all.min.x + 2, all.max.y, all.max.z}}, kRock);
    fill(grid, {{all.max.x - 2, all.min.y, all.min.z}, all.max}, kRock);
    fill(grid, {all.min, {all.max.x, all.max.y, all.min.z + 2}}, kRock);
    fill(grid, {{all.min.x, all.min.y, all.max.z - 2}, all.max}, kRock);
    return grid;
}

DropResult drop(DropGround ground, const ChunkCoord& middle, int count, int seconds,
                const PhysicsConfig& config) {
    PhysicsScene scene(drop_ground(ground, middle), config);
    Random random(1234);
    const PieceShape hull = wedge();
    Vec3 start = corner_of(origin_of(middle));
    if (ground == DropGround::generated) {
        std::int32_t highest = origin_of(middle).y;
        for (std::int32_t x = -kReach; x <= kReach; ++x) {
            highest = std::max(highest, ground_height_m(GeneratorConfig{}, origin_of(middle).x + x,
                                                        origin_of(middle).z + x));
        }
        start.y = static_cast<float>(highest);
    }
    start.y += 6.0F;
    std::vector<Dropped> bodies;
    for (int i = 0; i < count; ++i) {
        bodies.push_back(add_one(scene, random, start, hull));
    }
    const auto energy = [&] {
        double sum = 0.0;
        for (const Dropped& body : bodies) {
            sum += energy_j(scene, body, config.gravity_mps2);
        }
        return sum;
    };
    DropResult result;
    double before = energy();
    result.start_j = before;
    for (int second = 0; second < seconds; ++second) {
        scene.run(1.0F);
        const double now = energy();
        result.rise_j = std::max(result.rise_j, now - before);
        before = now;
    }
    result.start_j -= before;
    result.lost = static_cast<int>(scene.world.stats().lost);
    result.awake = static_cast<int>(scene.world.stats().awake);
    std::vector<BodyHandle> handles;
    for (const Dropped& body : bodies) {
        handles.push_back(body.handle);
        const BodyState state = scene.world.state(body.handle);
        const float speed = glm::length(state.linear_velocity);
        result.fastest_mps = std::max(result.fastest_mps, speed);
        result.restless += !state.is_asleep && speed >= 0.01F ? 1 : 0;
        result.in_ground += is_in_mesh(scene.terrain, state.position) ? 1 : 0;
    }
    result.hash = hash_states(scene, handles);
    return result;
}

}  // namespace terrane
