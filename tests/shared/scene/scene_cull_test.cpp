#include <algorithm>

#include <doctest/doctest.h>
#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>

#include "shared/scene/scene_graph.h"
#include "tests/shared/scene/slow_scene.h"

namespace terrane {
namespace {

/// A cube of side 20 about the origin.
Frustum cube_view() {
    return frustum_of(glm::ortho(-10.0F, 10.0F, -10.0F, 10.0F, -10.0F, 10.0F));
}

NodeDef box_at(float x, NodeId parent = kNoNode) {
    NodeDef def;
    def.parent = parent;
    def.local.position.x = x;
    def.local_box = {{-1, -1, -1}, {1, 1, 1}};
    return def;
}

TEST_CASE(
    "C7 scene_graph: inside takes the branch, outside skips it, without tests of the children") {
    SceneGraph graph;
    std::vector<NodeId> near_branch{graph.create(box_at(0))};
    for (int i = 0; i < 50; ++i) {
        near_branch.push_back(graph.create(box_at(0.1F, near_branch[0])));
    }
    const NodeId far_root = graph.create(box_at(100));
    for (int i = 0; i < 50; ++i) {
        graph.create(box_at(0.1F, far_root));
    }
    graph.update();
    std::vector<NodeId> seen;
    const CullStat stat = graph.cull(cube_view(), seen);
    CHECK(seen == near_branch);
    CHECK(stat.spheres_tested == 2);
    CHECK(stat.boxes_tested == 0);
}

TEST_CASE("C7 scene_graph: intersecting goes on to the children; groups are not seen themselves") {
    SceneGraph graph;
    NodeDef group;
    const NodeId root = graph.create(group);
    graph.create(box_at(50, root));
    const NodeId near_child = graph.create(box_at(3, root));
    graph.update();
    std::vector<NodeId> seen;
    graph.cull(cube_view(), seen);
    CHECK(seen == std::vector{near_child});

    // It comes back when it comes back.
    Transform away;
    away.position.x = 99;
    graph.set_local(root, away);
    graph.update();
    seen.clear();
    graph.cull(cube_view(), seen);
    CHECK(seen.empty());
    graph.set_local(root, {});
    graph.update();
    graph.cull(cube_view(), seen);
    CHECK(seen == std::vector{near_child});
}

TEST_CASE("C7 scene_graph: culling deeper than the remembered depth stays right") {
    SceneGraph graph;
    NodeId last = graph.create(box_at(-100));
    for (int i = 0; i < 200; ++i) {
        last = graph.create(box_at(1, last));
    }
    graph.update();
    std::vector<NodeId> seen;
    graph.cull(cube_view(), seen);
    CHECK(seen.size() == 23);  // centres -11 .. 11
}

TEST_CASE("C7 C8 scene_graph: culling equals brute force on random forests and cameras") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        SceneGraph graph;
        SlowScene slow;
        std::vector<NodeId> all;
        for (int i = 0; i < 500; ++i) {
            const NodeId parent = all.empty() || random.below(10) == 0
                                      ? kNoNode
                                      : all[random.below(static_cast<std::uint32_t>(all.size()))];
            NodeDef def = random_def(random, parent, parent == kNoNode ? 60.0F : 6.0F);
            all.push_back(graph.create(def));
            slow.create(all.back(), def);
        }
        for (int i = 0; i < 20; ++i) {  // holes in the layout
            const NodeId gone = all[random.below(static_cast<std::uint32_t>(all.size()))];
            if (graph.is_alive(gone)) {
                graph.destroy(gone);
                slow.destroy(gone);
            }
        }
        graph.update();
        std::size_t seen_count = 0;
        for (int view = 0; view < 60; ++view) {
            CAPTURE(view);
            const Vec3 eye = random_local(random, 60.0F).position;
            const Vec3 at = random_local(random, 60.0F).position;
            const Frustum frustum = frustum_of(glm::perspective(1.0F, 1.6F, 0.1F, 120.0F) *
                                               glm::lookAt(eye, at, Vec3{0, 1, 0}));
            std::vector<NodeId> seen;
            graph.cull(frustum, seen);
            std::ranges::sort(seen);
            REQUIRE(seen == slow.visible(frustum));
            seen_count += seen.size();
        }
        CHECK(seen_count > 500);
    }
}

}  // namespace
}  // namespace terrane
