#include "shared/shape/triangle_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "shared/shape/float4.h"

namespace terrane {
namespace {

/// How much of a coordinate the planes are moved outward for rays: eight units in the last place,
/// several times what the arithmetic on them can lose.
constexpr float kWidening = 1.0F / 1048576.0F;
/// Stands for a smaller direction component, relative to the largest: over a whole tree it moves
/// the ray by less than the widening, and its reciprocal stays finite.
constexpr float kSlowest = 0x1p-60F;

float split_of(const TriangleTree::Node& node, std::size_t side) {
    return std::bit_cast<float>(node.words[side]);
}
std::uint32_t tag_of(const TriangleTree::Node& node) {
    return node.tag_index & 3U;
}
std::uint32_t index_of(const TriangleTree::Node& node) {
    return node.tag_index >> 2;
}

/// A box in the space of a mesh's triangles, offset included.
struct WideBox {
    Float4 low;
    Float4 high;

    explicit WideBox(const Aabb& box) : low(load(box.min)), high(load(box.max)) {}

    /// Does the triangle's own box meet it? A box of NaN meets nothing else, but never gets here.
    bool meets(const TriangleMeshView& mesh, Float4 offset, std::uint32_t triangle) const {
        const std::uint16_t* index = &mesh.indices[3 * std::size_t{triangle}];
        const Float4 a = load(mesh.positions[index[0]]) + offset;
        const Float4 b = load(mesh.positions[index[1]]) + offset;
        const Float4 c = load(mesh.positions[index[2]]) + offset;
        return !is_any((min4(a, min4(b, c)) > high) | (max4(a, max4(b, c)) < low));
    }
};

/// A ray as the tree walks it: scaled so that the largest direction component is 1, every
/// reciprocal finite and not zero, and the planes' widening put into the origin.
struct TreeRay {
    std::array<float, 3> inverse;
    std::array<float, 3> origin_below;  ///< for planes that bound from above
    std::array<float, 3> origin_above;  ///< for planes that bound from below
    double scale;                       ///< tree t = ray t * scale
    float enter;
    float leave;
    Vec3 near_origin;  ///< where it enters the tree, the mesh's space
    Vec3 direction;    ///< scaled
    float tolerance;   ///< of the volumes in surely_misses

    float plane_above(std::uint32_t axis, float plane) const {
        return (plane - origin_below[axis]) * inverse[axis];
    }
    float plane_below(std::uint32_t axis, float plane) const {
        return (plane - origin_above[axis]) * inverse[axis];
    }
};

float largest(const Vec3& v) {
    return std::max(std::abs(v.x), std::max(std::abs(v.y), std::abs(v.z)));
}
float largest(const Aabb& box) {
    return std::max(largest(box.min), largest(box.max));
}

float to_tree_t(float t, double scale) {
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
    const double tree_t = static_cast<double>(t) * scale;
    return static_cast<float>(tree_t > kLargest ? kLargest : tree_t);
}

/// False if the ray misses the box. A NaN anywhere misses.
bool enter_tree(const Ray& ray, const Vec3& offset, float limit_t, const Aabb& bounds,
                TreeRay& tree_ray) {
    const float fastest = largest(ray.direction);
    if (!(fastest > 0.0F) || !is_finite(ray.direction) || !is_finite(ray.origin)) {
        return false;
    }
    const Vec3 origin = ray.origin - offset;
    const float widening = kWidening * (largest(origin) + largest(bounds) + largest(offset));
    tree_ray.scale = static_cast<double>(fastest);
    tree_ray.enter = 0.0F;
    tree_ray.leave = to_tree_t(std::min(ray.t_max, limit_t), tree_ray.scale);
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        const auto i = static_cast<int>(axis);
        const auto relative =
            static_cast<float>(static_cast<double>(ray.direction[i]) / tree_ray.scale);
        tree_ray.direction[i] = relative;
        const float speed = std::max(std::abs(relative), kSlowest);
        tree_ray.inverse[axis] = std::copysign(1.0F / speed, relative);
        tree_ray.origin_below[axis] = origin[i] - widening;
        tree_ray.origin_above[axis] = origin[i] + widening;
        const float low = tree_ray.plane_below(axis, bounds.min[i]);
        const float high = tree_ray.plane_above(axis, bounds.max[i]);
        tree_ray.enter = std::max(tree_ray.enter, std::min(low, high));
        tree_ray.leave = std::min(tree_ray.leave, std::max(low, high));
    }
    if (!(tree_ray.enter <= tree_ray.leave)) {
        return false;
    }
    // Volumes are d . (a x b) with |d| <= sqrt(3) and a, b from a point that is in the tree's box,
    // give or take its rounding; an error of that point counts once for each edge, and the
    // arithmetic loses a few units in the last place of the products.
    const Vec3 size = bounds.max - bounds.min;
    const float error = widening + kWidening * tree_ray.enter;
    const float span = largest(size) + 4.0F * error;
    tree_ray.near_origin = origin + tree_ray.enter * tree_ray.direction;
    tree_ray.tolerance = 16.0F * span * (error + kWidening * span);
    return true;
}

/// A cheap no, four edges at a time in single precision: true only if the ray passes two edges of
/// the triangle on opposite sides by more than rounding can account for.
bool surely_misses(const TreeRay& ray, const TriangleMeshView& mesh, std::uint32_t triangle) {
    const std::uint16_t* index = &mesh.indices[3 * std::size_t{triangle}];
    const Vec3& a = mesh.positions[index[0]];
    const Vec3& b = mesh.positions[index[1]];
    const Vec3& c = mesh.positions[index[2]];
    const Vec3& from = ray.near_origin;
    const Float4 x = Float4{a.x, b.x, c.x, a.x} - spread(from.x);
    const Float4 y = Float4{a.y, b.y, c.y, a.y} - spread(from.y);
    const Float4 z = Float4{a.z, b.z, c.z, a.z} - spread(from.z);
    const Float4 next_x = __builtin_shufflevector(x, x, 1, 2, 0, 1);
    const Float4 next_y = __builtin_shufflevector(y, y, 1, 2, 0, 1);
    const Float4 next_z = __builtin_shufflevector(z, z, 1, 2, 0, 1);
    const Float4 sides = spread(ray.direction.x) * (y * next_z - z * next_y) +
                         spread(ray.direction.y) * (z * next_x - x * next_z) +
                         spread(ray.direction.z) * (x * next_y - y * next_x);
    return is_any(sides > spread(ray.tolerance)) && is_any(sides < spread(-ray.tolerance));
}

struct RayTask {
    std::uint32_t node;
    float enter;
    float leave;
};

/// Calls visit(node) for every leaf whose extent the ray reaches, near side first; visit returns
/// the tree t beyond which nothing is of interest any more.
template <typename Visit>
void walk(std::span<const TriangleTree::Node> nodes, const TreeRay& ray, Visit&& visit) {
    std::array<RayTask, kTriangleTreeDepthMax + 1> stack;
    std::size_t waiting = 0;
    float best = std::numeric_limits<float>::infinity();
    RayTask task{0, ray.enter, ray.leave};
    while (true) {
        const TriangleTree::Node& node = nodes[task.node];
        const std::uint32_t axis = tag_of(node);
        if (axis != TriangleTree::kLeafTag) {
            const std::uint32_t child = index_of(node);
            const float left_plane = ray.plane_above(axis, split_of(node, 0));
            const float right_plane = ray.plane_below(axis, split_of(node, 1));
            const bool is_forward = ray.inverse[axis] > 0.0F;
            const RayTask near{child + (is_forward ? 0U : 1U), task.enter,
                               std::min(task.leave, is_forward ? left_plane : right_plane)};
            const RayTask far{child + (is_forward ? 1U : 0U),
                              std::max(task.enter, is_forward ? right_plane : left_plane),
                              task.leave};
            const bool is_far_met = far.enter <= far.leave;
            if (near.enter <= near.leave) {
                if (is_far_met) {
                    stack[waiting++] = far;
                }
                task = near;
                continue;
            }
            if (is_far_met) {
                task = far;
                continue;
            }
        } else {
            best = visit(node);
        }
        do {
            if (waiting == 0) {
                return;
            }
            task = stack[--waiting];
        } while (task.enter > best);
    }
}

}  // namespace

void TriangleTree::query_box(const TriangleMeshView& mesh, const Aabb& box,
                             std::vector<std::uint32_t>& out) const {
    // Subtracting an offset rounds; the exact test is the leaf's. NaN meets nothing.
    const bool is_moved = mesh.offset != Vec3(0.0F);
    const float margin = is_moved ? kWidening * (largest(mesh.offset) + largest(bounds_)) : 0.0F;
    const Vec3 low = box.min - mesh.offset - margin;
    const Vec3 high = box.max - mesh.offset + margin;
    if (nodes_.empty() || !overlaps(bounds_, {low, high})) {
        return;
    }
    const WideBox wide(box);
    const Float4 offset = load(mesh.offset);
    std::array<std::uint32_t, kTriangleTreeDepthMax + 2> stack;
    std::size_t waiting = 0;
    stack[waiting++] = 0;
    while (waiting != 0) {
        const Node& node = nodes_[stack[--waiting]];
        const std::uint32_t axis = tag_of(node);
        const std::uint32_t index = index_of(node);
        if (axis == kLeafTag) {
            for (std::uint32_t i = 0; i < index; ++i) {
                if (wide.meets(mesh, offset, node.words[i])) {
                    out.push_back(node.words[i]);
                }
            }
            continue;
        }
        // Written past the end and kept only if the box reaches that side.
        stack[waiting] = index + 1;
        waiting += split_of(node, 1) <= high[static_cast<int>(axis)] ? 1U : 0U;
        stack[waiting] = index;
        waiting += split_of(node, 0) >= low[static_cast<int>(axis)] ? 1U : 0U;
    }
}

std::optional<TriangleHit> TriangleTree::closest_hit(const TriangleMeshView& mesh, const Ray& ray,
                                                     float limit_t) const {
    TreeRay tree_ray;
    if (nodes_.empty() || !enter_tree(ray, mesh.offset, limit_t, bounds_, tree_ray)) {
        return std::nullopt;
    }
    std::optional<TriangleHit> best;
    Ray shorter = ray;
    shorter.t_max = std::min(ray.t_max, limit_t);
    float best_tree_t = std::numeric_limits<float>::infinity();
    walk(nodes_, tree_ray, [&](const Node& leaf) {
        for (std::uint32_t i = 0; i < index_of(leaf); ++i) {
            const std::uint32_t triangle = leaf.words[i];
            if (surely_misses(tree_ray, mesh, triangle)) {
                continue;
            }
            const std::optional<float> t =
                intersect_triangle(shorter, mesh.corner(triangle, 0), mesh.corner(triangle, 1),
                                   mesh.corner(triangle, 2));
            if (t && (!best || *t < best->t || (*t == best->t && triangle < best->triangle))) {
                best = TriangleHit{*t, triangle};
                best_tree_t = to_tree_t(*t, tree_ray.scale);
            }
        }
        return best_tree_t;
    });
    return best;
}

void TriangleTree::all_hits(const TriangleMeshView& mesh, const Ray& ray,
                            std::vector<TriangleHit>& out) const {
    TreeRay tree_ray;
    if (nodes_.empty() || !enter_tree(ray, mesh.offset, ray.t_max, bounds_, tree_ray)) {
        return;
    }
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    walk(nodes_, tree_ray, [&](const Node& leaf) {
        for (std::uint32_t i = 0; i < index_of(leaf); ++i) {
            const std::uint32_t triangle = leaf.words[i];
            const std::optional<float> t = intersect_triangle(
                ray, mesh.corner(triangle, 0), mesh.corner(triangle, 1), mesh.corner(triangle, 2));
            if (t) {
                out.push_back({*t, triangle});
            }
        }
        return std::numeric_limits<float>::infinity();
    });
    std::sort(out.begin() + first, out.end(), [](const TriangleHit& a, const TriangleHit& b) {
        return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
    });
}

}  // namespace terrane
