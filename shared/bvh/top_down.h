// What the top-down builders share: a list of nodes still to be split, worked off until each leaf
// is small enough. A builder gives only the rule that splits one node. The work can be done a part
// at a time; the tree at the end is the same.
//
// The rules order by twice the centre (no halving needed). A rule that leaves a side empty, and any
// node deeper than kBalancedDepth, is split into halves along the longest axis by (centre, index),
// which ends even if all centres are equal.
#pragma once

#include <span>
#include <vector>

#include "shared/bvh/bvh.h"
#include "shared/bvh/lane_box.h"

namespace terrane {

inline constexpr std::uint32_t kBalancedDepth = 56;

/// A node about to be split.
struct SplitNode {
    std::span<BuildObject> objects;
    LaneBox box;
    LaneBox centres2;  ///< bounds of twice the centres
    std::uint32_t bin_count = 16;
};

/// Puts the left side's objects first and returns how many they are; 0: no opinion.
using SplitRule = std::uint32_t (*)(const SplitNode& node);

struct TopDownConfig {
    std::uint32_t leaf_objects_max = 4;  ///< at least 1
    std::uint32_t bin_count = 16;        ///< `sah` only
};

class TopDownBuild {
  public:
    TopDownBuild(std::span<const Aabb> boxes, SplitRule rule, const TopDownConfig& config);

    /// Splits nodes until about `objects_max` objects have been looked at, or until all is done,
    /// which it then says. Overshoots by at most one node's objects.
    bool step(std::uint64_t objects_max);
    /// Once step() has said that all is done.
    Bvh take();

  private:
    struct Open {
        std::uint32_t node;
        std::uint32_t first;
        std::uint32_t count;
        std::uint32_t depth;
    };
    void split(const Open& open);

    std::vector<BuildObject> objects_;
    std::vector<Open> open_;
    SplitRule rule_;
    TopDownConfig config_;
    Bvh tree_;
};

/// All at once.
Bvh build_top_down(std::span<const Aabb> boxes, SplitRule rule, const TopDownConfig& config);

/// Puts those first that `is_left`, and returns how many they are. No branch depends on the
/// objects: half of such branches are mispredicted.
template <typename IsLeft>
std::uint32_t part_objects(std::span<BuildObject> objects, const IsLeft& is_left) {
    std::size_t left = 0;
    for (BuildObject& object : objects) {
        const BuildObject moved = object;
        object = objects[left];
        objects[left] = moved;
        left += is_left(moved) ? 1U : 0U;
    }
    return static_cast<std::uint32_t>(left);
}

std::uint32_t longest_axis(const LaneBox& box);
/// Puts the lower half along `axis` first; of equal centres the lower index is lower.
std::uint32_t split_in_halves(std::span<BuildObject> objects, std::uint32_t axis);
/// Puts the objects with twice their centre below `plane2` first.
std::uint32_t split_at(std::span<BuildObject> objects, std::uint32_t axis, float plane2);
/// The axis along which the centres vary most, and their mean there, doubled.
struct CentreSpread {
    std::uint32_t axis = 0;
    float mean2 = 0.0F;
};
CentreSpread spread_of(std::span<const BuildObject> objects);

}  // namespace terrane
