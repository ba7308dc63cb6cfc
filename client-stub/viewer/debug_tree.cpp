#include "client-stub/viewer/debug_tree.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "client-stub/session/replica.h"
#include "shared/core/random.h"
#include "shared/math/ray_box.h"
#include "shared/math/transform.h"

namespace terrane {

namespace {

constexpr Vec4 kStillOpen{1.0F, 0.85F, 0.15F, 0.55F};
constexpr Vec4 kFinished{0.25F, 0.75F, 0.30F, 0.30F};
constexpr Vec4 kJustSplit{1.0F, 1.0F, 1.0F, 1.0F};
constexpr Vec4 kLeftSide{1.0F, 0.30F, 0.20F, 0.35F};
constexpr Vec4 kRightSide{0.20F, 0.45F, 1.0F, 0.35F};

}  // namespace

Result<TreeScene> parse_tree_scene(std::string_view text) {
    constexpr std::string_view kPrefix = "boxes:";
    if (text.starts_with(kPrefix)) {
        TreeScene scene;
        const char* const end = text.data() + text.size();
        const auto [stop, error] =
            std::from_chars(text.data() + kPrefix.size(), end, scene.box_count);
        if (error == std::errc{} && stop == end && scene.box_count >= 1 &&
            scene.box_count <= kTreeSceneBoxesMax) {
            return scene;
        }
    }
    return fail("'{}' is no scene: boxes:COUNT, 1 to {}, as in boxes:10000", text,
                kTreeSceneBoxesMax);
}

std::vector<Aabb> make_boxes(const TreeScene& scene, std::uint32_t count) {
    Random random(20260101);
    const float side = 3.0F * std::cbrt(static_cast<float>(scene.box_count));
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        Vec3 middle;
        Vec3 half;
        for (int axis = 0; axis < 3; ++axis) {
            // The product of two draws crowds around the middle.
            middle[axis] = side * random.range(-1.0F, 1.0F) * random.range(0.2F, 1.0F);
            half[axis] = random.range(0.1F, 1.0F);
        }
        middle.y *= 0.35F;  // wide rather than high, as zones are
        boxes.push_back({middle - half, middle + half});
    }
    return boxes;
}

std::string describe(const TreeReport& report) {
    return fmt::format("{}: {}, {} boxes, {} nodes, depth {}, cost {:.1f}, built in {:.2f} ms",
                       report.name, report.builder, report.stat.object_count,
                       report.stat.node_count, report.stat.depth, report.stat.cost,
                       report.build_ms);
}

std::uint32_t split_count(const Bvh& tree) {
    return tree.nodes.empty() ? 0 : static_cast<std::uint32_t>((tree.nodes.size() - 1) / 2);
}

BuildStep build_step(const Bvh& tree, std::uint32_t step) {
    const std::uint32_t left = 2 * step - 1;
    std::uint32_t split = 0;
    while (tree.nodes[split].count != 0 || tree.nodes[split].first != left) {
        ++split;
    }
    return {split, left};
}

void add_build(const Bvh& tree, std::uint32_t step, DebugShapes& shapes) {
    const std::uint32_t made = tree.nodes.empty() ? 0 : 1 + 2 * std::min(step, split_count(tree));
    if (made > 1) {
        const BuildStep last = build_step(tree, (made - 1) / 2);
        shapes.add_edges(tree.nodes[last.split].box, kJustSplit);
        shapes.add(DebugCube{tree.nodes[last.left].box, kLeftSide});
        shapes.add(DebugCube{tree.nodes[last.left + 1].box, kRightSide});
    }
    for (std::uint32_t i = 0; i < made; ++i) {
        const BvhNode& node = tree.nodes[i];
        if (node.count != 0) {
            shapes.add_edges(node.box, kFinished);
        } else if (node.first >= made) {
            shapes.add_edges(node.box, kStillOpen);
        }
    }
}

std::optional<std::uint32_t> pick_node(const Bvh& tree, std::uint32_t level, const Ray& ray) {
    struct Open {
        std::uint32_t node;
        std::uint32_t level;
    };
    std::optional<std::uint32_t> picked;
    float nearest = 0.0F;
    std::vector<Open> open;
    if (!tree.nodes.empty()) {
        open.push_back({0, 0});
    }
    while (!open.empty()) {
        const Open at = open.back();
        open.pop_back();
        const BvhNode& node = tree.nodes[at.node];
        const auto span = intersect(ray, node.box);
        if (!span || (picked && span->enter >= nearest)) {
            continue;
        }
        if (at.level == level) {
            picked = at.node;
            nearest = span->enter;
        } else if (node.count == 0) {
            open.push_back({node.first + 1, at.level + 1});
            open.push_back({node.first, at.level + 1});
        }
    }
    return picked;
}

std::vector<Aabb> boxes_under(const Bvh& tree, std::uint32_t node) {
    std::vector<Aabb> boxes;
    std::vector<std::uint32_t> open{node};
    while (!open.empty()) {
        const BvhNode& at = tree.nodes[open.back()];
        open.pop_back();
        if (at.count == 0) {
            open.push_back(at.first + 1);
            open.push_back(at.first);
        } else {
            const auto first = tree.boxes.begin() + at.first;
            boxes.insert(boxes.end(), first, first + at.count);
        }
    }
    return boxes;
}

std::vector<Aabb> boxes_of(std::span<const VisibleBody> bodies, const BodyKindTable& kinds,
                           const PlayerSize& player) {
    std::vector<Aabb> boxes;
    for (const VisibleBody& body : bodies) {
        if (body.kind >= kinds.size()) {
            continue;
        }
        const BodyKind& kind = kinds[body.kind];
        const Vec3 half = box_half_extents(kind.shape, kind.half_extents);
        Aabb local{-half, half};
        if (body.piece) {
            const Vec3& centre = body.piece->mass.centre;
            local = {-centre, corner_of(body.piece->voxels.size) - centre};
        } else if (kind.shape == BodyShape::player) {
            local = {{-player.radius_m, 0.0F, -player.radius_m},
                     {player.radius_m, player.height_m, player.radius_m}};
        }
        Transform transform;
        transform.position = body.position;
        transform.rotation = body.rotation;
        boxes.push_back(transform_box(to_affine(transform), local));
    }
    return boxes;
}

}  // namespace terrane
