#include "client-stub/viewer/debug_shapes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace terrane {

namespace {

constexpr Vec4 kSolidBit{1.0F, 0.55F, 0.10F, 0.20F};
constexpr Vec4 kWaterBit{0.15F, 0.45F, 1.0F, 0.20F};
constexpr Vec4 kCell{0.10F, 0.95F, 0.95F, 0.13F};
constexpr Vec4 kQuad{0.25F, 1.0F, 0.35F, 0.9F};
constexpr Vec4 kDiagonal{0.05F, 0.40F, 0.12F, 0.6F};
constexpr Vec4 kOnGround{1.0F, 0.92F, 0.15F, 1.0F};
constexpr Vec4 kBetweenBodies{1.0F, 0.35F, 0.85F, 1.0F};
constexpr Vec4 kOverlap{1.0F, 0.10F, 0.05F, 1.0F};
constexpr Vec4 kAfloat{1.0F, 1.0F, 1.0F, 1.0F};
constexpr Vec4 kSunk{0.05F, 0.25F, 1.0F, 1.0F};

constexpr float kOverlapM = 0.02F;
constexpr float kNormalM = 0.5F;
constexpr float kCrossM = 0.06F;
constexpr float kSquareM = 0.7F;

struct NearBrick {
    BrickCoord brick;
    float distance_squared_m2 = 0.0F;
};

Aabb box_of_brick(const BrickCoord& brick) {
    const VoxelCoord origin = origin_of(brick);
    const Vec3 low{static_cast<float>(origin.x), static_cast<float>(origin.y),
                   static_cast<float>(origin.z)};
    return {low, low + static_cast<float>(kBrickSize)};
}

/// Those near the eye, the nearest first.
std::vector<NearBrick> bricks_near(const Vec3& eye) {
    const BrickCoord first = brick_of(voxel_at(eye - kDebugTerrainM));
    const BrickCoord last = brick_of(voxel_at(eye + kDebugTerrainM));
    std::vector<NearBrick> bricks;
    for (std::int32_t y = first.y; y <= last.y; ++y) {
        for (std::int32_t z = first.z; z <= last.z; ++z) {
            for (std::int32_t x = first.x; x <= last.x; ++x) {
                const BrickCoord brick{x, y, z};
                const float distance = distance_squared(box_of_brick(brick), eye);
                if (distance < kDebugTerrainM * kDebugTerrainM) {
                    bricks.push_back({brick, distance});
                }
            }
        }
    }
    std::ranges::stable_sort(bricks, std::ranges::less{}, &NearBrick::distance_squared_m2);
    return bricks;
}

/// Calls fn(const Aabb& voxel, y, bit) for each set bit.
template <typename Fn>
void for_each_voxel(const BrickWords& words, const BrickCoord& brick, Fn&& fn) {
    const Vec3 low = box_of_brick(brick).min;
    for (std::size_t y = 0; y < words.size(); ++y) {
        for (std::uint64_t left = words[y]; left != 0; left &= left - 1) {
            const int bit = std::countr_zero(left);
            const Vec3 corner = low + Vec3{static_cast<float>(bit & 7), static_cast<float>(y),
                                           static_cast<float>(bit >> 3)};
            fn(Aabb{corner, corner + 1.0F}, y, bit);
        }
    }
}

/// A bit is set where the voxel beside it, through `face`, is set; `beyond` is the brick there.
BrickWords beside(const BrickWords& words, const BrickWords& beyond, std::uint8_t face) {
    constexpr std::uint64_t kFirstX = 0x0101010101010101U;
    BrickWords result{};
    for (std::size_t y = 0; y < words.size(); ++y) {
        const std::uint64_t own = words[y];
        const std::uint64_t other = beyond[y];
        switch (face) {
            case kFaceWest:
                result[y] = ((own & ~(kFirstX << 7U)) << 1U) | ((other >> 7U) & kFirstX);
                break;
            case kFaceEast:
                result[y] = ((own >> 1U) & ~(kFirstX << 7U)) | ((other & kFirstX) << 7U);
                break;
            case kFaceNorth:
                result[y] = (own << 8U) | (other >> 56U);
                break;
            case kFaceSouth:
                result[y] = (own >> 8U) | (other << 56U);
                break;
            case kFaceBottom:
                result[y] = y == 0 ? beyond.back() : words[y - 1];
                break;
            default:
                result[y] = y + 1 == words.size() ? beyond.front() : words[y + 1];
                break;
        }
    }
    return result;
}

struct FaceStep {
    std::uint8_t face;
    BrickCoord step;
};
constexpr std::array<FaceStep, 6> kFaceSteps{
    FaceStep{kFaceWest, {-1, 0, 0}},   FaceStep{kFaceEast, {1, 0, 0}},
    FaceStep{kFaceBottom, {0, -1, 0}}, FaceStep{kFaceTop, {0, 1, 0}},
    FaceStep{kFaceNorth, {0, 0, -1}},  FaceStep{kFaceSouth, {0, 0, 1}}};

void add_outside(const TerrainMasks& masks, const BrickCoord& brick, const BrickWords& words,
                 BrickWords BrickMask::* kind, const Vec4& colour, DebugShapes& shapes) {
    std::array<BrickWords, kFaceSteps.size()> open{};
    BrickWords any{};
    for (std::size_t i = 0; i < kFaceSteps.size(); ++i) {
        const auto& [face, step] = kFaceSteps[i];
        const BrickCoord there{brick.x + step.x, brick.y + step.y, brick.z + step.z};
        const BrickWords around = beside(words, masks.mask(there).*kind, face);
        for (std::size_t y = 0; y < words.size(); ++y) {
            open[i][y] = words[y] & ~around[y];
            any[y] |= open[i][y];
        }
    }
    for_each_voxel(any, brick, [&](const Aabb& box, std::size_t y, int bit) {
        DebugCube cube{box, colour, 0};
        for (std::size_t i = 0; i < kFaceSteps.size(); ++i) {
            if (((open[i][y] >> bit) & 1U) != 0) {
                cube.faces |= kFaceSteps[i].face;
            }
        }
        shapes.add(cube);
    });
}

bool is_corner(const Vec3& point, const TerrainTriangle& triangle) {
    return point == triangle.a || point == triangle.b || point == triangle.c;
}

/// The sides of `triangle` that `other` does not share; the shared one if `has_shared`.
void add_sides(const TerrainTriangle& triangle, const TerrainTriangle& other, bool has_shared,
               DebugShapes& shapes) {
    const std::array<Vec3, 4> corners{triangle.a, triangle.b, triangle.c, triangle.a};
    for (std::size_t i = 0; i < 3; ++i) {
        const bool is_shared = is_corner(corners[i], other) && is_corner(corners[i + 1], other);
        if (!is_shared || has_shared) {
            shapes.add(DebugLine{corners[i], corners[i + 1], is_shared ? kDiagonal : kQuad});
        }
    }
}

/// Red, yellow, green, blue, violet: as in a rainbow; 0 to 1.
Vec3 rainbow(float t) {
    constexpr std::array<Vec3, 6> kColours{Vec3{1.0F, 0.15F, 0.10F},  Vec3{1.0F, 0.85F, 0.10F},
                                           Vec3{0.30F, 0.95F, 0.25F}, Vec3{0.15F, 0.85F, 0.95F},
                                           Vec3{0.30F, 0.45F, 1.0F},  Vec3{0.80F, 0.40F, 1.0F}};
    const float at = std::clamp(t, 0.0F, 1.0F) * static_cast<float>(kColours.size() - 1);
    const auto first = std::min(static_cast<std::size_t>(at), kColours.size() - 2);
    return glm::mix(kColours[first], kColours[first + 1], at - static_cast<float>(first));
}

}  // namespace

void DebugShapes::clear() {
    lines.clear();
    cubes.clear();
    left_out = 0;
}

void DebugShapes::add(const DebugLine& line) {
    if (lines.size() < kDebugLinesMax) {
        lines.push_back(line);
    } else {
        ++left_out;
    }
}

void DebugShapes::add(const DebugCube& cube) {
    if (cubes.size() < kDebugCubesMax) {
        cubes.push_back(cube);
    } else {
        ++left_out;
    }
}

void DebugShapes::add_edges(const Aabb& box, const Vec4& colour) {
    const auto corner = [&](unsigned i) {
        return Vec3{(i & 1U) != 0 ? box.max.x : box.min.x, (i & 2U) != 0 ? box.max.y : box.min.y,
                    (i & 4U) != 0 ? box.max.z : box.min.z};
    };
    for (unsigned i = 0; i < 8; ++i) {
        for (const unsigned axis : {1U, 2U, 4U}) {
            if ((i & axis) == 0) {
                add(DebugLine{corner(i), corner(i | axis), colour});
            }
        }
    }
}

void add_masks(const TerrainMasks& masks, const Vec3& eye, DebugShapes& shapes) {
    for (const NearBrick& near : bricks_near(eye)) {
        const BrickMask mask = masks.mask(near.brick);
        add_outside(masks, near.brick, mask.solid, &BrickMask::solid, kSolidBit, shapes);
        add_outside(masks, near.brick, mask.water, &BrickMask::water, kWaterBit, shapes);
    }
}

void add_cells(const TerrainMasks& masks, const Vec3& eye, DebugShapes& shapes) {
    for (const NearBrick& near : bricks_near(eye)) {
        if (masks.has_surface(near.brick)) {
            for_each_voxel(
                masks.surface(near.brick), near.brick,
                [&](const Aabb& box, std::size_t /*y*/, int /*bit*/) {
                    const Vec3 ahead{0.5F};
                    shapes.add(DebugCube{grow({box.min + ahead, box.max + ahead}, -0.04F), kCell});
                });
        }
    }
}

void add_quads(Terrain& terrain, const Vec3& eye, DebugShapes& shapes) {
    for (const NearBrick& near : bricks_near(eye)) {
        if (!terrain.masks().has_surface(near.brick)) {
            continue;
        }
        const BrickCollider& collider = terrain.colliders().get(near.brick);
        const std::uint32_t count = triangle_count(collider);
        for (std::uint32_t i = 0; i + 1 < count; i += 2) {
            const TerrainTriangle first = triangle_at(collider, near.brick, i);
            const TerrainTriangle second = triangle_at(collider, near.brick, i + 1);
            add_sides(first, second, true, shapes);
            add_sides(second, first, false, shapes);
        }
    }
}

void add_contacts(std::span<const DebugTouch> touches, DebugShapes& shapes) {
    for (const DebugTouch& touch : touches) {
        const Vec4 colour = touch.depth_m < -kOverlapM ? kOverlap
                            : touch.is_ground          ? kOnGround
                                                       : kBetweenBodies;
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 arm{0.0F};
            arm[axis] = kCrossM;
            shapes.add(DebugLine{touch.point - arm, touch.point + arm, colour, true});
        }
        shapes.add(DebugLine{touch.point, touch.point + kNormalM * touch.normal, colour, true});
    }
}

void add_afloat(std::span<const DebugAfloat> afloat, DebugShapes& shapes) {
    for (const DebugAfloat& body : afloat) {
        const Vec4 colour = glm::mix(kAfloat, kSunk, body.share);
        const Vec3 level{body.middle.x, body.level_m, body.middle.z};
        const std::array<Vec3, 4> corners{
            level + Vec3{-kSquareM, 0.0F, -kSquareM}, level + Vec3{kSquareM, 0.0F, -kSquareM},
            level + Vec3{kSquareM, 0.0F, kSquareM}, level + Vec3{-kSquareM, 0.0F, kSquareM}};
        for (std::size_t i = 0; i < corners.size(); ++i) {
            shapes.add(DebugLine{corners[i], corners[(i + 1) % corners.size()], colour, true});
        }
        shapes.add(DebugLine{body.middle, level, colour, true});
    }
}

void add_tree(const Bvh& tree, DebugShapes& shapes, std::optional<std::uint32_t> level) {
    std::vector<std::uint32_t> nodes;
    std::vector<std::uint32_t> below;
    if (!tree.nodes.empty()) {
        nodes.push_back(0);
    }
    const auto depth_max = static_cast<float>(std::max(stat_of(tree).depth, 2U) - 1);
    for (std::uint32_t depth = 0; !nodes.empty(); ++depth) {
        const float t = static_cast<float>(depth) / depth_max;
        // The more boxes a level has the fainter they are: those above show through.
        const float crowd = std::sqrt(static_cast<float>(nodes.size()));
        const Vec4 colour{rainbow(t), level ? 1.0F : std::clamp(10.0F / crowd, 0.12F, 1.0F)};
        below.clear();
        for (const std::uint32_t index : nodes) {
            const BvhNode& node = tree.nodes[index];
            if (!level || *level == depth) {
                shapes.add_edges(node.box, colour);
            }
            if (node.count == 0) {
                below.push_back(node.first);
                below.push_back(node.first + 1);
            }
        }
        nodes.swap(below);
    }
}

}  // namespace terrane
