// The slow way to answer the terrain's queries: ask the deciding formula about every triangle. And
// worlds and questions that are awkward.
#pragma once

#include <string>

#include "tests/shared/terrain/terrain_samples.h"

namespace terrane::test {

struct NamedWorld {
    std::string name;
    VoxelGrid grid;
};

/// Two chunks each, all borders near.
inline std::vector<NamedWorld> awkward_worlds() {
    std::vector<NamedWorld> worlds;
    const auto add = [&worlds](const char* name, auto make) {
        worlds.push_back({name, made_grid(make, kTinyBounds)});
    };
    const auto some = [](const VoxelCoord& v) {
        return static_cast<std::uint8_t>(128 + hash_value(v) % 128);
    };
    worlds.push_back({"rolling", rolling_grid(5, kTinyBounds)});
    worlds.push_back({"patchy", patchy_grid(kTinyBounds, 19)});
    worlds.push_back({"empty", uniform_grid(kAirVoxel, kTinyBounds)});
    worlds.push_back({"full", uniform_grid({2, 255}, kTinyBounds)});
    worlds.push_back({"holed", rolling_grid(7, kTinyBounds)});
    worlds.back().grid.erase({0, -1, 0});
    add("checkerboard", [](const VoxelCoord& v) {
        const bool is_in = v.x > -12 && v.x < 9 && v.y > -22 && v.y < -9 && v.z > 3 && v.z < 20;
        return is_in && ((v.x + v.y + v.z) & 1) == 0 ? Voxel{2, 255} : kAirVoxel;
    });
    add("thin walls", [&](const VoxelCoord& v) {
        return v.x % 5 == 0 || (v.y == -9 && v.z % 3 != 0) ? Voxel{3, some(v)} : kAirVoxel;
    });
    add("single voxels", [&](const VoxelCoord& v) {
        return hash_value(v) % 211 == 0 ? Voxel{2, some(v)} : kAirVoxel;
    });
    return worlds;
}

struct SlowTouch {
    bool is_found = false;
    TriangleTouch touch;
    TerrainTriangle triangle;
};

inline SlowTouch slow_sweep(const std::vector<TerrainTriangle>& all, const QueryShape& shape,
                            const Vec3& way) {
    const ShapeSweep sweep(shape, way);
    const Aabb around = sweep.bounds(0.0, 1.0);
    SlowTouch best;
    for (const TerrainTriangle& t : all) {  // ascending: the first of equal ones stays
        const Aabb box{glm::min(t.a, glm::min(t.b, t.c)), glm::max(t.a, glm::max(t.b, t.c))};
        if (!overlaps(box, around)) {
            continue;
        }
        const auto touch = sweep.touch(t.a, t.b, t.c);
        if (touch && (!best.is_found || touch->is_before(best.touch))) {
            best = {true, *touch, t};
        }
    }
    return best;
}

/// Radii and half extents from a pea to a house.
inline QueryShape random_shape(Random& random, const Vec3& centre) {
    const auto size = [&random] {
        constexpr std::array<float, 4> kMost{0.1F, 0.6F, 1.0F, 4.0F};
        return random.range(0.01F, kMost[random.below(4)]);
    };
    const auto part = [&random] { return random.range(-1.0F, 1.0F); };
    Quat turned = kNoRotation;
    if (random.below(2) == 0) {
        const float w = part();
        const float x = part();
        const float y = part();
        turned = glm::normalize(Quat{w, x, y, part() + 1e-3F});
    }
    switch (random.below(3)) {
        case 0:
            return make_sphere(centre, size());
        case 1: {
            const float half_length_m = size();
            return make_capsule(centre, half_length_m, size(), turned);
        }
        default: {
            const float x = size();
            const float y = size();
            return make_box(centre, {x, y, size()}, turned);
        }
    }
}

struct SweepQuestion {
    QueryShape shape;
    Vec3 way{0.0F};
};

/// Starts anywhere in and around `box`, some on the lattice, some at a vertex; ways of any length,
/// some along an axis, some of nothing.
inline SweepQuestion random_question(Random& random, const Aabb& box,
                                     const std::vector<TerrainTriangle>& all) {
    Vec3 centre = random_point(random, box);
    Vec3 way = random_point(random, {Vec3(-1.0F), Vec3(1.0F)});
    constexpr std::array<float, 4> kLengths{0.3F, 2.0F, 9.0F, 70.0F};
    way *= kLengths[random.below(4)];
    switch (random.below(8)) {
        case 0:
            centre = 8.0F * glm::round(centre / 8.0F);
            break;
        case 1:
            centre = glm::floor(centre) + 0.5F;
            break;
        case 2:
            if (!all.empty()) {
                way = all[random.below(static_cast<std::uint32_t>(all.size()))].b - centre;
            }
            break;
        case 3:
            if (!all.empty()) {
                centre = all[random.below(static_cast<std::uint32_t>(all.size()))].a;
            }
            break;
        case 4: {
            const int axis = random.between(0, 2);
            const float along = way[axis];
            way = Vec3(0.0F);
            way[axis] = along;
            break;
        }
        case 5:
            way = random.below(4) == 0 ? Vec3(0.0F) : way;
            break;
        default:
            break;
    }
    return {random_shape(random, centre), way};
}

}  // namespace terrane::test
