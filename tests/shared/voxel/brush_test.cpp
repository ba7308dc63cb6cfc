#include "shared/voxel/brush.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/shared/voxel/voxel_samples.h"

namespace terrane {
namespace {

constexpr GridBounds kBounds{{-2, -1, -1}, {1, 1, 2}};

Brush random_brush(Random& random, const VoxelBox& around) {
    Brush brush;
    brush.shape = static_cast<BrushShape>(random.below(3));
    brush.mode = static_cast<BrushMode>(random.below(4));
    switch (brush.mode) {
        case BrushMode::fill:
            brush.material = static_cast<MaterialId>(random.below(test::kMaterialCount));
            break;
        case BrushMode::dig:
            break;
        case BrushMode::place:
        case BrushMode::paint:
            brush.material = static_cast<MaterialId>(
                random.between(kFirstSolid, static_cast<std::int32_t>(test::kMaterialCount) - 1));
            break;
    }
    const auto size = [&] { return static_cast<std::uint8_t>(random.between(1, 64)); };
    brush.centre_x = random.between(around.min.x * 16, around.max.x * 16 + 15);
    brush.centre_y = random.between(around.min.y * 16, around.max.y * 16 + 15);
    brush.centre_z = random.between(around.min.z * 16, around.max.z * 16 + 15);
    brush.size_x = size();
    brush.size_y = size();
    brush.size_z = size();
    return brush;
}

/// The rule of the header, written anew and slowly: sixteenths of `v` that the shape covers.
std::int64_t slow_cover(const Brush& brush, const VoxelCoord& v) {
    const auto lies_in = [](std::int64_t voxel, std::int64_t centre, std::int64_t size) {
        // Some sixteenth of the voxel is in [centre - size, centre + size - 1].
        return voxel * 16 + 15 >= centre - size && voxel * 16 <= centre + size - 1;
    };
    switch (brush.shape) {
        case BrushShape::voxel: {
            const auto holds = [](std::int64_t voxel, std::int64_t centre) {
                return centre >= voxel * 16 && centre <= voxel * 16 + 15;
            };
            return holds(v.x, brush.centre_x) && holds(v.y, brush.centre_y) &&
                           holds(v.z, brush.centre_z)
                       ? 16
                       : 0;
        }
        case BrushShape::box:
            return lies_in(v.x, brush.centre_x, brush.size_x) &&
                           lies_in(v.y, brush.centre_y, brush.size_y) &&
                           lies_in(v.z, brush.centre_z, brush.size_z)
                       ? 16
                       : 0;
        case BrushShape::sphere: {
            const std::int64_t x = v.x * 16 + 8 - brush.centre_x;
            const std::int64_t y = v.y * 16 + 8 - brush.centre_y;
            const std::int64_t z = v.z * 16 + 8 - brush.centre_z;
            std::int64_t root = 0;
            while ((root + 1) * (root + 1) <= x * x + y * y + z * z) {
                ++root;
            }
            return std::clamp<std::int64_t>(brush.size_x - root + 8, 0, 16);
        }
    }
    return -1;
}

Voxel slow_apply(const Brush& brush, const VoxelCoord& v, Voxel old) {
    const std::int64_t cover = slow_cover(brush, v);
    const std::int64_t amount = cover * 255 / 16;
    const bool solid = old.material >= 2 && old.occupancy > 0;
    const auto as_byte = [](std::int64_t value) { return static_cast<std::uint8_t>(value); };
    if (cover == 0) {
        return old;
    }
    if (brush.mode == BrushMode::fill && cover >= 8) {
        return brush.material == kAir ? Voxel{} : Voxel{brush.material, 255};
    }
    if (brush.mode == BrushMode::dig && solid) {
        const std::int64_t left = old.occupancy - amount;
        return left > 0 ? Voxel{old.material, as_byte(left)} : Voxel{};
    }
    if (brush.mode == BrushMode::place) {
        return solid ? Voxel{old.material, as_byte(std::max<std::int64_t>(old.occupancy, amount))}
                     : Voxel{brush.material, as_byte(amount)};
    }
    if (brush.mode == BrushMode::paint && solid && cover >= 8) {
        return {brush.material, old.occupancy};
    }
    return old;
}

}  // namespace

TEST_CASE("brush: edits of a grid equal the rule applied to every voxel, over chunk borders") {
    constexpr std::uint64_t kSeed = 31;
    CAPTURE(kSeed);
    Random random(kSeed);
    VoxelGrid grid = test::patchy_grid(kBounds, kSeed);
    const VoxelBox zone = voxel_box(kBounds);
    for (int round = 0; round < 400; ++round) {
        CAPTURE(round);
        const Brush brush = random_brush(random, zone);
        REQUIRE(is_valid(brush, test::kMaterialCount));
        const VoxelBox looked_at = intersect(grow(reach_of(brush), 2), zone);
        std::vector<Voxel> expected;
        std::map<ChunkCoord, VoxelBox> changed;
        test::for_each_voxel(looked_at, [&](const VoxelCoord& v) {
            const Voxel old = grid.voxel(v);
            const Voxel now = slow_apply(brush, v, old);
            expected.push_back(now);
            if (now != old) {
                VoxelBox& box = changed[chunk_of(v)];
                box = merge(box, {v, v});
            }
        });
        std::map<ChunkCoord, std::uint32_t> revisions;
        for (const auto& [coord, box] : changed) {
            revisions[coord] = grid.find(coord)->revision;
        }
        const std::vector<AppliedOp> applied = apply_brush(grid, brush);
        std::size_t i = 0;
        bool is_equal = true;
        test::for_each_voxel(looked_at, [&](const VoxelCoord& v) {
            is_equal &= grid.voxel(v) == expected[i];
            ++i;
        });
        CHECK(is_equal);
        REQUIRE(applied.size() == changed.size());
        auto expected_op = changed.begin();  // a map: ascending, as the operations must be
        for (const AppliedOp& op : applied) {
            CHECK(op.chunk == expected_op->first);
            CHECK(op.changed == expected_op->second);
            CHECK(op.revision == revisions[op.chunk] + 1);
            CHECK(grid.find(op.chunk)->revision == op.revision);
            CHECK(is_valid(op.op, test::kMaterialCount));
            CHECK(to_brush(op.op, op.chunk) == brush);
            ++expected_op;
        }
    }
}

TEST_CASE("brush: operations replayed on another copy give the same chunk hashes") {
    constexpr std::uint64_t kSeed = 37;
    CAPTURE(kSeed);
    Random random(kSeed);
    VoxelGrid grid = test::patchy_grid(kBounds, kSeed);
    VoxelGrid replica(kBounds);
    for (const ChunkCoord& coord : grid.sorted_coords()) {
        // The same voxels in other planes: whole where the zone's may be uniform.
        Chunk whole = *grid.find(coord);
        whole.material.writable();
        whole.occupancy.writable();
        replica.insert(coord, whole);
    }
    for (int round = 0; round < 300; ++round) {
        for (const AppliedOp& op : apply_brush(grid, random_brush(random, voxel_box(kBounds)))) {
            Chunk& chunk = *replica.find(op.chunk);
            CHECK(apply_op(chunk, op.chunk, op.op) == op.changed);
            CHECK(chunk.revision == op.revision);
            if (random.below(4) == 0) {
                chunk.material.compact();
                chunk.occupancy.compact();
            }
        }
    }
    for (const ChunkCoord& coord : grid.sorted_coords()) {
        CHECK(hash_chunk(*grid.find(coord)) == hash_chunk(*replica.find(coord)));
    }
}

TEST_CASE("brush: the same edit twice is stale the second time") {
    constexpr std::uint64_t kSeed = 41;
    CAPTURE(kSeed);
    Random random(kSeed);
    VoxelGrid grid = test::patchy_grid(kBounds, kSeed);
    for (int round = 0; round < 200; ++round) {
        CAPTURE(round);
        const Brush brush = random_brush(random, voxel_box(kBounds));
        // Only a sphere's soft edge goes on digging: at most 17 times (15 of 255 at each).
        const bool has_soft_dig = brush.shape == BrushShape::sphere && brush.mode == BrushMode::dig;
        int times = 0;
        while (!apply_brush(grid, brush).empty()) {
            ++times;
            REQUIRE(times <= 17);
        }
        CHECK((has_soft_dig || times <= 1));
    }
}

TEST_CASE("brush: examples of each mode") {
    const VoxelCoord v{-1, 0, 5};
    const auto apply = [&](BrushMode mode, MaterialId material, Voxel old) {
        return apply_brush(voxel_brush(mode, v, material), v, old);
    };
    CHECK(apply(BrushMode::fill, 3, kAirVoxel) == Voxel{3, 255});
    CHECK(apply(BrushMode::fill, kWater, {3, 9}) == Voxel{kWater, 255});
    CHECK(apply(BrushMode::fill, kAir, {kWater, 224}) == kAirVoxel);
    CHECK(apply(BrushMode::dig, kAir, {3, 9}) == kAirVoxel);
    CHECK(apply(BrushMode::dig, kAir, {kWater, 224}) == Voxel{kWater, 224});
    CHECK(apply(BrushMode::place, 4, {kWater, 224}) == Voxel{4, 255});
    CHECK(apply(BrushMode::place, 4, {3, 9}) == Voxel{3, 255});
    CHECK(apply(BrushMode::paint, 4, {3, 9}) == Voxel{4, 9});
    CHECK(apply(BrushMode::paint, 4, kAirVoxel) == kAirVoxel);
    CHECK(apply(BrushMode::paint, 4, {kWater, 224}) == Voxel{kWater, 224});
    CHECK(apply_brush(voxel_brush(BrushMode::dig, v), {0, 0, 5}, {3, 9}) == Voxel{3, 9});

    // Radius 1 around a voxel's corner: centres of the 8 voxels are 13.8 / 16 away, rounded 13: 16
    // - 13 + 8 = 11 / 16.
    const Brush sphere{BrushShape::sphere, BrushMode::dig, kAir, 0, 0, 0, 16, 0, 0};
    CHECK(apply_brush(sphere, {0, 0, 0}, {3, 255}) == Voxel{3, 255 - 175});
    CHECK(apply_brush(sphere, {-1, -1, -1}, {3, 255}) == apply_brush(sphere, {0, 0, 0}, {3, 255}));
    CHECK(apply_brush(sphere, {1, 0, 0}, {3, 255}) == Voxel{3, 255});
    CHECK(reach_of(sphere) == VoxelBox{{-1, -1, -1}, {0, 0, 0}});
}

TEST_CASE("brush: one edit at a corner of eight chunks changes all eight, each once") {
    VoxelGrid grid({{-1, -1, -1}, {1, 1, 1}});
    for (std::int32_t i = 0; i < 8; ++i) {
        grid.insert({(i & 1) - 1, (i >> 1 & 1) - 1, (i >> 2) - 1}, uniform_chunk({2, 255}));
    }
    const Brush sphere{BrushShape::sphere, BrushMode::dig, kAir, 0, 0, 0, 64, 0, 0};
    const auto applied = apply_brush(grid, sphere);
    REQUIRE(applied.size() == 8);
    CHECK(applied.front().chunk == ChunkCoord{-1, -1, -1});
    CHECK(applied.front().changed == VoxelBox{{-4, -4, -4}, {-1, -1, -1}});
    CHECK(applied.back().changed == VoxelBox{{0, 0, 0}, {3, 3, 3}});
    CHECK(grid.find({0, 0, 0})->revision == 1);
}

TEST_CASE("brush: edits at the zone's border change only what is inside") {
    VoxelGrid grid({{0, 0, 0}, {1, 1, 1}});
    grid.insert({0, 0, 0}, {});
    const Brush box{BrushShape::box, BrushMode::fill, 2, 0, 0, 0, 32, 32, 32};
    const auto applied = apply_brush(grid, box);
    REQUIRE(applied.size() == 1);
    CHECK(applied[0].changed == VoxelBox{{0, 0, 0}, {1, 1, 1}});
    CHECK(apply_brush(grid, voxel_brush(BrushMode::fill, {40, 0, 0}, 2)).empty());
}

TEST_CASE("brush: values out of range are not valid") {
    const Brush good{BrushShape::box, BrushMode::place, 3, 100, -100, 7, 16, 16, 16};
    CHECK(is_valid(good, 8));
    const auto with = [&](auto change) {
        Brush brush = good;
        change(brush);
        return is_valid(brush, 8);
    };
    CHECK_FALSE(with([](Brush& b) { b.shape = static_cast<BrushShape>(3); }));
    CHECK_FALSE(with([](Brush& b) { b.mode = static_cast<BrushMode>(4); }));
    CHECK_FALSE(with([](Brush& b) { b.material = 8; }));
    CHECK_FALSE(with([](Brush& b) { b.material = kWater; }));
    CHECK_FALSE(with([](Brush& b) { b.size_y = 0; }));
    CHECK_FALSE(with([](Brush& b) { b.size_z = 65; }));
    CHECK_FALSE(with([](Brush& b) { b.centre_x = (1 << 24) + 1; }));
    CHECK_FALSE(with([](Brush& b) { b.centre_y = -(1 << 24) - 1; }));
    CHECK_FALSE(with([](Brush& b) { b.mode = BrushMode::dig; }));  // dig names no material
    CHECK(with([](Brush& b) {
        b.mode = BrushMode::fill;
        b.material = kWater;
    }));
    CHECK(with([](Brush& b) {
        b.shape = BrushShape::sphere;
        b.size_y = 0;
    }));
    CHECK_FALSE(with([](Brush& b) {
        b.shape = BrushShape::sphere;
        b.size_x = 65;
    }));
}

TEST_CASE("brush: a hostile operation is refused; what is_valid lets through stays in its chunk") {
    constexpr std::uint64_t kSeed = 43;
    CAPTURE(kSeed);
    Random random(kSeed);
    const ChunkCoord coord{-3, 2, 0};
    int refused = 0;
    int applied = 0;
    for (int round = 0; round < 6000; ++round) {
        const auto byte = [&] { return static_cast<std::uint8_t>(random.below(100)); };
        const auto word = [&] { return static_cast<std::int16_t>(random.between(-300, 800)); };
        ChunkOp op;
        op.shape = static_cast<BrushShape>(random.below(4));
        op.mode = static_cast<BrushMode>(random.below(5));
        op.material = static_cast<MaterialId>(random.below(10));
        op.size_x = byte();
        op.size_y = byte();
        op.size_z = byte();
        op.centre_x = word();
        op.centre_y = word();
        op.centre_z = word();
        const bool reaches = !is_empty(intersect(reach_of(to_brush(op, coord)), box_of(coord)));
        if (!is_valid(op, test::kMaterialCount)) {
            // Refused for a reason: as a brush it is no better, or it does not reach the chunk.
            CHECK((!is_valid(to_brush(op, coord), test::kMaterialCount) || !reaches));
            ++refused;
            continue;
        }
        CHECK(reaches);
        Chunk chunk = uniform_chunk({2, 200});
        const VoxelBox changed = apply_op(chunk, coord, op);
        CHECK(intersect(changed, box_of(coord)) == changed);
        applied += chunk.revision == 1;
    }
    CHECK(refused > 1000);
    CHECK(applied > 100);
}

}  // namespace terrane
