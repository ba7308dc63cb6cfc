#include "client-stub/viewer/debug_tree.h"

#include <doctest/doctest.h>

#include <memory>

#include "client-stub/session/replica.h"
#include "shared/math/ray_box.h"
#include "shared/math/trig.h"

using namespace terrane;

TEST_CASE("B10 debug_tree: scenes are boxes:COUNT within limits") {
    CHECK(parse_tree_scene("boxes:1")->box_count == 1);
    CHECK(parse_tree_scene("boxes:10000")->box_count == 10000);
    for (const char* bad : {"", "boxes", "boxes:", "boxes:0", "boxes:-1", "boxes:1000001",
                            "boxes:12x", "spheres:10", "boxes:99999999999"}) {
        CAPTURE(bad);
        const auto refused = parse_tree_scene(bad);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().message.find("boxes:10000") != std::string::npos);
    }
}

TEST_CASE("B10 debug_tree: the boxes are the same every time, and every builder takes them all") {
    const std::vector<Aabb> boxes = make_boxes({500}, 500);
    const std::vector<Aabb> again = make_boxes({500}, 700);  // and more
    REQUIRE(boxes.size() == 500);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        CHECK(boxes[i].min == again[i].min);
        CHECK(boxes[i].max == again[i].max);
        CHECK(half_extents(boxes[i]).x >= 0.0999F);
    }
    for (const BvhBuilder builder : kBvhBuilders) {
        const Bvh tree = build_bvh(boxes, {.builder = builder});
        CHECK(stat_of(tree).object_count == 500);
        CHECK(validate_bvh(tree, boxes).empty());
    }
}

TEST_CASE(
    "B10 debug_tree: the picked node is the first of its level; its objects are all under it") {
    const std::vector<Aabb> boxes = make_boxes({300}, 300);
    const Bvh tree = build_bvh(boxes, {.builder = BvhBuilder::median, .leaf_objects_max = 1});
    const Ray ray{{-500.0F, 0.5F, 0.5F}, {1.0F, 0.0F, 0.0F}, 1000.0F};
    const auto root = pick_node(tree, 0, ray);
    REQUIRE(root.has_value());
    CHECK(*root == 0);
    CHECK(boxes_under(tree, *root).size() == 300);
    std::size_t fewest = 300;
    for (std::uint32_t level = 1; level < 5; ++level) {
        const auto picked = pick_node(tree, level, ray);
        REQUIRE(picked.has_value());
        const std::vector<Aabb> under = boxes_under(tree, *picked);
        CHECK(under.size() < fewest);
        fewest = under.size();
        Aabb all;
        for (const Aabb& box : under) {
            all = merge(all, box);
        }
        CHECK(all.min == tree.nodes[*picked].box.min);
        CHECK(all.max == tree.nodes[*picked].box.max);
        // No other node of the level is met before it.
        const float enter = intersect(ray, tree.nodes[*picked].box)->enter;
        std::vector<std::uint32_t> nodes{0};
        for (std::uint32_t depth = 0; depth < level; ++depth) {
            std::vector<std::uint32_t> below;
            for (const std::uint32_t node : nodes) {
                if (tree.nodes[node].count == 0) {
                    below.push_back(tree.nodes[node].first);
                    below.push_back(tree.nodes[node].first + 1);
                }
            }
            nodes = below;
        }
        for (const std::uint32_t node : nodes) {
            const auto span = intersect(ray, tree.nodes[node].box);
            CHECK((!span || span->enter >= enter));
        }
    }
    CHECK_FALSE(pick_node(tree, 60, ray).has_value());
    CHECK_FALSE(pick_node(tree, 0, {{0, 900, 0}, {0, 1, 0}, 100.0F}).has_value());
    CHECK_FALSE(pick_node(Bvh{}, 0, ray).has_value());
}

TEST_CASE("B10 debug_tree: a body's box is where it is drawn, turned with it") {
    BodyKindTable kinds(3);
    kinds[0].shape = BodyShape::player;
    kinds[1].half_extents = {1.0F, 2.0F, 3.0F};
    kinds[2].shape = BodyShape::sphere;
    kinds[2].half_extents = {0.5F, 9.0F, 9.0F};
    std::vector<VisibleBody> bodies(4);
    bodies[0].position = {10, 0, 0};
    bodies[1].kind = 1;
    bodies[1].rotation = rotation_about({0, 1, 0}, 16384);
    bodies[2].kind = 2;
    bodies[3].kind = 9;  // a kind that the zone did not name
    const std::vector<Aabb> boxes = boxes_of(bodies, kinds, {0.35F, 1.8F});
    REQUIRE(boxes.size() == 3);
    CHECK(boxes[0].min.y == doctest::Approx(0.0F));
    CHECK(boxes[0].max.y == doctest::Approx(1.8F));
    CHECK(boxes[0].max.x == doctest::Approx(10.35F));
    CHECK(boxes[1].max.x == doctest::Approx(3.0F));
    CHECK(boxes[1].max.z == doctest::Approx(1.0F));
    CHECK(boxes[2].max.y == doctest::Approx(0.5F));
}

namespace {

struct SeenSplit {
    Aabb box;
    std::size_t objects;
};
std::vector<SeenSplit> seen_splits;

std::uint32_t split_and_note(const SplitNode& node) {
    seen_splits.push_back({to_aabb(node.box), node.objects.size()});
    return split_rule_of(BvhBuilder::sah)(node);
}

}  // namespace

TEST_CASE("B10 debug_tree: the steps through a top-down build are its splits, in its order") {
    const std::vector<Aabb> boxes = make_boxes({400}, 400);
    TopDownBuild build(boxes, split_and_note, {});
    seen_splits.clear();
    while (!build.step(1)) {
    }
    const Bvh tree = build.take();
    REQUIRE(split_count(tree) == seen_splits.size());
    REQUIRE(split_count(tree) > 50);
    for (std::uint32_t step = 1; step <= split_count(tree); ++step) {
        CAPTURE(step);
        const SeenSplit& seen = seen_splits[step - 1];
        const BuildStep shown = build_step(tree, step);
        CHECK(tree.nodes[shown.split].box.min == seen.box.min);
        CHECK(tree.nodes[shown.split].box.max == seen.box.max);
        CHECK(boxes_under(tree, shown.split).size() == seen.objects);
        CHECK(boxes_under(tree, shown.left).size() + boxes_under(tree, shown.left + 1).size() ==
              seen.objects);
    }
}

TEST_CASE("B10 debug_tree: after k splits of any builder k + 1 parts hold all boxes") {
    const std::vector<Aabb> boxes = make_boxes({200}, 200);
    for (const BvhBuilder builder : kBvhBuilders) {
        CAPTURE(name_of(builder));
        const Bvh tree = build_bvh(boxes, {.builder = builder});
        for (std::uint32_t step = 0; step <= split_count(tree); ++step) {
            const std::uint32_t made = 1 + 2 * step;
            std::size_t parts = 0;
            std::size_t held = 0;
            for (std::uint32_t i = 0; i < made; ++i) {
                if (tree.nodes[i].count != 0 || tree.nodes[i].first >= made) {
                    ++parts;
                    held += boxes_under(tree, i).size();
                }
            }
            CHECK(parts == step + 1);
            CHECK(held == 200);
            DebugShapes shapes;
            add_build(tree, step, shapes);
            CHECK(shapes.lines.size() == 12 * (parts + (step > 0 ? 1 : 0)));
            CHECK(shapes.cubes.size() == (step > 0 ? 2 : 0));
        }
    }
    DebugShapes none;
    add_build({}, 5, none);
    CHECK(none.is_empty());
    add_build(build_bvh(boxes), 1'000'000, none);  // the last one
    CHECK(none.cubes.size() == 2);
}

TEST_CASE("A18 debug_tree: a piece's box is that of its voxels, about its centre of mass") {
    auto piece = std::make_shared<ReplicaPiece>();
    piece->voxels = empty_piece({4, 2, 2});
    for (Voxel& voxel : piece->voxels.voxels) {
        voxel = {2, kFullOccupancy};
    }
    const std::vector<float> densities(3, 1000.0F);
    piece->mass = weigh_piece(piece->voxels, densities);
    BodyKindTable kinds(2);
    kinds[1].shape = BodyShape::piece;
    std::vector<VisibleBody> bodies(1);
    bodies[0].kind = 1;
    bodies[0].position = {10.0F, 20.0F, 30.0F};
    bodies[0].piece = piece;
    const Aabb upright = boxes_of(bodies, kinds, {}).front();
    CHECK(glm::distance(upright.min, Vec3{8.0F, 19.0F, 29.0F}) < 1e-4F);
    CHECK(glm::distance(upright.max, Vec3{12.0F, 21.0F, 31.0F}) < 1e-4F);
    bodies[0].rotation = glm::angleAxis(1.5707963F, Vec3{0.0F, 0.0F, 1.0F});  // stands on its end
    const Aabb turned = boxes_of(bodies, kinds, {}).front();
    CHECK(glm::distance(turned.min, Vec3{9.0F, 18.0F, 29.0F}) < 1e-4F);
    CHECK(glm::distance(turned.max, Vec3{11.0F, 22.0F, 31.0F}) < 1e-4F);
}
