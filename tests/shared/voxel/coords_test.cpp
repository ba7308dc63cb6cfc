#include "shared/voxel/coords.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/shared/voxel/voxel_samples.h"

namespace terrane {
namespace {

std::int32_t floor_divide(std::int64_t value, std::int64_t by) {
    const std::int64_t quotient = value / by;
    return static_cast<std::int32_t>(value % by < 0 ? quotient - 1 : quotient);
}

}  // namespace

TEST_CASE("coords: chunk, brick and index are floor division and give the voxel back") {
    std::vector<std::int32_t> values;
    for (std::int32_t v = -70; v <= 70; ++v) {
        values.push_back(v);
    }
    for (std::int32_t i = 0; i < 40; ++i) {
        values.push_back(std::numeric_limits<std::int32_t>::min() + i);
        values.push_back(std::numeric_limits<std::int32_t>::max() - i);
    }
    for (const std::int32_t value : values) {
        CAPTURE(value);
        const VoxelCoord v{value, -value - 1, value};
        const ChunkCoord chunk = chunk_of(v);
        const BrickCoord brick = brick_of(v);
        CHECK(chunk.x == floor_divide(v.x, kChunkSize));
        CHECK(chunk.y == floor_divide(v.y, kChunkSize));
        CHECK(brick.x == floor_divide(v.x, kBrickSize));
        CHECK(brick.y == floor_divide(v.y, kBrickSize));
        CHECK(chunk_of(brick) == chunk);
        CHECK(contains(box_of(chunk), v));
        const auto index = static_cast<std::int32_t>(index_in_chunk(v));
        const VoxelCoord inside{index % kChunkSize, index / (kChunkSize * kChunkSize),
                                index / kChunkSize % kChunkSize};
        CHECK(origin_of(chunk) + inside == v);
    }
}

TEST_CASE("coords: one Y slice of a chunk is contiguous, x fastest, then z") {
    CHECK(index_in_chunk(VoxelCoord{0, 0, 0}) == 0);
    CHECK(index_in_chunk(VoxelCoord{1, 0, 0}) == 1);
    CHECK(index_in_chunk(VoxelCoord{0, 0, 1}) == 32);
    CHECK(index_in_chunk(VoxelCoord{0, 1, 0}) == 1024);
    CHECK(index_in_chunk(VoxelCoord{-1, -1, -1}) == kChunkVoxelCount - 1);
    CHECK(index_in_chunk(BrickCoord{1, 2, 3}) == (2 * 4 + 3) * 4 + 1);
    CHECK(index_in_chunk(BrickCoord{-1, -1, -1}) == kBricksPerChunk - 1);
}

TEST_CASE("coords: a point lies in the voxel whose corner is below it on each axis") {
    CHECK(voxel_at({0.0F, 0.5F, 0.999F}) == VoxelCoord{0, 0, 0});
    CHECK(voxel_at({-0.001F, -1.0F, -1.001F}) == VoxelCoord{-1, -1, -2});
    CHECK(voxel_at({-0.0F, 8.0F, 31.999F}) == VoxelCoord{0, 8, 31});
}

TEST_CASE("coords: order is y, then z, then x") {
    std::vector<ChunkCoord> coords{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 5}, {-1, 0, 0}};
    std::ranges::sort(coords);
    const std::vector<ChunkCoord> expected{{0, -1, 5}, {-1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    CHECK(coords == expected);
}

TEST_CASE("VoxelBox: intersect and merge equal membership voxel by voxel") {
    constexpr std::uint64_t kSeed = 11;
    CAPTURE(kSeed);
    Random random(kSeed);
    const VoxelBox all{{-4, -4, -4}, {4, 4, 4}};
    const auto random_box = [&] {
        const auto coordinate = [&] { return random.between(-4, 4); };
        return VoxelBox{{coordinate(), coordinate(), coordinate()},
                        {coordinate(), coordinate(), coordinate()}};
    };
    for (int round = 0; round < 300; ++round) {
        const VoxelBox a = random_box();
        const VoxelBox b = random_box();
        const VoxelBox both = intersect(a, b);
        const VoxelBox around = merge(a, b);
        bool is_intersection = true;
        VoxelBox smallest;
        test::for_each_voxel(all, [&](const VoxelCoord& v) {
            is_intersection &= contains(both, v) == (contains(a, v) && contains(b, v));
            if (contains(a, v) || contains(b, v)) {
                smallest =
                    is_empty(smallest)
                        ? VoxelBox{v, v}
                        : VoxelBox{{std::min(smallest.min.x, v.x), std::min(smallest.min.y, v.y),
                                    std::min(smallest.min.z, v.z)},
                                   {std::max(smallest.max.x, v.x), std::max(smallest.max.y, v.y),
                                    std::max(smallest.max.z, v.z)}};
            }
        });
        CHECK(is_intersection);
        CHECK(around == smallest);
    }
}

TEST_CASE("VoxelBox: grow, box of a chunk, and metres") {
    const VoxelBox one{{2, 3, 4}, {2, 3, 4}};
    CHECK(grow(one, 1) == VoxelBox{{1, 2, 3}, {3, 4, 5}});
    CHECK(is_empty(grow(one, -1)));
    CHECK(is_empty(grow(VoxelBox{}, 5)));
    CHECK(box_of(ChunkCoord{-1, 0, 2}) == VoxelBox{{-32, 0, 64}, {-1, 31, 95}});
    const Aabb metres = to_aabb(VoxelBox{{-1, 0, 1}, {0, 0, 1}});
    CHECK(metres.min == Vec3{-1.0F, 0.0F, 1.0F});
    CHECK(metres.max == Vec3{1.0F, 1.0F, 2.0F});
    CHECK(is_empty(to_aabb(VoxelBox{})));
}

}  // namespace terrane
