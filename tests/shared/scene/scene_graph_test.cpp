#include "shared/scene/scene_graph.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "shared/math/trig.h"
#include "tests/shared/scene/slow_scene.h"

namespace terrane {
namespace {

const Aabb kUnitBox{{-1, -1, -1}, {1, 1, 1}};

NodeDef at(float x, NodeId parent = kNoNode) {
    NodeDef def;
    def.parent = parent;
    def.local.position.x = x;
    def.local_box = kUnitBox;
    return def;
}

std::vector<NodeId> to_vector(std::span<const NodeId> ids) {
    return {ids.begin(), ids.end()};
}

TEST_CASE("C3 scene_graph: passengers move with their vehicle, and nothing else does") {
    SceneGraph graph;
    const NodeId boat = graph.create(at(10));
    const NodeId rower = graph.create(at(1, boat));
    const NodeId hat = graph.create(at(0.5F, rower));
    const NodeId rock = graph.create(at(50));
    CHECK(to_vector(graph.update()) == std::vector{boat, rower, hat, rock});
    CHECK(graph.world(hat).position.x == 11.5F);

    Transform turned = graph.local(boat);
    turned.position.x = 20;
    turned.rotation = rotation_about({0, 1, 0}, 16384);  // a quarter: +X becomes -Z
    graph.set_local(boat, turned);
    CHECK(to_vector(graph.update()) == std::vector{boat, rower, hat});
    CHECK(graph.world(rower).position.x == doctest::Approx(20.0F));
    CHECK(graph.world(rower).position.z == doctest::Approx(-1.0F));
    CHECK(graph.world(hat).position.z == doctest::Approx(-1.5F));
    CHECK(graph.local(hat).position.x == 0.5F);
    CHECK(graph.model(hat)[3] == graph.world(hat).position);

    // Getting off where he stands.
    graph.set_local(rower, relative_to({}, graph.world(rower)));
    graph.set_parent(rower, kNoNode);
    graph.update();
    CHECK(graph.world(rower).position.z == doctest::Approx(-1.0F));
    CHECK(graph.parent(hat) == rower);
    CHECK(validate_scene(graph).has_value());
}

TEST_CASE("C3 scene_graph: a child lies in its parent's subtree bounds, not in the parent's box") {
    SceneGraph graph;
    const NodeId parent = graph.create(at(0));
    const NodeId child = graph.create(at(30, parent));
    graph.update();
    CHECK(graph.world_box(parent).max.x == 1.0F);
    CHECK(graph.subtree_box(parent).max.x == 31.0F);
    CHECK(contains(graph.subtree_box(parent), graph.subtree_box(child)));
    CHECK(graph.subtree_sphere(parent).radius >= 16.0F);
    CHECK(graph.world_sphere(child).centre.x == 30.0F);
    graph.destroy(child);
    graph.update();
    CHECK(graph.subtree_box(parent).max.x == 1.0F);  // shrinks again
    CHECK_FALSE(graph.is_alive(child));
}

TEST_CASE("C3 scene_graph: handles of the dead stay dead when their index is used again") {
    SceneGraph graph;
    const NodeId first = graph.create(at(1));
    const NodeId below = graph.create(at(1, first));
    graph.destroy(first);
    CHECK_FALSE(graph.is_alive(first));
    CHECK_FALSE(graph.is_alive(below));
    CHECK_FALSE(graph.is_alive(kNoNode));
    const NodeId second = graph.create(at(2));
    CHECK(graph.is_alive(second));
    CHECK_FALSE(graph.is_alive(first));
    CHECK(to_vector(graph.update()) == std::vector{second});
    CHECK(graph.node_count() == 1);
}

TEST_CASE("C4 scene_graph: nothing dirty, nothing computed") {
    SceneGraph graph;
    const NodeId root = graph.create(at(0));
    for (int i = 0; i < 100; ++i) {
        graph.create(at(1, root));
    }
    graph.update();
    CHECK(graph.last_update().transforms_computed == 101);
    CHECK(graph.update().empty());
    graph.set_local(root, graph.local(root));  // the same again
    CHECK(graph.update().empty());
    CHECK(graph.last_update().transforms_computed == 0);
    CHECK(graph.last_update().bounds_computed == 0);
    CHECK(graph.last_update().nodes_relaid == 0);
}

TEST_CASE("C4 scene_graph: a dirty node is computed once, however many above it are dirty too") {
    SceneGraph graph;
    std::vector<NodeId> chain{graph.create(at(0))};
    for (int i = 0; i < 20; ++i) {
        chain.push_back(graph.create(at(1, chain.back())));
    }
    graph.create(at(5));
    graph.update();
    Transform moved;
    moved.position.x = 2;
    for (const std::size_t i : {19U, 3U, 7U, 3U}) {
        graph.set_local(chain[i], moved);
    }
    CHECK(graph.update().size() == 18);  // 3 .. 20
    CHECK(graph.last_update().transforms_computed == 18);
    CHECK(graph.last_update().bounds_computed == 21);  // the whole chain, once each
}

TEST_CASE("C4 scene_graph: bounds stop at the first ancestor that does not change") {
    SceneGraph graph;
    NodeDef hall = at(0);
    hall.local_box = grow(kUnitBox, 100.0F);
    const NodeId root = graph.create(at(0));
    const NodeId big = graph.create([&] {
        NodeDef def = hall;
        def.parent = root;
        return def;
    }());
    const NodeId small = graph.create(at(3, big));
    graph.update();
    Transform moved;
    moved.position.x = 4;
    graph.set_local(small, moved);
    graph.update();
    CHECK(graph.last_update().bounds_computed == 2);  // small and big, not root
    // A larger box alone moves nothing, but bounds follow.
    graph.set_local_box(small, grow(kUnitBox, 500.0F));
    CHECK(graph.update().empty());
    CHECK(graph.subtree_box(root).max.x == 505.0F);
    CHECK(validate_scene(graph).has_value());
}

TEST_CASE("C4 scene_graph: a structural edit lays out only the tree it touches") {
    SceneGraph graph;
    for (int i = 0; i < 1000; ++i) {
        const NodeId root = graph.create(at(static_cast<float>(i)));
        graph.create(at(1, root));  // in order: nothing to move
    }
    graph.update();
    CHECK(graph.last_update().nodes_relaid == 0);
    const NodeId first{0, 0};
    graph.create(at(2, first));
    graph.update();
    CHECK(graph.last_update().nodes_relaid == 3);
    CHECK(graph.last_update().transforms_computed == 1);
    CHECK(validate_scene(graph).has_value());
}

TEST_CASE("C3 scene_graph: changing parents without moving changes bounds, and nothing has moved") {
    SceneGraph graph;
    const NodeId boat = graph.create(at(10));
    const NodeId quay = graph.create(at(10));
    const NodeId rope = graph.create(at(5, boat));
    graph.update();
    graph.set_parent(rope, quay);
    CHECK(graph.update().empty());
    CHECK(graph.subtree_box(boat).max.x == 11.0F);
    CHECK(graph.subtree_box(quay).max.x == 16.0F);
}

TEST_CASE("C3 scene_graph: a new node under a parent on its way out, in one batch") {
    SceneGraph graph;
    const NodeId a = graph.create(at(1));
    const NodeId b = graph.create(at(2, a));
    const NodeId c = graph.create(at(3));
    graph.update();
    graph.set_parent(b, c);
    const NodeId d = graph.create(at(4, b));
    graph.destroy(a);  // b has left already
    CHECK(graph.is_alive(b));
    const NodeId e = graph.create(at(5, d));
    graph.update();
    CHECK(graph.world(e).position.x == 14.0F);
    CHECK(validate_scene(graph).has_value());
    graph.set_parent(d, kNoNode);
    graph.destroy(c);
    graph.update();
    CHECK(graph.world(e).position.x == 9.0F);
    CHECK(graph.node_count() == 2);
    CHECK(validate_scene(graph).has_value());
}

void check_equal(const SceneGraph& graph, const SlowScene& slow) {
    const auto valid = validate_scene(graph);
    REQUIRE_MESSAGE(valid.has_value(), valid.error().message);
    REQUIRE(graph.node_count() == slow.nodes.size());
    for (const auto& [id, node] : slow.nodes) {
        REQUIRE(graph.is_alive(id));
        REQUIRE(graph.user(id) == node.user);
        REQUIRE(graph.parent(id) == node.parent);
        REQUIRE(graph.world(id) == slow.world(id));
        REQUIRE(graph.model(id) == to_affine(slow.world(id)));
        REQUIRE(graph.world_box(id).min == slow.world_box(id).min);
        REQUIRE(graph.subtree_box(id).min == slow.subtree_box(id).min);
        REQUIRE(graph.subtree_box(id).max == slow.subtree_box(id).max);
        NodeId child = graph.first_child(id);
        for (const NodeId expected : node.children) {
            REQUIRE(child == expected);
            child = graph.next_sibling(child);
        }
    }
}

class RandomEdits {
  public:
    explicit RandomEdits(std::uint64_t seed) : random_(seed) {}

    void edit_once() {
        const std::uint32_t what = random_.below(100);
        if (slow.nodes.size() < 3 || what < 30) {
            const NodeId parent = random_.below(4) == 0 ? kNoNode : pick();
            const NodeDef def = random_def(random_, parent, 10.0F);
            slow.create(graph.create(def), def);
            return;
        }
        const NodeId id = pick();
        if (what < 36) {
            graph.destroy(id);
            slow.destroy(id);
        } else if (what < 55) {
            const NodeId parent = random_.below(4) == 0 ? kNoNode : pick();
            if (parent == kNoNode || !slow.is_below(parent, id)) {
                graph.set_parent(id, parent);
                slow.set_parent(id, parent);
            }
        } else if (what < 60) {
            slow.nodes.at(id).box = random_def(random_, kNoNode, 1.0F).local_box;
            graph.set_local_box(id, slow.nodes.at(id).box);
        } else {
            Transform& local = slow.nodes.at(id).local;
            const Transform other = random_local(random_, 10.0F);
            if (random_.below(2) == 0) {
                local = other;
            } else {
                local.position = other.position;
            }
            graph.set_local(id, local);
        }
    }

    SceneGraph graph;
    SlowScene slow;

  private:
    NodeId pick() {
        if (slow.nodes.empty()) {
            return kNoNode;
        }
        auto it = slow.nodes.begin();
        std::advance(it, random_.below(static_cast<std::uint32_t>(slow.nodes.size())));
        return it->first;
    }

    Random random_;
};

TEST_CASE(
    "C3 C4 scene_graph: equals recursion on random trees, moves, births, deaths, moves house") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        RandomEdits edits(seed);
        Random random(seed + 100);
        for (int round = 0; round < 60; ++round) {
            CAPTURE(round);
            std::map<NodeId, Transform> before;
            for (const auto& [id, node] : edits.slow.nodes) {
                before[id] = edits.slow.world(id);
            }
            const int edit_count = random.between(0, 12);
            for (int i = 0; i < edit_count; ++i) {
                edits.edit_once();
            }
            const std::vector<NodeId> moved = to_vector(edits.graph.update());
            check_equal(edits.graph, edits.slow);
            REQUIRE(std::ranges::is_sorted(moved));
            REQUIRE(edits.graph.last_update().transforms_computed <= edits.slow.nodes.size());
            std::vector<NodeId> expected;
            for (const auto& [id, node] : edits.slow.nodes) {
                const auto old = before.find(id);
                if (old == before.end() || !(old->second == edits.slow.world(id))) {
                    expected.push_back(id);
                }
            }
            REQUIRE(moved == expected);
        }
    }
}

TEST_CASE("C4 scene_graph: births and deaths for long leave no growing heap of holes") {
    SceneGraph graph;
    std::vector<NodeId> boats;
    for (int i = 0; i < 50; ++i) {
        boats.push_back(graph.create(at(static_cast<float>(i))));
    }
    std::uint64_t relaid = 0;
    constexpr int kRounds = 5000;
    for (int round = 0; round < kRounds; ++round) {
        const NodeId rower = graph.create(at(1, boats[static_cast<std::size_t>(round) % 50]));
        graph.update();
        relaid += graph.last_update().nodes_relaid;
        graph.destroy(rower);
        graph.update();
        relaid += graph.last_update().nodes_relaid;
        REQUIRE(graph.hole_count() < 100);
    }
    CHECK(graph.node_count() == 50);
    CHECK(relaid < kRounds * 6);  // amortised: a few nodes an edit, not all fifty
    CHECK(validate_scene(graph).has_value());
}

}  // namespace
}  // namespace terrane
