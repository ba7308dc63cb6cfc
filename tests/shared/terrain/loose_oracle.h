// What is loose, the slow way: a region copied voxel by voxel, every component of its core voxels
// flooded one voxel at a time; the skin by the rule of loose_pieces.h.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "shared/terrain/loose_pieces.h"
#include "shared/voxel/voxel_reader.h"
#include "tests/shared/terrain/terrain_samples.h"

namespace terrane::test {

inline constexpr std::array<VoxelCoord, 6> kSixSides{
    {{0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 0, 1}}};

/// Ascending.
using VoxelList = std::vector<VoxelCoord>;

/// All that is solid in the grid must lie in the region, its border excluded.
class SlowWorld {
  public:
    SlowWorld(const VoxelGrid& grid, const VoxelBox& region, std::size_t voxels_max)
        : grid_(grid), region_(grow(region, 2)), voxels_max_(voxels_max) {
        const bool is_all_loaded = is_loaded(grid, region_);
        VoxelReader reader(grid);
        for_each_voxel(region_, [&](const VoxelCoord& v) {
            const Voxel voxel = reader.voxel(v);
            kinds_.push_back(is_core(voxel) ? kCore : is_solid(voxel) ? kSkin : kElse);
            // Only air can be that of a chunk that is not loaded.
            if (voxel == kAirVoxel && !is_all_loaded && !grid.find_voxel(v)) {
                kinds_.back() = kUnknown;
            }
        });
        seen_.resize(kinds_.size());
    }

    /// The loose components that lie in `box` or touch it with a face.
    std::set<VoxelList> loose_at(const VoxelBox& box) {
        std::set<VoxelList> loose;
        std::fill(seen_.begin(), seen_.end(), false);
        for_each_voxel(grow(box, 1), [&](const VoxelCoord& v) {
            const bool touches =
                contains(box, v) || std::ranges::any_of(kSixSides, [&](const VoxelCoord& side) {
                    return contains(box, v + side);
                });
            if (touches && contains(voxel_box(grid_.bounds()), v) && kind(v) == kCore &&
                !seen_[index(v)]) {
                VoxelList core = flood(v);
                if (!is_anchored(core)) {
                    loose.insert(std::move(core));
                }
            }
        });
        return loose;
    }

    /// Voxels of all pieces that are no core -> which piece.
    std::map<VoxelCoord, std::size_t> skins(const std::vector<VoxelList>& cores) const {
        std::map<VoxelCoord, std::size_t> skin;
        std::set<VoxelCoord> gone;
        for (std::size_t i = 0; i < cores.size(); ++i) {
            gone.insert(cores[i].begin(), cores[i].end());
            std::set<VoxelCoord> beside;
            for (const VoxelCoord& v : cores[i]) {
                for (const VoxelCoord& side : kSixSides) {
                    if (kind(v + side) == kSkin) {
                        beside.insert(v + side);
                    }
                }
            }
            std::size_t count = cores[i].size();
            for (const VoxelCoord& v : beside) {
                const bool stays = std::ranges::any_of(kSixSides, [&](const VoxelCoord& side) {
                    return kind(v + side) == kUnknown ||
                           (kind(v + side) == kCore && !gone.contains(v + side));
                });
                if (count < voxels_max_ && !stays && skin.try_emplace(v, i).second) {
                    ++count;
                }
            }
        }
        return skin;
    }

    bool is_anchored(const VoxelList& core) const {
        VoxelBox box;
        bool stands = core.size() > voxels_max_;
        for (const VoxelCoord& v : core) {
            box = merge(box, {v, v});
            stands = stands || v.y == voxel_box(grid_.bounds()).min.y ||
                     std::ranges::any_of(kSixSides, [&](const VoxelCoord& side) {
                         return kind(v + side) == kUnknown;
                     });
        }
        const VoxelCoord size = box.max - box.min + VoxelCoord{1, 1, 1};
        return stands || std::max({size.x, size.y, size.z}) > kLooseSizeMax;
    }

    /// All core voxels connected to `seed`.
    VoxelList flood(const VoxelCoord& seed) {
        VoxelList reached{seed};
        seen_[index(seed)] = true;
        for (std::size_t next = 0; next < reached.size(); ++next) {
            for (const VoxelCoord& side : kSixSides) {
                const VoxelCoord v = reached[next] + side;
                if (contains(voxel_box(grid_.bounds()), v) && kind(v) == kCore &&
                    !seen_[index(v)]) {
                    seen_[index(v)] = true;
                    reached.push_back(v);
                }
            }
        }
        std::ranges::sort(reached);
        return reached;
    }

  private:
    enum Kind : std::uint8_t { kElse, kSkin, kCore, kUnknown };

    std::size_t index(const VoxelCoord& v) const {
        const VoxelCoord at = v - region_.min;
        const VoxelCoord size = region_.max - region_.min + VoxelCoord{1, 1, 1};
        return static_cast<std::size_t>((at.y * size.z + at.z) * size.x + at.x);
    }
    Kind kind(const VoxelCoord& v) const { return contains(region_, v) ? kinds_[index(v)] : kElse; }

    const VoxelGrid& grid_;
    VoxelBox region_;
    std::size_t voxels_max_;
    std::vector<Kind> kinds_;
    std::vector<bool> seen_;
};

/// The core voxels of a piece, zone space.
inline VoxelList core_of(const LoosePiece& loose) {
    VoxelList core;
    for_each_voxel(loose.box, [&](const VoxelCoord& v) {
        if (is_core(voxel_of(loose.piece, v - loose.box.min))) {
            core.push_back(v);
        }
    });
    return core;
}

}  // namespace terrane::test
