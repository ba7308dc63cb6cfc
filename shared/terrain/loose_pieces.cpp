#include "shared/terrain/loose_pieces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "shared/voxel/voxel_reader.h"
#include "shared/voxel/write_voxels.h"

namespace terrane {
namespace {

constexpr std::array<VoxelCoord, 6> kBeside{
    {{0, -1, 0}, {0, 0, -1}, {-1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}}};

constexpr std::uint32_t kSeedsPerSlice = 64;

/// Bits of the slice `y` (zone space) of a brick that lie in `box`.
std::uint64_t bits_in(const VoxelBox& box, const BrickCoord& brick, std::int32_t y) {
    const VoxelCoord origin = origin_of(brick);
    const std::int32_t min_x = std::max(box.min.x - origin.x, 0);
    const std::int32_t max_x = std::min(box.max.x - origin.x, kBrickSize - 1);
    const std::int32_t min_z = std::max(box.min.z - origin.z, 0);
    const std::int32_t max_z = std::min(box.max.z - origin.z, kBrickSize - 1);
    if (y < box.min.y || y > box.max.y || min_x > max_x || min_z > max_z) {
        return 0;
    }
    return rectangle_mask(min_x, max_x, min_z, max_z);
}

/// … that lie in it or touch it with a face.
std::uint64_t bits_at(const VoxelBox& box, const BrickCoord& brick, std::int32_t y) {
    std::uint64_t bits = 0;
    for (const VoxelCoord& side : {VoxelCoord{1, 0, 0}, VoxelCoord{0, 1, 0}, VoxelCoord{0, 0, 1}}) {
        bits |= bits_in({box.min - side, box.max + side}, brick, y);
    }
    return bits;
}

}  // namespace

void LoosePieces::note_removed(const VoxelBox& changed) {
    if (is_empty(changed)) {
        return;
    }
    if (pending_.size() >= kLooseBoxesMax) {
        ++dropped_;
        return;
    }
    pending_.push_back({changed});
}

void LoosePieces::find(const CoreSource& source, const LooseLimits& limits,
                       std::vector<LoosePiece>& pieces) {
    if (pending_.empty()) {
        return;
    }
    flood_.start(source);
    Find find{source.grid, limits, pieces,
              pieces.size() + std::max<std::size_t>(limits.pieces_max, 1)};
    std::size_t done = 0;
    while (done < pending_.size() && search(find, pending_[done])) {
        ++done;
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(done));
}

bool LoosePieces::is_spent(const Find& find) const {
    return find.pieces.size() >= find.piece_count_max ||
           (find.has_searched && flood_.cost_voxels() >= find.limits.flood_voxels_max);
}

/// True if every seed of the box has been looked at; else where to go on is kept.
bool LoosePieces::search(Find& find, Pending& pending) {
    const VoxelBox seeds = intersect(grow(pending.box, 1), voxel_box(find.grid.bounds()));
    if (is_empty(seeds)) {
        return true;
    }
    const BrickCoord first = brick_of(seeds.min);
    const BrickCoord last = brick_of(seeds.max);
    std::uint32_t seed = 0;  // of the brick's first voxel
    for (std::int32_t y = first.y; y <= last.y; ++y) {
        for (std::int32_t z = first.z; z <= last.z; ++z) {
            for (std::int32_t x = first.x; x <= last.x; ++x) {
                for (std::size_t slice = 0; slice < kBrickSize; ++slice, seed += kSeedsPerSlice) {
                    if (pending.next_seed >= seed + kSeedsPerSlice) {
                        continue;
                    }
                    pending.next_seed = std::max(pending.next_seed, seed);
                    if (!search_slice(find, pending, {x, y, z}, slice)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

bool LoosePieces::search_slice(Find& find, Pending& pending, const BrickCoord& brick,
                               std::size_t slice) {
    const std::int32_t y = origin_of(brick).y + static_cast<std::int32_t>(slice);
    const std::uint32_t skipped = pending.next_seed % kSeedsPerSlice;
    const std::uint64_t seeds = bits_at(pending.box, brick, y) & (~std::uint64_t{0} << skipped);
    if (seeds == 0) {
        return true;
    }
    while (!is_spent(find)) {
        find.has_searched = true;
        const std::uint64_t open = seeds & flood_.undecided(brick)[slice];
        if (open == 0) {
            return true;
        }
        const std::int32_t bit = std::countr_zero(open);
        const VoxelCoord seed{origin_of(brick).x + (bit & 7), y, origin_of(brick).z + (bit >> 3)};
        pending.next_seed +=
            static_cast<std::uint32_t>(bit) + 1 - pending.next_seed % kSeedsPerSlice;
        if (flood_.is_loose(seed, find.limits.voxels_max, voxels_)) {
            find.pieces.push_back(cut(find));
        }
    }
    return false;
}

/// The piece of the core voxels in `voxels_`, with its skin.
LoosePiece LoosePieces::cut(const Find& find) {
    VoxelReader reader(find.grid);
    skin_.clear();
    for (const VoxelCoord& core : voxels_) {
        for (const VoxelCoord& step : kBeside) {
            const Voxel voxel = reader.voxel(core + step);
            if (is_solid(voxel) && !is_core(voxel)) {
                skin_.push_back(core + step);
            }
        }
    }
    std::ranges::sort(skin_);
    skin_.erase(std::unique(skin_.begin(), skin_.end()), skin_.end());
    for (const VoxelCoord& v : skin_) {
        const auto touches_ground = [&](const VoxelCoord& step) {
            return flood_.is_ground(v + step);
        };
        if (voxels_.size() < find.limits.voxels_max &&
            std::ranges::none_of(kBeside, touches_ground) && flood_.take(v)) {
            voxels_.push_back(v);
        }
    }
    VoxelBox box;
    for (const VoxelCoord& v : voxels_) {
        box = merge(box, {v, v});
    }
    LoosePiece loose{box, empty_piece(box.max - box.min + VoxelCoord{1, 1, 1})};
    for (const VoxelCoord& v : voxels_) {
        loose.piece.voxels[index_in_piece(loose.piece, v - box.min)] = reader.voxel(v);
    }
    return loose;
}

std::vector<AppliedOp> remove_pieces(VoxelGrid& grid, std::span<const LoosePiece> pieces) {
    std::vector<PlacedVoxel> removed;
    for (const LoosePiece& loose : pieces) {
        std::size_t i = 0;
        for (std::int32_t y = loose.box.min.y; y <= loose.box.max.y; ++y) {
            for (std::int32_t z = loose.box.min.z; z <= loose.box.max.z; ++z) {
                for (std::int32_t x = loose.box.min.x; x <= loose.box.max.x; ++x, ++i) {
                    if (loose.piece.voxels[i] != kAirVoxel) {
                        removed.push_back({{x, y, z}, kAirVoxel});
                    }
                }
            }
        }
    }
    return write_voxels(grid, std::move(removed));
}

}  // namespace terrane
