#include "shared/voxel/terrain_generator.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "shared/voxel/ground_shape.h"
#include "tests/shared/voxel/voxel_samples.h"

namespace terrane {
namespace {

constexpr GridBounds kZone{};
constexpr MaterialId kGrass = 4;
constexpr MaterialId kSand = 5;
constexpr MaterialId kWood = 7;

/// Chunks made when first asked for.
class LazyTerrain {
  public:
    explicit LazyTerrain(const GeneratorConfig& config) : config_(config) {}

    const Chunk& chunk(const ChunkCoord& c) {
        auto found = chunks_.find(c);
        if (found == chunks_.end()) {
            found = chunks_.emplace(c, generate_chunk(config_, kZone, c)).first;
        }
        return found->second;
    }
    Voxel voxel(const VoxelCoord& v) { return chunk(chunk_of(v)).voxel(index_in_chunk(v)); }

  private:
    GeneratorConfig config_;
    std::map<ChunkCoord, Chunk> chunks_;
};

bool is_tree(LazyTerrain& terrain, std::int32_t x, std::int32_t ground, std::int32_t z) {
    for (std::int32_t dz = -2; dz <= 2; ++dz) {
        for (std::int32_t dx = -2; dx <= 2; ++dx) {
            for (std::int32_t dy = -4; dy <= 6; ++dy) {
                if (terrain.voxel({x + dx, ground + dy, z + dz}).material == kWood) {
                    return true;
                }
            }
        }
    }
    return false;
}

}  // namespace

TEST_CASE("terrain generator: version 1 makes these chunks on every machine") {
    static_assert(kGeneratorVersion == 1);
    struct Golden {
        std::uint64_t seed;
        ChunkCoord chunk;
        std::uint64_t hash;
    };
    const std::array<Golden, 8> golden{{
        {1, {0, 0, 0}, 0xC911D1CF1F73BF16ULL},
        {1, {3, -1, 1}, 0x735140218F1D6A46ULL},
        {1, {-10, 2, -4}, 0xB9C7A60B78ABC8B4ULL},
        {1, {-16, -1, 15}, 0x766F9308B504B26CULL},
        {1, {5, 0, -9}, 0x213EA532F707F34ULL},
        {2, {0, 0, 0}, 0x95517BDE6E216B9ULL},
        {0xFFFFFFFFFFFFFFFFULL, {-7, 0, 12}, 0xA87D96CE26CF2AE4ULL},
        {77, {120, 0, -121}, 0xF3CDF87D6857DE47ULL},
    }};
    for (const Golden& pinned : golden) {
        CAPTURE(pinned.seed);
        CAPTURE(pinned.chunk.x);
        const Chunk chunk = generate_chunk({pinned.seed, 0}, kZone, pinned.chunk);
        CHECK(hash_chunk(chunk) == pinned.hash);
        CHECK(chunk.revision == 0);
    }
}

TEST_CASE("terrain generator: sky and deep rock are uniform; far coordinates are fine") {
    const GeneratorConfig config;
    const Chunk sky = generate_chunk(config, kZone, {0, 3, 0});
    CHECK(sky.is_uniform());
    CHECK(sky.voxel(0) == kAirVoxel);
    CHECK(generate_chunk(config, kZone, {0, 1000, 0}).is_uniform());
    for (const std::int32_t x : {-16, 0, 15}) {
        const Chunk deep = generate_chunk(config, kZone, {x, -2, 3});
        CHECK(deep.is_uniform());
        CHECK(deep.voxel(0) == kBedrockVoxel);
    }
    const GridBounds wide{{-125, -2, -125}, {125, 4, 125}};
    CHECK_FALSE(generate_chunk(config, wide, {-125, 0, 124}).is_uniform());
}

TEST_CASE("terrain generator: every voxel is one that may be") {
    const GeneratorConfig config{9, 0};
    for (std::int32_t i = 0; i < 24; ++i) {
        const Chunk chunk = generate_chunk(config, kZone, {i - 12, i % 4 - 1, 7 - i});
        bool is_valid = true;
        for (std::size_t v = 0; v < kChunkVoxelCount; ++v) {
            const Voxel voxel = chunk.voxel(v);
            is_valid &=
                voxel.material <= kWood && (voxel.material == kAir) == (voxel.occupancy == 0);
        }
        CHECK(is_valid);
    }
}

TEST_CASE("terrain generator: the sea level moves the whole world up or down") {
    const Chunk at_zero = generate_chunk({1, 0}, {{-16, -3, -16}, {16, 4, 16}}, {2, 0, 1});
    const Chunk higher = generate_chunk({1, 32}, {{-16, -2, -16}, {16, 5, 16}}, {2, 1, 1});
    CHECK(hash_chunk(at_zero) == hash_chunk(higher));
    CHECK(ground_height_m({1, 32}, 40, -9) == ground_height_m({1, 0}, 40, -9) + 32);
}

TEST_CASE("terrain generator: columns meet ground_height at chunk borders and inside") {
    for (const std::uint64_t seed : {1ULL, 5ULL}) {
        CAPTURE(seed);
        const GeneratorConfig config{seed, 0};
        LazyTerrain terrain(config);
        int compared = 0;
        for (std::int32_t x = -66; x <= 66; ++x) {
            for (const std::int32_t z : {-65, -33, -32, -1, 0, 17, 31, 32}) {
                const std::int32_t ground = ground_height_m(config, x, z);
                const std::int32_t slope =
                    std::abs(ground_height_m(config, x + 1, z) -
                             ground_height_m(config, x - 1, z)) +
                    std::abs(ground_height_m(config, x, z + 1) - ground_height_m(config, x, z - 1));
                if (slope > 2 || is_tree(terrain, x, ground, z)) {
                    continue;
                }
                ++compared;
                CAPTURE(x);
                CAPTURE(z);
                // Rounded up: solid just below, no core above.
                CHECK(is_core(terrain.voxel({x, ground - 2, z})));
                CHECK(is_solid(terrain.voxel({x, ground - 1, z})));
                CHECK_FALSE(is_core(terrain.voxel({x, ground, z})));
                CHECK_FALSE(is_solid(terrain.voxel({x, ground + 1, z})));
            }
        }
        CHECK(compared > 400);
    }
}

TEST_CASE("terrain generator: slopes are smooth, level ground is where its height says") {
    const GeneratorConfig config;
    LazyTerrain terrain(config);
    const GroundPlaces places = ground_places(config.seed);
    int compared = 0;
    for (std::int32_t z = -12; z <= 12; ++z) {
        for (std::int32_t x = -12; x <= 12; ++x) {
            const double height = ground_height(config.seed, places, x, z) / 256.0;
            const auto floor = static_cast<std::int32_t>(std::floor(height));
            // Where the mesher puts the surface: between the centres around density 127.5.
            for (std::int32_t y = floor - 2; y <= floor + 1; ++y) {
                const double below = solid_density(terrain.voxel({x, y, z}));
                const double above = solid_density(terrain.voxel({x, y + 1, z}));
                if (below >= 128 && above < 128) {
                    const double surface = y + 0.5 + (below - 127.5) / (below - above);
                    CHECK(surface == doctest::Approx(height).epsilon(0.004));
                    ++compared;
                }
            }
        }
    }
    CHECK(compared == 25 * 25);
}

TEST_CASE("terrain generator: the start is gentle dry ground for every seed") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const GeneratorConfig config{seed, 0};
        const GroundPlaces places = ground_places(seed);
        std::int32_t slope_max = 0;
        std::int32_t height_min = 1 << 20;
        for (std::int32_t z = -16; z <= 16; ++z) {
            for (std::int32_t x = -16; x <= 16; ++x) {
                const std::int32_t here = ground_height(seed, places, x, z);
                height_min = std::min(height_min, here);
                slope_max = std::max({slope_max, ground_height(seed, places, x + 1, z) - here,
                                      here - ground_height(seed, places, x + 1, z),
                                      ground_height(seed, places, x, z + 1) - here,
                                      here - ground_height(seed, places, x, z + 1)});
            }
        }
        CHECK(height_min > 3 * kHeightOne);
        CHECK(slope_max < kHeightOne / 4);
        const std::int32_t ground = ground_height_m(config, 0, 0);
        const Chunk chunk = generate_chunk(config, kZone, chunk_of(VoxelCoord{0, ground, 0}));
        for (std::int32_t y = ground + 1; chunk_of(VoxelCoord{0, y, 0}).y == 0; ++y) {
            CHECK(chunk.voxel(index_in_chunk(VoxelCoord{0, y, 0})) == kAirVoxel);
        }
    }
}

TEST_CASE("terrain generator: a lake with a sand beach lies near the start of every seed") {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        CAPTURE(seed);
        const GeneratorConfig config{seed, 0};
        const GroundPlaces places = ground_places(seed);
        const std::int32_t away = distance_from(0, 0, places.lake_x, places.lake_z) / kHeightOne;
        CHECK(away >= 60);
        CHECK(away <= 150);
        LazyTerrain terrain(config);
        CHECK(ground_height_m(config, places.lake_x, places.lake_z) <= -5);
        CHECK(terrain.voxel({places.lake_x, -1, places.lake_z}) == Voxel{kWater, 224});
        CHECK(terrain.voxel({places.lake_x, -2, places.lake_z}) == Voxel{kWater, 255});
        CHECK(terrain.voxel({places.lake_x, 0, places.lake_z}) == kAirVoxel);
        const std::int32_t bed = ground_height_m(config, places.lake_x, places.lake_z);
        CHECK(terrain.voxel({places.lake_x, bed - 2, places.lake_z}).material == kSand);
        // Walk from the middle to the shore in 4 directions: water, then sand above the water.
        for (const auto& [dx, dz] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
            std::int32_t step = 0;
            while (step < 60 && ground_height_m(config, places.lake_x + step * dx,
                                                places.lake_z + step * dz) <= 0) {
                ++step;
            }
            CHECK(step >= 20);
            CHECK(step <= 52);
            int sand = 0;
            for (std::int32_t beach = step; beach < step + 12; ++beach) {
                const std::int32_t x = places.lake_x + beach * dx;
                const std::int32_t z = places.lake_z + beach * dz;
                sand += terrain.voxel({x, ground_height_m(config, x, z) - 1, z}).material == kSand;
            }
            CHECK(sand >= 4);
        }
    }
}

TEST_CASE("terrain generator: water never stands over or beside air below its surface") {
    for (const std::uint64_t seed : {1ULL, 8ULL}) {
        CAPTURE(seed);
        const GeneratorConfig config{seed, 0};
        LazyTerrain terrain(config);
        const GroundPlaces places = ground_places(seed);
        const ChunkCoord middle = chunk_of(VoxelCoord{places.lake_x, -1, places.lake_z});
        int water = 0;
        int hanging = 0;
        for (std::int32_t cz = middle.z - 2; cz <= middle.z + 2; ++cz) {
            for (std::int32_t cx = middle.x - 2; cx <= middle.x + 2; ++cx) {
                const Chunk& low = terrain.chunk({cx, -1, cz});
                const Chunk& high = terrain.chunk({cx, 0, cz});
                test::for_each_voxel(box_of(ChunkCoord{cx, -1, cz}), [&](const VoxelCoord& v) {
                    if (!is_water(low.voxel(index_in_chunk(v)))) {
                        return;
                    }
                    ++water;
                    for (const VoxelCoord& next :
                         {VoxelCoord{1, 0, 0}, VoxelCoord{-1, 0, 0}, VoxelCoord{0, 0, 1},
                          VoxelCoord{0, 0, -1}, VoxelCoord{0, -1, 0}}) {
                        hanging += terrain.voxel(v + next) == kAirVoxel;
                    }
                    if (v.y < -1) {
                        hanging += terrain.voxel(v + VoxelCoord{0, 1, 0}) == kAirVoxel;
                    }
                });
                test::for_each_voxel(box_of(ChunkCoord{cx, 0, cz}), [&](const VoxelCoord& v) {
                    hanging += is_water(high.voxel(index_in_chunk(v)));
                });
            }
        }
        CHECK(water > 5000);
        CHECK(hanging == 0);
    }
}

TEST_CASE("terrain generator: the default zone holds every material, hills, peaks and caves") {
    const GeneratorConfig config;
    std::array<std::int64_t, 8> count{};
    std::int64_t cave_air = 0;
    const GroundPlaces places = ground_places(config.seed);
    // The mountain's surroundings and the lake's: that every zone has both is the promise.
    for (const auto& [x, z] : {std::pair{places.mountain_x, places.mountain_z},
                               std::pair{places.lake_x, places.lake_z}, std::pair{0, 0}}) {
        const ChunkCoord middle = chunk_of(VoxelCoord{x, 0, z});
        for (std::int32_t i = 0; i < 25 * 4; ++i) {
            const ChunkCoord c{middle.x + i % 5 - 2, i / 25 - 1, middle.z + i / 5 % 5 - 2};
            const Chunk chunk = generate_chunk(config, kZone, c);
            if (chunk.is_uniform()) {
                continue;
            }
            test::for_each_voxel(box_of(c), [&](const VoxelCoord& v) {
                const Voxel voxel = chunk.voxel(index_in_chunk(v));
                ++count[voxel.material];
                cave_air += voxel == kAirVoxel && v.y < 0;
            });
        }
    }
    for (std::size_t material = 0; material < count.size(); ++material) {
        CAPTURE(material);
        CHECK(count[material] > 50);
    }
    CHECK(cave_air > 500);
    std::int32_t highest = 0;
    for (std::int32_t z = -512; z < 512; z += 8) {
        for (std::int32_t x = -512; x < 512; x += 8) {
            highest = std::max(highest, ground_height_m(config, x, z));
        }
    }
    CHECK(highest > 70);
}

TEST_CASE("terrain generator: no ground passes the limits that the fast paths rely on") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        const GroundPlaces places = ground_places(seed);
        const auto step = static_cast<std::int32_t>(11 + seed % 7);
        for (std::int32_t z = -600; z < 600; z += step) {
            for (std::int32_t x = -600; x < 600; x += step) {
                const std::int32_t height = ground_height(seed, places, x, z);
                REQUIRE(height > kGroundHeightMinM * kHeightOne);
                REQUIRE(height < kGroundHeightMaxM * kHeightOne);
            }
        }
    }
}

TEST_CASE("terrain generator: trees stand on ground and lie inside their chunk column") {
    const GeneratorConfig config;
    LazyTerrain terrain(config);
    int feet = 0;
    for (std::int32_t cz = -3; cz <= 3; ++cz) {
        for (std::int32_t cx = -3; cx <= 3; ++cx) {
            for (std::int32_t cy = 0; cy <= 1; ++cy) {
                const Chunk& chunk = terrain.chunk({cx, cy, cz});
                test::for_each_voxel(box_of(ChunkCoord{cx, cy, cz}), [&](const VoxelCoord& v) {
                    if (chunk.material.at(index_in_chunk(v)) != kWood) {
                        return;
                    }
                    CHECK((v.x & 31) >= 3);
                    CHECK((v.x & 31) <= 28);
                    CHECK((v.z & 31) >= 3);
                    const Voxel below = terrain.voxel(v - VoxelCoord{0, 1, 0});
                    CHECK(is_core(below));
                    feet += below.material != kWood;
                    // No crown is cut off where its chunk begins: each trunk ends in leaves.
                    const Voxel above = terrain.voxel(v + VoxelCoord{0, 1, 0});
                    CHECK(above.occupancy == kFullOccupancy);
                    CHECK((above.material == kWood || above.material == kGrass));
                });
            }
        }
    }
    CHECK(feet > 5);
}

}  // namespace terrane
