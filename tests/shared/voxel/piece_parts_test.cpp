#include "shared/voxel/piece_parts.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "shared/voxel/surface_nets.h"
#include "tests/shared/voxel/hull_planes.h"
#include "tests/shared/voxel/piece_samples.h"

namespace terrane {
namespace {

using test::block_piece;
using test::made_piece;

constexpr Voxel kRock{2, 255};

/// Rock where `is_rock(v)`.
template <typename IsRock>
VoxelPiece rock_piece(const VoxelCoord& size, IsRock is_rock) {
    return made_piece(size, [&](const VoxelCoord& v) { return is_rock(v) ? kRock : kAirVoxel; });
}

float mesh_volume_m3(const PieceMesh& mesh) {
    double six_volumes = 0.0;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const Vec3& a = mesh.positions[mesh.indices[i]];
        const Vec3& b = mesh.positions[mesh.indices[i + 1]];
        const Vec3& c = mesh.positions[mesh.indices[i + 2]];
        six_volumes += static_cast<double>(glm::dot(a, glm::cross(b, c)));
    }
    return static_cast<float>(six_volumes / 6.0);
}

struct Coverage {
    std::size_t parts = 0;
    std::size_t corners_max = 0;
    /// Of mesh vertices, triangles' middles, core voxels' centres, and corners amid eight of them.
    float worst_outside_m = -1e9F;
    float mesh_m3 = 0.0F;
    float union_m3 = 0.0F;  ///< sampled, 6^3 points a voxel at random
};

Coverage measure(const VoxelPiece& piece, bool has_volume = true) {
    PieceMesh mesh;
    mesh_piece(piece, mesh);
    const std::vector<PiecePart> parts = piece_parts(piece);
    Coverage coverage{parts.size(), 0, -1e9F, mesh_volume_m3(mesh), 0.0F};
    std::vector<std::vector<test::HullPlane>> planes;
    for (const PiecePart& part : parts) {
        coverage.corners_max = std::max(coverage.corners_max, part.corners.size());
        planes.push_back(test::hull_planes(part.corners, 0.002F));
    }
    const auto outside = [&](const Vec3& p) {
        float least = 1e9F;
        for (const auto& hull : planes) {
            least = std::min(least, test::outside_m(hull, p));
        }
        return least;
    };
    for (const Vec3& p : mesh.positions) {
        coverage.worst_outside_m = std::max(coverage.worst_outside_m, outside(p));
    }
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const Vec3 middle = (mesh.positions[mesh.indices[i]] + mesh.positions[mesh.indices[i + 1]] +
                             mesh.positions[mesh.indices[i + 2]]) /
                            3.0F;
        coverage.worst_outside_m = std::max(coverage.worst_outside_m, outside(middle));
    }
    test::for_each_voxel(voxel_box(piece), [&](const VoxelCoord& v) {
        std::int32_t core = 0;
        for (std::int32_t i = 0; i < 8; ++i) {
            core += is_core(voxel_of(piece, v + VoxelCoord{i & 1, (i >> 1) & 1, i >> 2})) ? 1 : 0;
        }
        if (is_core(voxel_of(piece, v))) {
            const float centre_m = outside(corner_of(v) + Vec3(0.5F));
            const float corner_m = core == 8 ? outside(corner_of(v) + Vec3(1.0F)) : -1.0F;
            coverage.worst_outside_m = std::max({coverage.worst_outside_m, centre_m, corner_m});
        }
    });
    if (has_volume) {
        std::size_t inside = 0;
        Random random(1);
        const VoxelCoord points{6 * piece.size.x, 6 * piece.size.y, 6 * piece.size.z};
        test::for_each_voxel({{0, 0, 0}, points - VoxelCoord{1, 1, 1}}, [&](const VoxelCoord& v) {
            const Vec3 within{random.unit(), random.unit(), random.unit()};
            inside += outside((corner_of(v) + within) / 6.0F) <= 0.0F ? 1U : 0U;
        });
        coverage.union_m3 = static_cast<float>(inside) / 216.0F;
    }
    return coverage;
}

/// A triangle by its places, 1/256 m, turned so that the least comes first.
using PlacedTriangle = std::array<std::tuple<int, int, int>, 3>;

PlacedTriangle placed(const std::array<Vec3, 3>& corners) {
    PlacedTriangle t;
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3 scaled = corners[i] * 256.0F;
        t[i] = {static_cast<int>(scaled.x), static_cast<int>(scaled.y), static_cast<int>(scaled.z)};
    }
    std::ranges::rotate(t, std::ranges::min_element(t));
    return t;
}

}  // namespace

TEST_CASE("A18 piece_parts: a piece's mesh is the terrain's mesh of the same voxels") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const VoxelPiece piece = test::random_piece(random, seed % 10 == 0 ? 23 : 9);
        const VoxelCoord place{random.between(-20, -2), random.between(-20, -2),
                               random.between(-20, -2)};
        VoxelGrid grid({{-1, -2, -1}, {1, 1, 1}});
        for (const std::int32_t y : {-2, -1, 0}) {
            for (const std::int32_t z : {-1, 0}) {
                grid.insert({-1, y, z}, {});
                grid.insert({0, y, z}, {});
            }
        }
        test::for_each_voxel(voxel_box(piece), [&](const VoxelCoord& v) {
            set_voxel(*grid.find(chunk_of(place + v)), index_in_chunk(place + v),
                      voxel_of(piece, v));
        });
        std::multiset<PlacedTriangle> in_ground;
        BrickMesh brick_mesh;
        for (std::int32_t y = -7; y < 4; ++y) {
            for (std::int32_t z = -4; z < 4; ++z) {
                for (std::int32_t x = -4; x < 4; ++x) {
                    const BrickCoord brick{x, y, z};
                    mesh_brick(copy_brick_box(grid, brick), brick_mesh);
                    const Vec3 low = corner_of(origin_of(brick) - place);
                    for (std::size_t i = 0; i < brick_mesh.indices.size(); i += 3) {
                        std::array<Vec3, 3> corners;
                        for (std::size_t k = 0; k < 3; ++k) {
                            corners[k] = brick_mesh.positions[brick_mesh.indices[i + k]] + low;
                        }
                        in_ground.insert(placed(corners));
                    }
                }
            }
        }
        PieceMesh mesh;
        mesh_piece(piece, mesh);
        std::multiset<PlacedTriangle> in_piece;
        for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
            in_piece.insert(
                placed({mesh.positions[mesh.indices[i]], mesh.positions[mesh.indices[i + 1]],
                        mesh.positions[mesh.indices[i + 2]]}));
        }
        REQUIRE(in_piece == in_ground);
    }
}

TEST_CASE("A18 piece_parts: a piece's mesh is closed and welded, its materials are solid") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const VoxelPiece piece = test::random_piece(random, 20);
        PieceMesh mesh;
        mesh_piece(piece, mesh);
        REQUIRE(mesh.positions.size() == mesh.materials.size());
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
        for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = mesh.indices[i + k];
                const std::uint32_t b = mesh.indices[i + (k + 1) % 3];
                ++edges[{a, b}];
                --edges[{b, a}];
            }
        }
        for (const auto& [edge, balance] : edges) {
            REQUIRE(balance == 0);
        }
        std::set<std::tuple<float, float, float>> places;
        for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
            REQUIRE(mesh.materials[i] >= kFirstSolid);
            const Vec3& p = mesh.positions[i];
            REQUIRE(places.insert({p.x, p.y, p.z}).second);
        }
        REQUIRE(mesh_volume_m3(mesh) > 0.0F);
    }
}

TEST_CASE("A18 piece_parts: a block is one part, whatever its sides") {
    for (const VoxelCoord size :
         {VoxelCoord{1, 1, 1}, VoxelCoord{1, 12, 1}, VoxelCoord{9, 1, 9}, VoxelCoord{8, 8, 8},
          VoxelCoord{17, 3, 5}, VoxelCoord{64, 1, 1}}) {
        CAPTURE(size.x);
        const Coverage coverage = measure(block_piece(size), size.x < 64);
        CHECK(coverage.parts == 1);
        CHECK(coverage.corners_max >= 6);
        CHECK(coverage.corners_max <= kPartCornersMax);
        CHECK(coverage.worst_outside_m <= kPartRoughToleranceM + 0.005F);
        if (size.x < 64) {
            CHECK(coverage.union_m3 == doctest::Approx(coverage.mesh_m3).epsilon(0.03));
        }
    }
}

TEST_CASE("A18 piece_parts: the parts of simple shapes cover their mesh and little more") {
    struct Shape {
        const char* name;
        VoxelPiece piece;
        std::size_t parts_max;
        double excess;  ///< of the union's volume over the mesh's
    };
    // Where parts meet at an inner corner their hulls bridge it, which is much of what is thin.
    const std::vector<Shape> shapes{
        {"L", rock_piece({5, 5, 2}, [](const VoxelCoord& v) { return v.x < 2 || v.y < 2; }), 2,
         0.06},
        // The mesh of a staircase is a ramp.
        {"staircase", rock_piece({8, 8, 3}, [](const VoxelCoord& v) { return v.y <= v.x; }), 1,
         0.08},
        {"arch",
         rock_piece({9, 6, 2}, [](const VoxelCoord& v) { return v.x < 2 || v.x > 6 || v.y > 3; }),
         3, 0.10},
        {"table",
         rock_piece({7, 4, 7},
                    [](const VoxelCoord& v) { return v.y == 3 || (v.x % 6 == 0 && v.z % 6 == 0); }),
         5, 0.25},
        {"ring",
         rock_piece(
             {7, 2, 7},
             [](const VoxelCoord& v) { return v.x == 0 || v.x == 6 || v.z == 0 || v.z == 6; }),
         4, 0.27},
        {"cross",
         rock_piece({7, 7, 7},
                    [](const VoxelCoord& v) { return (v.x == 3) + (v.y == 3) + (v.z == 3) >= 2; }),
         7, 0.35},
    };
    for (const Shape& shape : shapes) {
        CAPTURE(shape.name);
        const Coverage coverage = measure(shape.piece);
        CHECK(coverage.parts <= shape.parts_max);
        CHECK(coverage.corners_max <= kPartCornersMax);
        CHECK(coverage.worst_outside_m <= kPartRoughToleranceM + 0.005F);
        const auto ratio = static_cast<double>(coverage.union_m3 / coverage.mesh_m3);
        CHECK(ratio > 0.97);
        CHECK(ratio < 1.0 + shape.excess);
    }
}

TEST_CASE("A18 piece_parts: a soft ball and random heaps") {
    // 64 corners on a ball: what is cut off grows with it.
    const Coverage small = measure(test::ball_piece(3));
    CHECK(small.parts == 1);
    CHECK(small.worst_outside_m < 0.13F);
    CHECK(small.union_m3 == doctest::Approx(small.mesh_m3).epsilon(0.05));
    const Coverage ball = measure(test::ball_piece(5));
    CHECK(ball.parts == 1);
    CHECK(ball.worst_outside_m < 0.26F);
    CHECK(ball.union_m3 == doctest::Approx(ball.mesh_m3).epsilon(0.08));
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const VoxelPiece piece = test::random_piece(random, 6);
        const Coverage coverage = measure(piece, false);
        CHECK(coverage.parts <= kPiecePartsMax);
        CHECK(coverage.corners_max <= kPartCornersMax);
        CHECK(coverage.worst_outside_m < 0.25F);
    }
}

TEST_CASE("A18 piece_parts: a craggy rock gets as many parts as it may have, and lies in them") {
    Random random(0);
    const Coverage rock = measure(test::craggy_piece(512, random));
    CHECK(rock.parts == 16);
    CHECK(rock.corners_max <= 40);
    CHECK(rock.worst_outside_m <= kPartRoughToleranceM + 0.005F);
    CHECK(rock.union_m3 > rock.mesh_m3);
    CHECK(rock.union_m3 < 1.32F * rock.mesh_m3);
    const Coverage large = measure(test::craggy_piece(2000, random), false);
    CHECK(large.parts == 32);
    CHECK(large.worst_outside_m <= kPartRoughToleranceM + 0.005F);
}

TEST_CASE("A18 piece_parts: a closed hollow is full, an open one is not") {
    const auto shell = [](const VoxelCoord& v) {
        return v.x % 7 == 0 || v.y % 7 == 0 || v.z % 7 == 0;
    };
    CHECK(measure(rock_piece({8, 8, 8}, shell), false).parts == 1);
    const Coverage open = measure(rock_piece({8, 8, 8}, [&](const VoxelCoord& v) {
        return shell(v) && !(v.y == 7 && v.x > 1 && v.x < 6 && v.z > 1 && v.z < 6);
    }));
    CHECK(open.parts > 4);
    CHECK(open.union_m3 < 1.5F * open.mesh_m3);
}

TEST_CASE("A18 piece_parts: too few parts for all: hulls span hollows, and nothing is lost") {
    const auto checker = [](const VoxelCoord& v) { return (v.x + v.y + v.z) % 2 == 0; };
    const Coverage few = measure(rock_piece({4, 4, 4}, checker), false);
    CHECK(few.parts == 16);
    CHECK(few.worst_outside_m <= kPartRoughToleranceM + 0.005F);
    const Coverage many = measure(rock_piece({12, 12, 12}, checker), false);
    CHECK(many.parts == 27);  // of 864 voxels
    CHECK(many.worst_outside_m <= kPartRoughToleranceM + 0.005F);
    // One voxel apart: 8 can have a part each, 64 cannot.
    const auto apart = [](const VoxelCoord& v) {
        return v.x % 3 == 0 && v.y % 3 == 0 && v.z % 3 == 0;
    };
    CHECK(measure(rock_piece({4, 4, 4}, apart), false).parts == 8);
    CHECK(measure(rock_piece({10, 10, 10}, apart), false).parts == 16);
    // A lattice as large as a piece can be.
    const std::vector<PiecePart> parts =
        piece_parts(rock_piece({64, 64, 64}, [](const VoxelCoord& v) {
            return (v.x % 9 == 0 ? 1 : 0) + (v.y % 9 == 0 ? 1 : 0) + (v.z % 9 == 0 ? 1 : 0) >= 2;
        }));
    CHECK(parts.size() == kPiecePartsMax);
}

TEST_CASE("A18 piece_parts: parts hold every core voxel once at least, and are what they were") {
    std::uint64_t golden = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const VoxelPiece piece = test::random_piece(random, 10);
        const std::vector<PiecePart> parts = piece_parts(piece);
        std::size_t lost = 0;
        test::for_each_voxel(voxel_box(piece), [&](const VoxelCoord& v) {
            lost += is_core(voxel_of(piece, v)) &&
                            std::ranges::none_of(
                                parts, [&](const PiecePart& p) { return contains(p.box, v); })
                        ? 1U
                        : 0U;
        });
        REQUIRE(lost == 0);
        for (const PiecePart& part : parts) {
            REQUIRE(part.corners.size() >= 4);
            for (const Vec3& c : part.corners) {
                const auto at = [](float metres) {
                    return static_cast<std::uint64_t>(static_cast<std::int64_t>(metres * 256.0F));
                };
                golden = mix_bits(golden ^ (at(c.x) << 40) ^ (at(c.y) << 20) ^ at(c.z));
            }
        }
    }
    // On every machine: a peer makes the same shape.
    CHECK(golden == 9235306084982668378U);
}

}  // namespace terrane
