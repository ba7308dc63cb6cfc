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

/// Of the nodes of a level (0: the root) the first that the ray meets.
std::optional<std::uint32_t> pick_node(const Bvh& tree, std::uint32_t level, const Ray& ray);
/// Of all objects under a node.
std::vector<Aabb> boxes_under(const Bvh& tree, std::uint32_t node);

/// Zone space. Bodies of a kind that the table lacks are left out.
std::vector<Aabb> boxes_of(std::span<const VisibleBody> bodies, const BodyKindTable& kinds,
                           const PlayerSize& player);

}  // namespace terrane
