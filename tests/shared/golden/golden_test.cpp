// What client and server, and two machines of different kinds, must agree on to the bit: hashes of
// what the shared rooms make, written down. A number that changes is a change of behaviour: old
// clients and stored worlds follow the old one, so it needs a reason, and its new value here.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "shared/core/random.h"
#include "shared/motion/player_motion.h"
#include "shared/terrain/loose_pieces.h"
#include "shared/voxel/chunk_codec.h"
#include "shared/voxel/piece_parts.h"
#include "shared/voxel/terrain_generator.h"
#include "tests/shared/voxel/piece_samples.h"

namespace terrane {
namespace {

/// Takes in one number after the other.
struct Mixer {
    std::uint64_t hash = 0;

    void add(std::uint64_t value) { hash = mix_bits(hash * 31 + value); }
    void add(float value) { add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }
    void add(const Vec3& v) {
        add(v.x);
        add(v.y);
        add(v.z);
    }
};

constexpr GridBounds kBounds{{-2, -1, -1}, {1, 2, 2}};

/// Generated ground that a few hundred brushes have been at.
VoxelGrid edited_ground() {
    VoxelGrid grid(kBounds);
    for (std::int32_t y = kBounds.min.y; y < kBounds.max.y; ++y) {
        for (std::int32_t z = kBounds.min.z; z < kBounds.max.z; ++z) {
            for (std::int32_t x = kBounds.min.x; x < kBounds.max.x; ++x) {
                grid.insert({x, y, z}, generate_chunk({7, 0}, kBounds, {x, y, z}));
            }
        }
    }
    Random random(11);
    for (int i = 0; i < 400; ++i) {
        Brush brush;
        brush.shape = static_cast<BrushShape>(random.below(3));
        brush.mode = random.below(3) == 0 ? BrushMode::place : BrushMode::dig;
        brush.material = brush.mode == BrushMode::place ? MaterialId{3} : kAir;
        brush.centre_x = random.between(-60 * 16, 30 * 16);
        brush.centre_z = random.between(-30 * 16, 60 * 16);
        brush.centre_y = random.between(-10 * 16, 30 * 16);
        brush.size_x = static_cast<std::uint8_t>(random.between(1, 64));
        brush.size_y = static_cast<std::uint8_t>(random.between(1, 64));
        brush.size_z = static_cast<std::uint8_t>(random.between(1, 64));
        apply_brush(grid, brush);
    }
    return grid;
}

}  // namespace

TEST_CASE("golden: generated and edited chunks, through the codec and back") {
    const VoxelGrid grid = edited_ground();
    Mixer mixer;
    for (const ChunkCoord& c : grid.sorted_coords()) {
        mixer.add(hash_chunk(*grid.find(c)));
        const auto again = decode_chunk(encode_chunk(*grid.find(c)), 256);
        REQUIRE(again.has_value());
        REQUIRE(hash_chunk(*again) == hash_chunk(*grid.find(c)));
    }
    CHECK(mixer.hash == 4195906298065884059U);
}

TEST_CASE("golden: masks, surfaces, triangles and rays of every kind of collider") {
    const VoxelGrid grid = edited_ground();
    for (const ColliderKind kind :
         {ColliderKind::flat, ColliderKind::flat_scalar, ColliderKind::kd}) {
        Terrain terrain(grid, {64U << 20, kind});
        TerrainMasks masks(grid);
        for (const ChunkCoord& c : grid.sorted_coords()) {
            terrain.chunk_arrived(c);
            masks.chunk_arrived(c);
        }
        Mixer mixer;
        for (const ChunkCoord& c : grid.sorted_coords()) {
            for (std::int32_t i = 0; i < kBricksPerChunk; ++i) {
                const BrickCoord brick{4 * c.x + (i & 3), 4 * c.y + (i >> 4),
                                       4 * c.z + ((i >> 2) & 3)};
                const BrickMask mask = masks.mask(brick);
                const BrickWords surface = masks.surface(brick);
                for (std::size_t y = 0; y < kBrickSize; ++y) {
                    mixer.add(mask.solid[y]);
                    mixer.add(mask.water[y]);
                    mixer.add(surface[y]);
                }
            }
        }
        std::vector<TerrainTriangle> triangles;
        terrain.gather_triangles({Vec3(-40.0F, -20.0F, -20.0F), Vec3(20.0F, 40.0F, 40.0F)},
                                 triangles);
        for (const TerrainTriangle& triangle : triangles) {
            mixer.add(triangle.a);
            mixer.add(triangle.b);
            mixer.add(triangle.c);
        }
        Random random(3);
        std::size_t hits = 0;
        for (int i = 0; i < 2000; ++i) {
            // Braces draw from left to right, arguments in any order.
            const Vec3 from{random.range(-60.0F, 30.0F), 60.0F, random.range(-30.0F, 60.0F)};
            const Vec3 way{random.range(-50.0F, 50.0F), -80.0F, random.range(-50.0F, 50.0F)};
            if (const auto hit = terrain.raycast({from, way, 1.0F})) {
                mixer.add(hit->t);
                mixer.add(hit->normal);
                ++hits;
            }
        }
        CHECK(hits > 1000);
        CHECK(mixer.hash == 14882124751019838709U);
    }
}

TEST_CASE("golden: loose pieces, their bytes, parts, mass and axes") {
    VoxelGrid grid = edited_ground();
    LoosePieces loose;
    loose.note_removed(voxel_box(kBounds));
    std::vector<LoosePiece> pieces;
    loose.find({grid}, {4096, 1U << 30, 1000}, pieces);
    REQUIRE(pieces.size() > 5);
    Random random(4);
    for (int i = 0; i < 20; ++i) {
        pieces.push_back({{}, test::random_piece(random, 12)});
    }
    const std::vector<float> densities(16, 1700.0F);
    Mixer mixer;
    for (const LoosePiece& piece : pieces) {
        for (const std::uint8_t byte : encode_piece(piece.piece)) {
            mixer.add(std::uint64_t{byte});
        }
        for (const PiecePart& part : piece_parts(piece.piece)) {
            for (const Vec3& corner : part.corners) {
                mixer.add(corner);
            }
        }
        const PieceMass mass = weigh_piece(piece.piece, densities);
        mixer.add(mass.mass_kg);
        mixer.add(mass.centre);
        const PrincipalInertia principal = principal_inertia(mass.inertia);
        mixer.add(principal.moments);
        mixer.add(Vec3(principal.axes.x, principal.axes.y, principal.axes.z));
    }
    CHECK(mixer.hash == 10857506174494484590U);
}

TEST_CASE("golden: a player's walk, run, swim and jumps") {
    const VoxelGrid grid = edited_ground();
    Terrain terrain(grid);
    for (const ChunkCoord& c : grid.sorted_coords()) {
        terrain.chunk_arrived(c);
    }
    MotionWorld world;
    world.terrain = &terrain;
    Mixer mixer;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        PlayerState player;
        player.position = {random.range(-50.0F, 20.0F), 50.0F, random.range(-20.0F, 50.0F)};
        PlayerControls controls;
        for (int step = 0; step < 900; ++step) {
            if (step % 30 == 0) {
                controls.move_forward = static_cast<std::int8_t>(random.between(-127, 127));
                controls.move_right = static_cast<std::int8_t>(random.between(-127, 127));
                controls.yaw = static_cast<std::uint16_t>(random.below(65536));
                controls.buttons = static_cast<std::uint8_t>(random.below(8));
            }
            step_player(player, controls, {}, world, 1.0F / 60.0F);
            mixer.add(player.position);
            mixer.add(player.velocity);
        }
    }
    CHECK(mixer.hash == 6474857999675189454U);
}

}  // namespace terrane
