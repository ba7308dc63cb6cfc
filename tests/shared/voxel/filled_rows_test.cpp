#include "shared/voxel/filled_rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/shared/voxel/piece_samples.h"

namespace terrane {
namespace {

bool is_full(const FilledRows& filled, const VoxelCoord& v) {
    return contains({{0, 0, 0}, filled.size - VoxelCoord{1, 1, 1}}, v) &&
           ((filled.row(v.y, v.z) >> v.x) & 1U) != 0;
}

/// Voxels of air that a walk from outside reaches, one after the other.
std::vector<VoxelCoord> open_air(const VoxelPiece& piece) {
    const VoxelBox around = grow(voxel_box(piece), 1);
    std::vector<VoxelCoord> open{around.min};
    for (std::size_t next = 0; next < open.size(); ++next) {
        for (const VoxelCoord& step : {VoxelCoord{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
            for (const VoxelCoord& v : {open[next] + step, open[next] - step}) {
                if (contains(around, v) && !is_core(voxel_of(piece, v)) &&
                    std::ranges::find(open, v) == open.end()) {
                    open.push_back(v);
                }
            }
        }
    }
    std::ranges::sort(open);
    return open;
}

std::int64_t volume_of(const VoxelBox& box) {
    const VoxelCoord size = box.max - box.min + VoxelCoord{1, 1, 1};
    return std::int64_t{size.x} * size.y * size.z;
}

}  // namespace

TEST_CASE("A18 filled_rows: full is what no walk from outside reaches") {
    std::size_t closed = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const VoxelPiece piece = test::random_piece(random, 7);
        const FilledRows filled = filled_rows(piece);
        const std::vector<VoxelCoord> open = open_air(piece);
        std::vector<VoxelCoord> hollows;
        test::for_each_voxel(grow(voxel_box(piece), 1), [&](const VoxelCoord& v) {
            REQUIRE(is_full(filled, v) == !std::ranges::binary_search(open, v));
            closed += is_full(filled, v) && !is_core(voxel_of(piece, v)) ? 1U : 0U;
            std::uint8_t corners = 0;
            std::uint8_t inside = 0;
            const VoxelBox box{{1, 2, 0}, {3, 3, 4}};
            for (std::int32_t i = 0; i < 8; ++i) {
                const VoxelCoord corner = v + VoxelCoord{i & 1, i >> 2, (i >> 1) & 1};
                corners |= static_cast<std::uint8_t>((is_full(filled, corner) ? 1 : 0) << i);
                inside |= static_cast<std::uint8_t>((contains(box, corner) ? 1 : 0) << i);
            }
            if (contains(VoxelBox{{-1, -1, -1}, piece.size - VoxelCoord{1, 1, 1}}, v)) {
                REQUIRE(filled_corners(filled, v) == corners);
                REQUIRE(corners_in(box, v) == inside);
            }
            const bool is_beside = std::ranges::any_of(
                std::vector<VoxelCoord>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, [&](const VoxelCoord& s) {
                    return is_full(filled, v + s) || is_full(filled, v - s);
                });
            if (contains(voxel_box(piece), v) && is_beside && !is_full(filled, v) &&
                voxel_of(piece, v).occupancy < 64) {
                hollows.push_back(v);
            }
        });
        REQUIRE(hollows_beside(filled, piece, 64) == hollows);
    }
    CHECK(closed > 10);
}

TEST_CASE("A18 filled_rows: no cut leaves smaller boxes than the best one, and both are tight") {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const VoxelPiece piece = test::random_piece(random, 8);
        const FilledRows filled = filled_rows(piece);
        const VoxelBox box = tight_box(filled, voxel_box(piece));
        const auto box_in = [&](const VoxelBox& within) {
            VoxelBox tight;
            test::for_each_voxel(within, [&](const VoxelCoord& v) {
                tight = is_full(filled, v) ? merge(tight, {v, v}) : tight;
            });
            return tight;
        };
        REQUIRE(box == box_in(voxel_box(piece)));
        std::int64_t least = INT64_MAX;
        for (const auto axis : {&VoxelCoord::x, &VoxelCoord::y, &VoxelCoord::z}) {
            for (std::int32_t i = box.min.*axis; i < box.max.*axis; ++i) {
                VoxelBox low = box;
                VoxelBox high = box;
                low.max.*axis = i;
                high.min.*axis = i + 1;
                // Not tight along the cut itself: that gap is counted to both sides alike.
                VoxelBox low_in = box_in(low);
                VoxelBox high_in = box_in(high);
                low_in.max.*axis = i;
                high_in.min.*axis = i + 1;
                least = std::min(least, volume_of(low_in) + volume_of(high_in));
            }
        }
        const BoxCut cut = best_cut(filled, box);
        if (box.min == box.max) {
            CHECK(cut.axis == nullptr);
            continue;
        }
        VoxelBox low = box;
        VoxelBox high = box;
        low.max.*cut.axis = cut.last_low;
        high.min.*cut.axis = cut.last_low + 1;
        REQUIRE(cut.low == box_in(low));
        REQUIRE(cut.high == box_in(high));
        VoxelBox low_in = cut.low;
        VoxelBox high_in = cut.high;
        low_in.max.*cut.axis = cut.last_low;
        high_in.min.*cut.axis = cut.last_low + 1;
        REQUIRE(volume_of(low_in) + volume_of(high_in) == least);
    }
}

}  // namespace terrane
