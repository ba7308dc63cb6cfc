#include "tests/server/physics/physics_scene.h"

#include <bit>

#include "shared/core/assert.h"
#include "shared/math/trig.h"

namespace terrane {

BodyKind boat_kind() {
    BodyKind boat;
    boat.name = "boat";
    boat.half_extents = {0.75F, 0.35F, 1.8F};
    boat.mass_kg = 260.0F;
    boat.ballast_m = 0.15F;
    boat.friction = 0.4F;
    boat.restitution = 0.02F;
    boat.seats = {
        {0.0F, -0.2F, -0.9F}, {0.0F, -0.2F, 0.9F}, {-0.4F, -0.2F, 0.0F}, {0.4F, -0.2F, 0.0F}};
    return boat;
}

PieceShape piece_of(const std::vector<std::array<Vec3, 2>>& boxes, float density) {
    PieceShape piece;
    Vec3 centre{0.0F};
    for (const auto& [low, high] : boxes) {
        const Vec3 size = high - low;
        const float volume = size.x * size.y * size.z;
        piece.volume_m3 += volume;
        centre += volume * 0.5F * (low + high);
    }
    centre /= piece.volume_m3;
    piece.mass_kg = density * piece.volume_m3;
    for (const auto& [low, high] : boxes) {
        std::vector<Vec3> corners;
        for (int i = 0; i < 8; ++i) {
            corners.push_back(Vec3((i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y,
                                   (i & 4) != 0 ? high.z : low.z) -
                              centre);
        }
        piece.parts.push_back(shape_part(corners));
        const ShapePart& part = piece.parts.back();
        const Vec3 half = part.half_extents;
        const float mass = density * 8.0F * half.x * half.y * half.z;
        const Vec3 m2 = part.middle * part.middle;
        piece.moments += mass * (inertia_per_kg(BodyShape::box, half) +
                                 Vec3(m2.y + m2.z, m2.x + m2.z, m2.x + m2.y));
    }
    return piece;
}

void fill(VoxelGrid& grid, const VoxelBox& box, Voxel voxel) {
    for (std::int32_t y = box.min.y; y <= box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z <= box.max.z; ++z) {
            for (std::int32_t x = box.min.x; x <= box.max.x; ++x) {
                const VoxelCoord at{x, y, z};
                Chunk* chunk = grid.find(chunk_of(at));
                TERRANE_ASSERT(chunk != nullptr);
                set_voxel(*chunk, index_in_chunk(at), voxel);
            }
        }
    }
}

VoxelGrid flat_ground(const GridBounds& bounds) {
    VoxelGrid grid(bounds);
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t z = bounds.min.z; z < bounds.max.z; ++z) {
            for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
                grid.insert({x, y, z}, uniform_chunk(y < 0 ? kRock : kAirVoxel));
            }
        }
    }
    return grid;
}

VoxelGrid pool(const GridBounds& bounds) {
    VoxelGrid grid = flat_ground(bounds);
    fill(grid, {{-16, -12, -16}, {15, -1, 15}}, kFullWater);
    return grid;
}

PhysicsScene::PhysicsScene(VoxelGrid ground, const PhysicsConfig& config)
    : grid(std::move(ground)), terrain(grid), world(terrain, config) {
    for (const ChunkCoord& chunk : grid.sorted_coords()) {
        terrain.chunk_arrived(chunk);
    }
}

BodyHandle PhysicsScene::add(const BodyKind& kind, const Vec3& position, const Quat& rotation) {
    BodyState state;
    state.position = position;
    state.rotation = rotation;
    return world.add_body(kind, state);
}

BodyHandle PhysicsScene::add_piece(const PieceShape& piece, const Vec3& position,
                                   const Quat& rotation) {
    BodyState state;
    state.position = position;
    state.rotation = rotation;
    return world.add_piece(piece, 0.6F, state);
}

void PhysicsScene::edit(const VoxelBox& box, Voxel voxel) {
    fill(grid, box, voxel);
    world.terrain_changed(terrain.voxels_changed(box));
}

void PhysicsScene::load(const ChunkCoord& chunk, Chunk voxels) {
    grid.insert(chunk, std::move(voxels));
    terrain.chunk_arrived(chunk);
}

Chunk PhysicsScene::unload(const ChunkCoord& chunk) {
    Chunk voxels = *grid.find(chunk);
    grid.erase(chunk);
    terrain.chunk_left(chunk);
    return voxels;
}

void PhysicsScene::run(float seconds) {
    const int steps = static_cast<int>(seconds / kSubstep + 0.5F);
    for (int i = 0; i < steps; ++i) {
        world.step(kSubstep);
    }
}

std::vector<BodyHandle> drop_bodies(PhysicsScene& scene, std::uint64_t seed, int count) {
    Random random(seed);
    const std::array<const BodyKind*, 4> kinds{&kCrate, &kBall, &kLog, &kStone};
    std::vector<BodyHandle> bodies;
    for (int i = 0; i < count; ++i) {
        const Vec3 position{random.range(-12.0F, 12.0F), random.range(2.0F, 20.0F),
                            random.range(-12.0F, 12.0F)};
        const Vec3 axis =
            glm::normalize(Vec3(random.range(-1.0F, 1.0F), 1.0F, random.range(-1.0F, 1.0F)));
        const auto turn = static_cast<std::uint16_t>(random.below(65536));
        bodies.push_back(scene.add(*kinds[random.below(4)], position, rotation_about(axis, turn)));
    }
    return bodies;
}

std::uint64_t hash_states(const PhysicsScene& scene, const std::vector<BodyHandle>& bodies) {
    std::uint64_t hash = 0;
    const auto add = [&](float value) {
        hash = mix_bits(hash * 0x9e3779b97f4a7c15ULL + std::bit_cast<std::uint32_t>(value));
    };
    for (const BodyHandle body : bodies) {
        const BodyState state = scene.world.state(body);
        for (int i = 0; i < 3; ++i) {
            add(state.position[i]);
            add(state.linear_velocity[i]);
            add(state.angular_velocity[i]);
        }
        for (int i = 0; i < 4; ++i) {
            add(state.rotation[i]);
        }
        add(state.is_asleep ? 1.0F : 0.0F);
    }
    return hash;
}

}  // namespace terrane
