// Builds the loose kD tree. One pass a node: while the triangles are dealt to the two sides, each
// side's box and the sum of its midpoints grow along, so a child finds its planes, its longest axis
// and its split ready. Triangles are dealt from one array into another and back, left side from the
// front, right side from the end.
#include <algorithm>
#include <array>
#include <bit>

#include "shared/core/assert.h"
#include "shared/shape/float4.h"
#include "shared/shape/triangle_tree.h"

namespace terrane {
namespace {

struct BuildTriangle {
    Float4 low;
    Float4 high;
    Float4 middle;  ///< low + high: twice the midpoint, which orders just as well
    std::uint32_t index;
};

struct Side {
    Float4 low;
    Float4 high;
    Float4 middle_sum;
    std::uint32_t count;

    void clear() {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        low = Float4{kInfinity, kInfinity, kInfinity, kInfinity};
        high = -low;
        middle_sum = Float4{};
        count = 0;
    }
    void add(const BuildTriangle& triangle) {
        low = min4(low, triangle.low);
        high = max4(high, triangle.high);
        middle_sum += triangle.middle;
        ++count;
    }
};

/// A node still to be made: its triangles lie at [first, first + side.count) of array `where`.
struct Task {
    Side side;
    std::uint32_t first;
    std::uint32_t node;
    std::uint32_t where;
    int depth;
};

std::uint32_t longest_axis(const Side& side) {
    const Float4 extent = side.high - side.low;
    std::uint32_t axis = extent[1] > extent[0] ? 1U : 0U;
    axis = extent[2] > extent[axis] ? 2U : axis;
    return axis;
}

/// Puts the lower half by midpoint first; of equal midpoints the lower index counts as lower.
void halve(const BuildTriangle* from, BuildTriangle* to, std::uint32_t count, std::uint32_t axis,
           Side& left, Side& right) {
    std::copy(from, from + count, to);
    std::sort(to, to + count, [axis](const BuildTriangle& a, const BuildTriangle& b) {
        return a.middle[axis] != b.middle[axis] ? a.middle[axis] < b.middle[axis]
                                                : a.index < b.index;
    });
    left.clear();
    right.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        (i < count / 2 ? left : right).add(to[i]);
    }
}

/// Deals the triangles to `to`: below the mean midpoint from its front, others from its end.
void deal(const BuildTriangle* from, BuildTriangle* to, const Side& side, std::uint32_t axis,
          Side& left, Side& right) {
    const std::uint32_t count = side.count;
    const float mean = side.middle_sum[axis] / static_cast<float>(count);
    left.clear();
    right.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        const BuildTriangle& triangle = from[i];
        if (triangle.middle[axis] < mean) {
            to[left.count] = triangle;
            left.add(triangle);
        } else {
            to[count - 1 - right.count] = triangle;
            right.add(triangle);
        }
    }
    // A side with less than a quarter would let the tree grow deep, or never end.
    if (4 * std::min(left.count, right.count) < count) {
        halve(from, to, count, axis, left, right);
    }
}

TriangleTree::Node leaf_of(const BuildTriangle* triangles, std::uint32_t count) {
    return {{triangles[0].index, triangles[count - 1].index},
            (count << 2) | TriangleTree::kLeafTag};
}

}  // namespace

struct TriangleTreeBuilder::State {
    std::array<std::vector<BuildTriangle>, 2> triangles;
    std::vector<TriangleTree::Node> nodes;
    std::array<Task, kTriangleTreeDepthMax + 1> tasks;

    Side read_triangles(const TriangleMeshView& mesh);
    int make_nodes(const Side& root);
};

/// Makes every node below the root, which is node 0. Returns the depth.
int TriangleTreeBuilder::State::make_nodes(const Side& root) {
    int depth = 0;
    std::size_t waiting = 0;
    nodes.resize(1);
    tasks[waiting++] = {root, 0, 0, 0, 0};
    while (waiting != 0) {
        const Task task = tasks[--waiting];
        const BuildTriangle* from = triangles[task.where].data() + task.first;
        depth = std::max(depth, task.depth);
        if (task.side.count <= 2) {
            nodes[task.node] = leaf_of(from, task.side.count);
            continue;
        }
        const std::uint32_t axis = longest_axis(task.side);
        const std::uint32_t where = 1 - task.where;
        Side left;
        Side right;
        deal(from, triangles[where].data() + task.first, task.side, axis, left, right);
        const auto child = static_cast<std::uint32_t>(nodes.size());
        nodes.resize(child + 2);
        nodes[task.node] = {{std::bit_cast<std::uint32_t>(float{left.high[axis]}),
                             std::bit_cast<std::uint32_t>(float{right.low[axis]})},
                            (child << 2) | axis};
        TERRANE_ASSERT(waiting + 2 <= tasks.size());
        tasks[waiting++] = {right, task.first + left.count, child + 1, where, task.depth + 1};
        tasks[waiting++] = {left, task.first, child, where, task.depth + 1};
    }
    return depth;
}

Side TriangleTreeBuilder::State::read_triangles(const TriangleMeshView& mesh) {
    const std::size_t count = mesh.triangle_count();
    for (std::vector<BuildTriangle>& array : triangles) {
        if (array.size() < count) {
            array.resize(count);
        }
    }
    Side root;
    root.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const Float4 a = load(mesh.positions[mesh.indices[3 * i]]);
        const Float4 b = load(mesh.positions[mesh.indices[3 * i + 1]]);
        const Float4 c = load(mesh.positions[mesh.indices[3 * i + 2]]);
        BuildTriangle& triangle = triangles[0][i];
        triangle.low = min4(a, min4(b, c));
        triangle.high = max4(a, max4(b, c));
        triangle.middle = triangle.low + triangle.high;
        triangle.index = static_cast<std::uint32_t>(i);
        root.add(triangle);
    }
    return root;
}

TriangleTreeBuilder::TriangleTreeBuilder() : state_(std::make_unique<State>()) {}
TriangleTreeBuilder::~TriangleTreeBuilder() = default;

void TriangleTreeBuilder::build(const TriangleMeshView& mesh, TriangleTree& tree) {
    const std::size_t count = mesh.triangle_count();
    TERRANE_ASSERT(count <= kTriangleTreeTrianglesMax);
    State& state = *state_;
    state.nodes.clear();
    tree.bounds_ = {};
    tree.depth_ = 0;
    if (count != 0) {
        const Side root = state.read_triangles(mesh);
        tree.bounds_ = {{root.low[0], root.low[1], root.low[2]},
                        {root.high[0], root.high[1], root.high[2]}};
        tree.depth_ = state.make_nodes(root);
    }
    // Exactly as many as there are: the tree is half of a collider's memory.
    tree.nodes_ = std::vector<TriangleTree::Node>(state.nodes.begin(), state.nodes.end());
}

int triangle_tree_depth_bound(std::size_t triangle_count) {
    int depth = 0;
    for (std::size_t count = triangle_count; count > 2; ++depth) {
        count -= (count + 3) / 4;
    }
    return depth;
}

}  // namespace terrane
