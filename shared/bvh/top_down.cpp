#include "shared/bvh/top_down.h"

#include <algorithm>
#include <array>
#include <limits>

#include "shared/core/assert.h"

namespace terrane {

TopDownBuild::TopDownBuild(std::span<const Aabb> boxes, SplitRule rule, const TopDownConfig& config)
    : rule_(rule), config_(config) {
    TERRANE_ASSERT(config.leaf_objects_max >= 1);
    TERRANE_ASSERT(boxes.size() <= BuildObject::kIndexMax);
    objects_.reserve(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (is_usable_box(boxes[i])) {
            objects_.push_back(BuildObject::of(boxes[i], static_cast<std::uint32_t>(i)));
        }
    }
    if (!objects_.empty()) {
        tree_.nodes.reserve(2 * objects_.size() / config.leaf_objects_max + 1);
        tree_.nodes.resize(1);
        open_.push_back({0, 0, static_cast<std::uint32_t>(objects_.size()), 0});
    }
}

bool TopDownBuild::step(std::uint64_t objects_max) {
    std::uint64_t seen = 0;
    while (!open_.empty() && seen < objects_max) {
        const Open open = open_.back();
        open_.pop_back();
        seen += open.count;
        split(open);
    }
    return open_.empty();
}

void TopDownBuild::split(const Open& open) {
    SplitNode node;
    node.objects = std::span(objects_).subspan(open.first, open.count);
    node.bin_count = config_.bin_count;
    for (const BuildObject& object : node.objects) {
        node.box.add(object.box);
        node.centres2.add(object.centre2());
    }
    BvhNode& made = tree_.nodes[open.node];
    made.box = to_aabb(node.box);
    if (open.count <= config_.leaf_objects_max) {
        made.first = open.first;
        made.count = open.count;
        std::ranges::sort(node.objects, {}, &BuildObject::index);
        return;
    }
    std::uint32_t left = open.depth < kBalancedDepth ? rule_(node) : 0;
    if (left == 0 || left >= open.count) {
        left = split_in_halves(node.objects, longest_axis(node.centres2));
    }
    const auto child = static_cast<std::uint32_t>(tree_.nodes.size());
    made.first = child;
    tree_.nodes.resize(tree_.nodes.size() + 2);
    open_.push_back({child + 1, open.first + left, open.count - left, open.depth + 1});
    open_.push_back({child, open.first, left, open.depth + 1});
}

Bvh TopDownBuild::take() {
    TERRANE_ASSERT(open_.empty());
    tree_.objects.reserve(objects_.size());
    tree_.boxes.reserve(objects_.size());
    for (const BuildObject& object : objects_) {
        tree_.objects.push_back(object.index());
        tree_.boxes.push_back(to_aabb(object.box));
    }
    return std::move(tree_);
}

Bvh build_top_down(std::span<const Aabb> boxes, SplitRule rule, const TopDownConfig& config) {
    TopDownBuild build(boxes, rule, config);
    build.step(std::numeric_limits<std::uint64_t>::max());
    return build.take();
}

std::uint32_t longest_axis(const LaneBox& box) {
    const Lane4 side = box.high - box.low;
    std::uint32_t axis = side[1] > side[0] ? 1U : 0U;
    axis = side[2] > side[axis] ? 2U : axis;
    return axis;
}

std::uint32_t split_in_halves(std::span<BuildObject> objects, std::uint32_t axis) {
    const std::size_t half = objects.size() / 2;
    std::nth_element(objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(half),
                     objects.end(), [axis](const BuildObject& a, const BuildObject& b) {
                         const float left = a.centre2()[axis];
                         const float right = b.centre2()[axis];
                         return left != right ? left < right : a.index() < b.index();
                     });
    return static_cast<std::uint32_t>(half);
}

std::uint32_t split_at(std::span<BuildObject> objects, std::uint32_t axis, float plane2) {
    return part_objects(objects, [axis, plane2](const BuildObject& object) {
        return object.box.low[axis] + object.box.high[axis] < plane2;
    });
}

CentreSpread spread_of(std::span<const BuildObject> objects) {
    std::array<double, 3> sums{};
    std::array<double, 3> squares{};
    // About the first centre: far from the origin the squares would swallow the variance.
    const Lane4 about = objects.front().centre2();
    for (const BuildObject& object : objects) {
        const Lane4 away = object.centre2() - about;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double value = away[axis];
            sums[axis] += value;
            squares[axis] += value * value;
        }
    }
    const auto count = static_cast<double>(objects.size());
    CentreSpread spread;
    double most = -1.0;
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        const double variance = squares[axis] - sums[axis] * sums[axis] / count;
        if (variance > most) {
            most = variance;
            spread = {axis, about[axis] + static_cast<float>(sums[axis] / count)};
        }
    }
    return spread;
}

}  // namespace terrane
