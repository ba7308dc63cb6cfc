#include "client-stub/viewer/debug_shapes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <tuple>

#include "shared/bvh/builders.h"
#include "tests/client-stub/viewer/small_ground.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// The ground follows the grid, which must stay where it is.
void take_all(const VoxelGrid& grid, Terrain& terrain) {
    for (int y = -1; y <= 1; ++y) {
        for (int z = -1; z <= 1; ++z) {
            for (int x = -1; x <= 1; ++x) {
                if (grid.is_loaded({x, y, z})) {
                    terrain.chunk_arrived({x, y, z});
                }
            }
        }
    }
}

std::size_t face_count(const DebugShapes& shapes) {
    std::size_t count = 0;
    for (const DebugCube& cube : shapes.cubes) {
        count += static_cast<std::size_t>(std::popcount(cube.faces));
    }
    return count;
}

std::tuple<int, int, int> place(const Aabb& box) {
    const Vec3 middle = centre(box);
    return {static_cast<int>(std::floor(middle.x)), static_cast<int>(std::floor(middle.y)),
            static_cast<int>(std::floor(middle.z))};
}

bool is_set(const TerrainMasks& masks, const VoxelCoord& v) {
    return masks.overlap_brick(brick_of(v), {v, v}).solid;
}

}  // namespace

TEST_CASE("A2 debug_shapes: one voxel's mask is a 3^3 block's outside, inside a brick and across") {
    for (const VoxelCoord& voxel :
         {VoxelCoord{3, 4, 5}, VoxelCoord{0, 8, 7}, VoxelCoord{-1, -1, 0}}) {
        CAPTURE(voxel.x);
        VoxelGrid grid = air_world();
        put(grid, voxel, {kRock, kFullOccupancy});
        Terrain terrain(grid);
        take_all(grid, terrain);
        DebugShapes shapes;
        add_masks(terrain.masks(), {1.0F, 2.0F, 3.0F}, shapes);
        CHECK(shapes.cubes.size() == 26);  // all but the one inside
        CHECK(face_count(shapes) == 54);
        CHECK(shapes.lines.empty());
        Aabb all;
        for (const DebugCube& cube : shapes.cubes) {
            all = merge(all, cube.box);
        }
        const Vec3 low{static_cast<float>(voxel.x) - 1.0F, static_cast<float>(voxel.y) - 1.0F,
                       static_cast<float>(voxel.z) - 1.0F};
        CHECK(all.min == low);
        CHECK(all.max == low + 3.0F);
    }
}

TEST_CASE("A2 debug_shapes: faces lie where a voxel in the mask meets one that is not") {
    const VoxelGrid grid = lumpy_world(5);
    Terrain terrain(grid);
    take_all(grid, terrain);
    const Vec3 eye{14.0F, 13.0F, 15.0F};
    DebugShapes shapes;
    add_masks(terrain.masks(), eye, shapes);
    REQUIRE(shapes.left_out == 0);
    REQUIRE(shapes.cubes.size() > 500);
    // Bricks wholly in reach must be complete: count the faces of a cube of them voxel by voxel.
    std::size_t expected = 0;
    for (int y = 8; y < 24; ++y) {
        for (int z = 8; z < 24; ++z) {
            for (int x = 8; x < 24; ++x) {
                const VoxelCoord v{x, y, z};
                if (is_set(terrain.masks(), v)) {
                    for (const VoxelCoord& step :
                         {VoxelCoord{1, 0, 0}, VoxelCoord{-1, 0, 0}, VoxelCoord{0, 1, 0},
                          VoxelCoord{0, -1, 0}, VoxelCoord{0, 0, 1}, VoxelCoord{0, 0, -1}}) {
                        expected += is_set(terrain.masks(), v + step) ? 0U : 1U;
                    }
                }
            }
        }
    }
    std::size_t found = 0;
    for (const DebugCube& cube : shapes.cubes) {
        if (contains(Aabb{Vec3{8.0F}, Vec3{24.0F}}, cube.box)) {
            found += static_cast<std::size_t>(std::popcount(cube.faces));
        }
    }
    CHECK(expected > 100);
    CHECK(found == expected);
}

TEST_CASE("A21 debug_shapes: one voxel's surface belongs to it and to the three before it") {
    VoxelGrid grid = air_world();
    put(grid, {8, 8, 8}, {kRock, kFullOccupancy});  // the others are in other bricks
    Terrain terrain(grid);
    take_all(grid, terrain);
    DebugShapes shapes;
    add_cells(terrain.masks(), Vec3{9.0F}, shapes);
    std::set<std::tuple<int, int, int>> places;
    for (const DebugCube& cube : shapes.cubes) {
        places.insert(place({cube.box.min - 0.5F, cube.box.max - 0.5F}));
    }
    CHECK(shapes.cubes.size() == 4);
    CHECK(places ==
          std::set<std::tuple<int, int, int>>{{8, 8, 8}, {7, 8, 8}, {8, 7, 8}, {8, 8, 7}});
}

TEST_CASE("A16 debug_shapes: one voxel has six quads of four sides and a diagonal each") {
    for (const ColliderKind kind : {ColliderKind::flat, ColliderKind::kd}) {
        VoxelGrid grid = air_world();
        put(grid, {8, 8, 8}, {kRock, kFullOccupancy});
        Terrain terrain(grid, {.collider = kind});
        take_all(grid, terrain);
        DebugShapes shapes;
        add_quads(terrain, Vec3{9.0F}, shapes);
        CHECK(shapes.lines.size() == 30);
        CHECK(shapes.cubes.empty());
        // A full voxel's vertices lie halfway between its middle and those around it.
        std::set<std::tuple<float, float, float>> corners;
        for (const DebugLine& line : shapes.lines) {
            for (const Vec3& end : {line.from, line.to}) {
                corners.insert({end.x, end.y, end.z});
                CHECK(std::abs(end.x - 8.5F) < 0.5F);
            }
            CHECK_FALSE(line.is_over);
        }
        CHECK(corners.size() == 8);
        const auto diagonals = std::ranges::count_if(shapes.lines, [&](const DebugLine& line) {
            return line.colour != shapes.lines.front().colour;
        });
        CHECK((diagonals == 6 || diagonals == 24));
    }
}

TEST_CASE("debug_shapes: what is far from the eye, or not loaded, is not shown") {
    VoxelGrid grid = air_world();
    put(grid, {8, 8, 8}, {kRock, kFullOccupancy});
    Terrain terrain(grid);
    take_all(grid, terrain);
    for (const Vec3& eye :
         {Vec3{8.0F, 48.0F, 8.0F}, Vec3{-900.0F, 8.0F, 8.0F}, Vec3{9e5F, -9e5F, 0.0F}}) {
        DebugShapes shapes;
        add_masks(terrain.masks(), eye, shapes);
        add_cells(terrain.masks(), eye, shapes);
        add_quads(terrain, eye, shapes);
        // Far down is the zone's floor, at its sides are walls: neither is near here.
        CHECK(shapes.is_empty());
    }
}

TEST_CASE("debug_shapes: no list grows beyond its limit; the nearest come first") {
    DebugShapes shapes;
    for (std::size_t i = 0; i < kDebugLinesMax + 7; ++i) {
        shapes.add(DebugLine{});
    }
    CHECK(shapes.lines.size() == kDebugLinesMax);
    CHECK(shapes.left_out == 7);
    for (std::size_t i = 0; i < kDebugCubesMax + 2; ++i) {
        shapes.add(DebugCube{});
    }
    CHECK(shapes.cubes.size() == kDebugCubesMax);
    CHECK(shapes.left_out == 9);
    shapes.clear();
    CHECK(shapes.is_empty());
    CHECK(shapes.left_out == 0);

    // Every second voxel set, diagonally: nearly every voxel owns a quad.
    VoxelGrid grid = air_world();
    for (int y = -20; y < 45; ++y) {
        for (int z = -20; z < 45; ++z) {
            for (int x = -20; x < 45; ++x) {
                if (((x + y + z) & 1) == 0) {
                    put(grid, {x, y, z}, {kRock, kFullOccupancy});
                }
            }
        }
    }
    Terrain terrain(grid);
    take_all(grid, terrain);
    const Vec3 eye{12.0F};
    add_cells(terrain.masks(), eye, shapes);
    CHECK(shapes.cubes.size() == kDebugCubesMax);
    CHECK(shapes.left_out > 10000);
    float farthest = 0.0F;
    for (const DebugCube& cube : shapes.cubes) {
        farthest = std::max(farthest, glm::length(centre(cube.box) - eye));
    }
    CHECK(farthest < kDebugTerrainM + 4.0F);
}

TEST_CASE("A12 debug_shapes: a contact is a cross and its normal, coloured by what it is") {
    const std::vector<DebugTouch> touches{{{1, 2, 3}, {0, 1, 0}, -0.001F, true},
                                          {{4, 5, 6}, {1, 0, 0}, 0.0F, false},
                                          {{7, 8, 9}, {0, 0, 1}, -0.05F, true}};
    DebugShapes shapes;
    add_contacts(touches, shapes);
    REQUIRE(shapes.lines.size() == 12);
    for (std::size_t i = 0; i < touches.size(); ++i) {
        const DebugLine& normal = shapes.lines[4 * i + 3];
        CHECK(normal.from == touches[i].point);
        CHECK(normal.to == touches[i].point + 0.5F * touches[i].normal);
        CHECK(normal.is_over);
        CHECK(centre(Aabb{glm::min(shapes.lines[4 * i].from, shapes.lines[4 * i].to),
                          glm::max(shapes.lines[4 * i].from, shapes.lines[4 * i].to)})
                  .x == doctest::Approx(touches[i].point.x));
    }
    CHECK(shapes.lines[3].colour != shapes.lines[7].colour);
    CHECK(shapes.lines[3].colour != shapes.lines[11].colour);
}

TEST_CASE("A14 debug_shapes: a body in water is a square at the level and a line to its middle") {
    const std::vector<DebugAfloat> afloat{{{1, 2, 3}, 2.25F, 0.5F}};
    DebugShapes shapes;
    add_afloat(afloat, shapes);
    REQUIRE(shapes.lines.size() == 5);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(shapes.lines[i].from.y == 2.25F);
        CHECK(shapes.lines[i].to == shapes.lines[(i + 1) % 4].from);
    }
    CHECK(shapes.lines[4].from == Vec3{1, 2, 3});
    CHECK(shapes.lines[4].to == Vec3{1.0F, 2.25F, 3.0F});
}

TEST_CASE(
    "B10 debug_shapes: a tree's boxes have twelve edges each, the root first, colours by depth") {
    const std::vector<Aabb> boxes{
        {{0, 0, 0}, {1, 1, 1}}, {{4, 0, 0}, {5, 1, 1}}, {{9, 0, 0}, {10, 2, 1}}};
    const Bvh tree = build_bvh(boxes, {.builder = BvhBuilder::median, .leaf_objects_max = 1});
    DebugShapes shapes;
    add_tree(tree, shapes);
    REQUIRE(tree.nodes.size() == 5);
    REQUIRE(shapes.lines.size() == 12 * 5);
    Aabb root;
    for (std::size_t i = 0; i < 12; ++i) {
        root = merge(merge(root, shapes.lines[i].from), shapes.lines[i].to);
        const Vec3 edge = shapes.lines[i].to - shapes.lines[i].from;
        CHECK(std::abs(edge.x) + std::abs(edge.y) + std::abs(edge.z) == glm::length(edge));
    }
    CHECK(root.min == Vec3{0.0F});
    CHECK(root.max == Vec3{10.0F, 2.0F, 1.0F});
    CHECK(shapes.lines[0].colour != shapes.lines[12].colour);
    CHECK(shapes.lines[12].colour == shapes.lines[24].colour);  // both of the second level
    CHECK(shapes.lines[12].colour != shapes.lines[59].colour);
    DebugShapes middle;
    add_tree(tree, middle, 1);
    CHECK(middle.lines.size() == 24);
    DebugShapes beyond;
    add_tree(tree, beyond, 9);
    CHECK(beyond.is_empty());
    DebugShapes empty;
    add_tree(Bvh{}, empty);
    CHECK(empty.is_empty());
}
