// The trees of boxes that `--debug bvh` shows: over what a viewer sees of a zone, and over a scene
// of its own without a zone, to look at what a builder makes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client-stub/viewer/body_painter.h"
#include "client-stub/viewer/debug_shapes.h"
#include "shared/bvh/builders.h"
#include "shared/core/result.h"
#include "shared/math/ray.h"

namespace terrane {

/// "boxes:COUNT"
struct TreeScene {
    std::uint32_t box_count = 10000;
};
inline constexpr std::uint32_t kTreeSceneBoxesMax = 1'000'000;

Result<TreeScene> parse_tree_scene(std::string_view text);
/// The first `count` boxes of a scene as wide as `scene` says: of 0.2 to 2 m, denser towards the
/// middle; the same every time.
std::vector<Aabb> make_boxes(const TreeScene& scene, std::uint32_t count);

/// A tree that is shown, in figures.
struct TreeReport {
    std::string name;
    std::string builder;
    BvhStat stat;
    double build_ms = 0.0;
};
/// "scene: sah, 10000 boxes, 5041 nodes, depth 15, cost 71.2, built in 4.90 ms"
std::string describe(const TreeReport& report);

/// A build one split at a time. Nodes lie in the order of their making, so the first 1 + 2k of them
/// are the tree after k splits: in a top-down builder's own order; the builders by Morton codes and
/// ploc are shown from the root down, too, which is not how they work.
struct BuildStep {
    std::uint32_t split = 0;  ///< the node that the step splits
    std::uint32_t left = 0;   ///< its children: left, left + 1
};
std::uint32_t split_count(const Bvh& tree);
/// `step` from 1 to split_count().
BuildStep build_step(const Bvh& tree, std::uint32_t step);
/// The nodes that are leaves after `step` splits, those still to be split yellow and finished ones
/// green; of the last split the node white and its two sides filled.
void add_build(const Bvh& tree, std::uint32_t step, DebugShapes& shapes);

/// Of the nodes of a level (0: the root) the first that the ray meets.
std::optional<std::uint32_t> pick_node(const Bvh& tree, std::uint32_t level, const Ray& ray);
/// Of all objects under a node.
std::vector<Aabb> boxes_under(const Bvh& tree, std::uint32_t node);

/// Zone space; of a piece around its voxels. Bodies of a kind that the table lacks are left out.
std::vector<Aabb> boxes_of(std::span<const VisibleBody> bodies, const BodyKindTable& kinds,
                           const PlayerSize& player);

}  // namespace terrane
