#include "shared/voxel/surface_nets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "tests/shared/voxel/voxel_samples.h"

namespace terrane {
namespace {

constexpr GridBounds kBounds{{-1, -1, -1}, {1, 1, 1}};
constexpr VoxelBox kInterior{{-29, -29, -29}, {28, 28, 28}};

void put(VoxelGrid& grid, const VoxelCoord& v, Voxel voxel) {
    set_voxel(*grid.find(chunk_of(v)), index_in_chunk(v), voxel);
}

VoxelGrid air_grid() {
    VoxelGrid grid(kBounds);
    for (std::int32_t i = 0; i < 8; ++i) {
        grid.insert({(i & 1) - 1, ((i >> 2) & 1) - 1, ((i >> 1) & 1) - 1},
                    uniform_chunk(kAirVoxel));
    }
    return grid;
}

/// Blobs of random materials and occupancies, with noise between, inside `box`, moved by `shift`.
VoxelGrid blob_grid(std::uint64_t seed, const VoxelBox& box, const VoxelCoord& shift,
                    std::uint32_t noise_percent) {
    VoxelGrid grid = air_grid();
    Random random(seed);
    for (int i = 0; i < 60; ++i) {
        const VoxelCoord low{random.between(box.min.x, box.max.x),
                             random.between(box.min.y, box.max.y),
                             random.between(box.min.z, box.max.z)};
        const VoxelBox blob =
            intersect(box, {low, low + VoxelCoord{random.between(0, 9), random.between(0, 9),
                                                  random.between(0, 9)}});
        const auto material = static_cast<MaterialId>(random.below(5));
        const bool is_rough = random.below(2) == 0;
        test::for_each_voxel(blob, [&](const VoxelCoord& v) {
            const auto occupancy =
                static_cast<std::uint8_t>(is_rough ? random.between(1, 255) : 255);
            put(grid, v + shift, material == kAir ? kAirVoxel : Voxel{material, occupancy});
        });
    }
    test::for_each_voxel(box, [&](const VoxelCoord& v) {
        if (random.below(100) < noise_percent) {
            put(grid, v + shift, test::random_voxel(random));
        }
    });
    return grid;
}

/// A vertex in 1/256 m, zone space.
struct Place {
    std::int32_t x;
    std::int32_t y;
    std::int32_t z;
    auto operator<=>(const Place&) const = default;
};

/// A triangle of the whole grid's surface; quads are every two of them.
struct Placed {
    std::array<Place, 3> corner;
    std::array<MaterialId, 3> material;
};

std::vector<Placed> mesh_grid(const VoxelGrid& grid) {
    std::vector<Placed> triangles;
    BrickMesh mesh;
    for (std::int32_t y = -5; y <= 4; ++y) {
        for (std::int32_t z = -5; z <= 4; ++z) {
            for (std::int32_t x = -5; x <= 4; ++x) {
                const BrickCoord brick{x, y, z};
                // The rock below the floor has a surface of its own, which no test here is about.
                if (y < -4) {
                    continue;
                }
                mesh_brick(copy_brick_box(grid, brick), mesh);
                const VoxelCoord origin = origin_of(brick);
                for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
                    Placed placed{};
                    for (std::size_t k = 0; k < 3; ++k) {
                        const Vec3 p = mesh.positions[mesh.indices[i + k]] * 256.0F;
                        REQUIRE(p == glm::round(p));
                        placed.corner[k] = {static_cast<std::int32_t>(p.x) + origin.x * 256,
                                            static_cast<std::int32_t>(p.y) + origin.y * 256,
                                            static_cast<std::int32_t>(p.z) + origin.z * 256};
                        placed.material[k] = mesh.materials[mesh.indices[i + k]];
                    }
                    triangles.push_back(placed);
                }
            }
        }
    }
    return triangles;
}

/// The cell whose inside holds the vertex: named by the voxel at its low corner.
VoxelCoord cell_of(const Place& p) {
    // Cells begin at voxel centres. A vertex on a cell's side would belong to no cell.
    REQUIRE(((p.x + 128) & 255) != 0);
    REQUIRE(((p.y + 128) & 255) != 0);
    REQUIRE(((p.z + 128) & 255) != 0);
    return {(p.x - 128) >> 8, (p.y - 128) >> 8, (p.z - 128) >> 8};
}

VoxelCoord corner_voxel(const VoxelCoord& cell, int i) {
    return cell + VoxelCoord{i & 1, (i >> 2) & 1, (i >> 1) & 1};
}

/// Do the four voxels between two cells that share a side lie in a checkerboard?
bool is_checkered(const VoxelGrid& grid, const VoxelCoord& a, const VoxelCoord& b) {
    const VoxelCoord step = b - a;
    const VoxelCoord low{std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
    const VoxelCoord u = step.x != 0 ? VoxelCoord{0, 1, 0} : VoxelCoord{1, 0, 0};
    const VoxelCoord v = step.z != 0 ? VoxelCoord{0, 1, 0} : VoxelCoord{0, 0, 1};
    const auto core = [&](const VoxelCoord& voxel) { return is_core(grid.voxel(voxel)); };
    return core(low) == core(low + u + v) && core(low + u) == core(low + v) &&
           core(low) != core(low + u);
}

int length_1(const VoxelCoord& v) {
    return std::abs(v.x) + std::abs(v.y) + std::abs(v.z);
}

}  // namespace

TEST_CASE("A8 copy_brick_box: equals voxel() at every place of the box") {
    VoxelGrid grid = test::patchy_grid(kBounds, 11);
    grid.erase({0, 0, -1});
    grid.insert({-1, 0, 0}, uniform_chunk({kWater, 200}));
    for (std::int32_t i = 0; i < 12 * 12 * 12; ++i) {
        const BrickCoord brick{i % 12 - 6, i / 144 - 6, i / 12 % 12 - 6};
        const BrickBox box = copy_brick_box(grid, brick);
        std::size_t at = 0;
        bool is_equal = true;
        const VoxelCoord origin = origin_of(brick);
        test::for_each_voxel(
            {origin - VoxelCoord{1, 1, 1}, origin + VoxelCoord{8, 8, 8}}, [&](const VoxelCoord& v) {
                is_equal = is_equal && Voxel{box.material[at], box.occupancy[at]} == grid.voxel(v);
                ++at;
            });
        CAPTURE(brick.x);
        CAPTURE(brick.y);
        CAPTURE(brick.z);
        REQUIRE(is_equal);
    }
}

TEST_CASE("A8 mesh_brick: uniform boxes have no surface, a full floor lies between its voxels") {
    BrickBox box;
    box.material.fill(kFirstSolid);
    box.occupancy.fill(kFullOccupancy);
    BrickMesh mesh;
    mesh.indices.push_back(7);
    mesh_brick(box, mesh);
    CHECK(mesh.indices.empty());
    CHECK(mesh.positions.empty());

    VoxelGrid grid = air_grid();
    for (std::int32_t i = 0; i < 4; ++i) {
        grid.insert({(i & 1) - 1, -1, ((i >> 1) & 1) - 1}, uniform_chunk({3, kFullOccupancy}));
    }
    mesh_brick(copy_brick_box(grid, {1, -1, 1}), mesh);
    CHECK(mesh.indices.size() == 64 * 6);
    CHECK(mesh.positions.size() == 81);
    for (const Vec3& p : mesh.positions) {
        CHECK(p.y == 8.0F);
    }
    CHECK(std::ranges::all_of(mesh.materials, [](MaterialId m) { return m == 3; }));
    // The edges that cross the floor belong to the bricks below it.
    mesh_brick(copy_brick_box(grid, {1, 0, 1}), mesh);
    CHECK(mesh.indices.empty());
}

TEST_CASE("A8 mesh_brick: a lone voxel, however thin, is a closed body of twelve triangles") {
    for (const int occupancy : {128, 129, 200, 255}) {
        for (const VoxelCoord& v : {VoxelCoord{0, 0, 0}, VoxelCoord{7, 7, 7}, VoxelCoord{-1, 8, 3},
                                    VoxelCoord{-8, -1, 0}}) {
            VoxelGrid grid = air_grid();
            put(grid, v, {5, static_cast<std::uint8_t>(occupancy)});
            const std::vector<Placed> triangles = mesh_grid(grid);
            CHECK(triangles.size() == 12);
            for (const Placed& triangle : triangles) {
                CHECK(triangle.material == std::array<MaterialId, 3>{5, 5, 5});
            }
        }
    }
    VoxelGrid grid = air_grid();
    put(grid, {3, 3, 3}, {5, 127});
    CHECK(mesh_grid(grid).empty());
    put(grid, {3, 3, 3}, {kWater, 255});
    CHECK(mesh_grid(grid).empty());
}

TEST_CASE(
    "A8 mesh_brick: vertices are the mean of their cell's crossings, from its fullest corner") {
    const VoxelGrid grid = blob_grid(5, kInterior, {0, 0, 0}, 20);
    std::map<VoxelCoord, Place> vertices;
    std::set<VoxelCoord> mixed;
    const std::vector<Placed> triangles = mesh_grid(grid);
    REQUIRE(triangles.size() > 10000);
    for (const Placed& triangle : triangles) {
        for (std::size_t k = 0; k < 3; ++k) {
            const VoxelCoord cell = cell_of(triangle.corner[k]);
            const auto [known, is_new] = vertices.emplace(cell, triangle.corner[k]);
            REQUIRE(known->second == triangle.corner[k]);
            if (!is_new) {
                continue;
            }
            std::array<double, 3> sum{};
            double count = 0.0;
            Voxel fullest;
            for (int i = 0; i < 8; ++i) {
                const Voxel here = grid.voxel(corner_voxel(cell, i));
                const double a = solid_density(here);
                if (is_core(here) && here.occupancy > fullest.occupancy) {
                    fullest = here;
                }
                for (const int bit : {1, 2, 4}) {
                    const double b = solid_density(grid.voxel(corner_voxel(cell, i | bit)));
                    if ((i & bit) != 0 || (a >= 128.0) == (b >= 128.0)) {
                        continue;
                    }
                    const double f = (127.5 - a) / (b - a);
                    sum[0] += bit == 1 ? f : i & 1;
                    sum[1] += bit == 4 ? f : (i >> 2) & 1;
                    sum[2] += bit == 2 ? f : (i >> 1) & 1;
                    count += 1.0;
                }
            }
            REQUIRE(count > 0.0);
            REQUIRE(triangle.material[k] == fullest.material);
            const std::array<std::int32_t, 3> place{triangle.corner[k].x - cell.x * 256 - 128,
                                                    triangle.corner[k].y - cell.y * 256 - 128,
                                                    triangle.corner[k].z - cell.z * 256 - 128};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double exact = std::clamp(sum[axis] * 256.0 / count, 1.0, 255.0);
                REQUIRE(std::abs(place[axis] - exact) < 0.501);
            }
        }
    }
}

TEST_CASE("A8 mesh_brick: brick meshes tile a closed world with no crack and no quad twice") {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        CAPTURE(seed);
        const VoxelGrid grid = blob_grid(seed, kInterior, {0, 0, 0}, seed == 1 ? 0 : 10);
        const std::vector<Placed> triangles = mesh_grid(grid);
        REQUIRE(triangles.size() > 5000);
        std::map<std::pair<Place, Place>, int> edges;
        std::set<std::vector<VoxelCoord>> quads;
        for (std::size_t i = 0; i < triangles.size(); i += 2) {
            std::set<VoxelCoord> cells;
            for (const Placed& triangle : {triangles[i], triangles[i + 1]}) {
                for (std::size_t k = 0; k < 3; ++k) {
                    ++edges[{triangle.corner[k], triangle.corner[(k + 1) % 3]}];
                    cells.insert(cell_of(triangle.corner[k]));
                }
            }
            REQUIRE(cells.size() == 4);
            REQUIRE(quads.emplace(cells.begin(), cells.end()).second);
        }
        for (const auto& [edge, count] : edges) {
            const auto back = edges.find({edge.second, edge.first});
            REQUIRE(back != edges.end());
            REQUIRE(back->second == count);
            const VoxelCoord a = cell_of(edge.first);
            const VoxelCoord b = cell_of(edge.second);
            // Four quads meet where solid and air lie in a checkerboard, two everywhere else.
            const bool is_diagonal = length_1(b - a) != 1;
            REQUIRE(count == (!is_diagonal && is_checkered(grid, a, b) ? 2 : 1));
        }
    }
}

TEST_CASE("A8 mesh_brick: every triangle has an area and faces the air") {
    const VoxelGrid grid = blob_grid(9, kInterior, {0, 0, 0}, 25);
    const std::vector<Placed> triangles = mesh_grid(grid);
    REQUIRE(triangles.size() > 10000);
    for (std::size_t i = 0; i < triangles.size(); i += 2) {
        // The voxel edge in the middle of the quad's four cells.
        VoxelBox cells;
        for (const Placed& triangle : {triangles[i], triangles[i + 1]}) {
            for (const Place& corner : triangle.corner) {
                cells = merge(cells, {cell_of(corner), cell_of(corner)});
            }
        }
        const VoxelCoord size = cells.max - cells.min;
        REQUIRE(length_1(size) == 2);
        const VoxelCoord along{1 - size.x, 1 - size.y, 1 - size.z};
        const VoxelCoord low = cells.max;
        REQUIRE(is_core(grid.voxel(low)) != is_core(grid.voxel(low + along)));
        const std::int64_t sign = is_core(grid.voxel(low)) ? 1 : -1;
        for (const Placed& triangle : {triangles[i], triangles[i + 1]}) {
            const auto [a, b, c] = triangle.corner;
            const std::array<std::int64_t, 3> u{b.x - a.x, b.y - a.y, b.z - a.z};
            const std::array<std::int64_t, 3> v{c.x - a.x, c.y - a.y, c.z - a.z};
            const std::int64_t faces = (u[1] * v[2] - u[2] * v[1]) * along.x +
                                       (u[2] * v[0] - u[0] * v[2]) * along.y +
                                       (u[0] * v[1] - u[1] * v[0]) * along.z;
            REQUIRE(faces * sign > 0);
        }
    }
}

TEST_CASE("A8 mesh_brick: the same voxels elsewhere give the same triangles, diagonals included") {
    constexpr VoxelBox kBox{{-20, -20, -20}, {19, 19, 19}};
    const auto sorted_triangles = [](const VoxelGrid& grid, const VoxelCoord& shift) {
        std::vector<std::array<Place, 3>> sorted;
        for (Placed triangle : mesh_grid(grid)) {
            for (Place& p : triangle.corner) {
                p = {p.x - 256 * shift.x, p.y - 256 * shift.y, p.z - 256 * shift.z};
            }
            std::ranges::rotate(triangle.corner, std::ranges::min_element(triangle.corner));
            sorted.push_back(triangle.corner);
        }
        std::ranges::sort(sorted);
        return sorted;
    };
    const auto here = sorted_triangles(blob_grid(4, kBox, {0, 0, 0}, 5), {0, 0, 0});
    REQUIRE(here.size() > 3000);
    for (const VoxelCoord& shift :
         {VoxelCoord{1, 0, 0}, VoxelCoord{-3, 5, 2}, VoxelCoord{7, -7, -4}}) {
        CHECK(here == sorted_triangles(blob_grid(4, kBox, shift, 5), shift));
    }
}

}  // namespace terrane
