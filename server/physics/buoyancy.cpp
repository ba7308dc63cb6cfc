#include "server/physics/buoyancy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "server/physics/wet_voxels.h"
#include "shared/math/trig.h"

namespace terrane {

namespace {

constexpr auto kPiF = static_cast<float>(kPi);
constexpr float kFullVoxel = 1.0F;
/// Levels closer than this are one level: occupancy has steps of 4 mm.
constexpr float kLevelTolerance = 0.004F;
constexpr int kPrismSides = 16;
/// Radius that gives a regular 16-gon the area of the unit circle.
constexpr float kPrismRadius = 1.0130020F;
constexpr int kCellsASide = 4;

/// cos(k * 22.5 degrees), k = 0 .. 4.
constexpr std::array<float, 5> kCosines{1.0F, 0.92387953F, 0.70710678F, 0.38268343F, 0.0F};

float prism_cosine(int k) {
    const int turn = k & (kPrismSides - 1);
    const int half = turn <= 8 ? turn : 16 - turn;
    return half <= 4 ? kCosines[static_cast<std::size_t>(half)]
                     : -kCosines[static_cast<std::size_t>(8 - half)];
}

/// Sums tetrahedra from the origin to triangles of a closed surface.
struct VolumeSum {
    float six_volumes = 0.0F;
    Vec3 weighted{0.0F};

    void add(const Vec3& a, const Vec3& b, const Vec3& c) {
        const float six = glm::dot(a, glm::cross(b, c));
        six_volumes += six;
        weighted += six * (a + b + c);
    }
};

/// Adds the part of a face (counter-clockwise from outside) below y = 0. The cut itself needs no
/// face: it lies in the plane through the origin, where tetrahedra from the origin are flat.
void add_face_below(std::span<const Vec3> face, VolumeSum& sum) {
    std::array<Vec3, kPrismSides + 2> kept;
    std::size_t count = 0;
    for (std::size_t i = 0; i < face.size(); ++i) {
        const Vec3& from = face[i];
        const Vec3& to = face[i + 1 == face.size() ? 0 : i + 1];
        if (from.y <= 0.0F) {
            kept[count++] = from;
        }
        if ((from.y < 0.0F && to.y > 0.0F) || (from.y > 0.0F && to.y < 0.0F)) {
            const float t = from.y / (from.y - to.y);
            kept[count] = from + t * (to - from);
            kept[count++].y = 0.0F;
        }
    }
    for (std::size_t i = 2; i < count; ++i) {
        sum.add(kept[0], kept[i - 1], kept[i]);
    }
}

/// `corner(i)` gives corners relative to a point in the water's plane.
template <typename Corner>
void add_box_below(const Corner& corner, VolumeSum& sum) {
    // Bits of a corner's index: x, y, z on the high side.
    static constexpr std::array<std::array<int, 4>, 6> kFaces{
        {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
    for (const auto& face : kFaces) {
        const std::array<Vec3, 4> corners{corner(face[0]), corner(face[1]), corner(face[2]),
                                          corner(face[3])};
        add_face_below(corners, sum);
    }
}

void add_prism_below(const BodyVolume& body, const Vec3& shift, VolumeSum& sum) {
    const float radius = body.half_extents.x * kPrismRadius;
    const Vec3 axis = body.rotation * Vec3(0.0F, body.half_extents.y, 0.0F);
    const Vec3 u = body.rotation * Vec3(radius, 0.0F, 0.0F);
    const Vec3 v = body.rotation * Vec3(0.0F, 0.0F, radius);
    std::array<Vec3, kPrismSides> top;
    std::array<Vec3, kPrismSides> bottom;
    for (int i = 0; i < kPrismSides; ++i) {
        const Vec3 spoke = prism_cosine(i) * u + prism_cosine(i - 4) * v;
        // Seen from above the corners run clockwise from x to z: the cap turns them round.
        top[static_cast<std::size_t>(kPrismSides - 1 - i)] = shift + axis + spoke;
        bottom[static_cast<std::size_t>(i)] = shift - axis + spoke;
    }
    add_face_below(top, sum);
    add_face_below(bottom, sum);
    for (std::size_t i = 0; i < kPrismSides; ++i) {
        const std::size_t next = (i + 1) % kPrismSides;
        const std::array<Vec3, 4> side{bottom[next], bottom[i], top[kPrismSides - 1 - i],
                                       top[kPrismSides - 1 - next]};
        add_face_below(side, sum);
    }
}

/// Of a capsule of radius 1: rings about its axis, how far beyond the middle of the cap's flat side
/// and how wide. Grown across until 8 sides have the circle's area, and along until a cap has half
/// a ball's volume.
struct CapsuleRing {
    float along;
    float across;
};
constexpr float kOctagon = 1.0539074F;
constexpr float kCapStretch = 1.0717968F;
constexpr std::array<CapsuleRing, 4> kCapsuleRings{{{0.0F, kOctagon},
                                                    {0.5F * kCapStretch, 0.8660254F * kOctagon},
                                                    {0.8660254F * kCapStretch, 0.5F * kOctagon},
                                                    {kCapStretch, 0.0F}}};

void add_capsule_below(const BodyVolume& body, const Vec3& shift, VolumeSum& sum) {
    constexpr std::size_t kSides = kPrismSides / 2;
    const float radius = body.half_extents.x;
    const float arm = capsule_arm_m(body.half_extents);
    const Mat3 axes = glm::mat3_cast(body.rotation);
    const auto ring_at = [&](std::size_t i) {  // from the lower pole to the upper one
        const bool is_upper = i >= kCapsuleRings.size();
        const CapsuleRing& ring = kCapsuleRings[is_upper ? i - kCapsuleRings.size() : 3 - i];
        const float along = (is_upper ? 1.0F : -1.0F) * (arm + ring.along * radius);
        std::array<Vec3, kSides> points;
        for (std::size_t side = 0; side < kSides; ++side) {
            const int turn = 2 * static_cast<int>(side);
            points[side] = shift + along * axes[1] +
                           ring.across * radius *
                               (prism_cosine(turn) * axes[0] + prism_cosine(turn - 4) * axes[2]);
        }
        return points;
    };
    std::array<Vec3, kSides> low = ring_at(0);
    for (std::size_t i = 1; i < 2 * kCapsuleRings.size(); ++i) {
        const std::array<Vec3, kSides> high = ring_at(i);
        for (std::size_t side = 0; side < kSides; ++side) {
            const std::size_t next = (side + 1) % kSides;
            add_face_below(std::array<Vec3, 4>{low[next], low[side], high[side], high[next]}, sum);
        }
        low = high;
    }
}

Submersion sphere_below(const BodyVolume& body, float level) {
    const float radius = body.half_extents.x;
    const float depth = std::clamp(level - (body.position.y - radius), 0.0F, 2.0F * radius);
    const float to_go = 2.0F * radius - depth;
    Submersion result{kPiF / 3.0F * depth * depth * (3.0F * radius - depth), body.position};
    if (depth > 0.0F) {
        result.centre.y -= 0.75F * to_go * to_go / (3.0F * radius - depth);
    }
    return result;
}

/// What the voxels of a body's box say about the level there.
struct LevelBounds {
    float wet_to = -std::numeric_limits<float>::infinity();
    float dry_from = std::numeric_limits<float>::infinity();

    void add(float floor, float height) {
        wet_to = std::max(wet_to, floor + height);
        if (height < kFullVoxel) {
            dry_from = std::min(dry_from, floor + height);
        }
    }
    WaterLevel level_in(const Aabb& box) const {
        if (wet_to <= box.min.y) {
            return {WaterCase::none, 0.0F};
        }
        if (dry_from >= box.max.y) {
            return {WaterCase::full, 0.0F};
        }
        if (wet_to <= dry_from + kLevelTolerance) {
            return {WaterCase::flat, wet_to};
        }
        return {WaterCase::mixed, 0.0F};
    }
};

/// The part of a slice that is aimed at. Returns whether the box is mixed, whatever else it holds.
bool add_slice(WetVoxels& wet, std::int32_t y, std::uint64_t columns, const Aabb& box,
               LevelBounds& bounds) {
    const WetSlice& slice = wet.slice(y);
    const auto floor = static_cast<float>(y);
    if ((slice.full & columns) != 0) {
        bounds.add(floor, kFullVoxel);
    }
    if ((slice.dry & columns) != 0) {
        bounds.dry_from = std::min(bounds.dry_from, floor);
    }
    for (std::uint64_t level = slice.level() & columns; level != 0; level &= level - 1) {
        if (bounds.level_in(box).kind == WaterCase::mixed) {
            return true;
        }
        bounds.add(floor, wet.level_height(y, std::countr_zero(level)));
    }
    return bounds.level_in(box).kind == WaterCase::mixed;
}

WaterLevel classify(WetVoxels& wet, const Aabb& box) {
    const VoxelCoord low = voxel_at(box.min);
    const VoxelCoord high = voxel_at(box.max);
    LevelBounds bounds;
    for (std::int32_t from_y = low.y; from_y <= high.y; from_y += WetVoxels::kReach) {
        for (std::int32_t z = low.z; z <= high.z; z += WetVoxels::kReach) {
            for (std::int32_t x = low.x; x <= high.x; x += WetVoxels::kReach) {
                const VoxelCoord first{x, from_y, z};
                const VoxelCoord last{std::min(high.x, x + WetVoxels::kReach - 1),
                                      std::min(high.y, from_y + WetVoxels::kReach - 1),
                                      std::min(high.z, z + WetVoxels::kReach - 1)};
                wet.aim(first);
                const std::uint64_t columns = wet.columns(first, last);
                for (std::int32_t y = from_y; y <= last.y; ++y) {
                    if (add_slice(wet, y, columns, box, bounds)) {
                        return {WaterCase::mixed, 0.0F};
                    }
                }
            }
        }
    }
    return bounds.level_in(box);
}

/// `unit` within the box around the body, -1 .. 1.
bool is_cell_inside(const BodyVolume& body, const Vec3& unit) {
    switch (body.shape) {
        case BodyShape::capsule: {
            const Vec3 at = unit * box_half_extents(body.shape, body.half_extents);
            const float arm = capsule_arm_m(body.half_extents);
            const Vec3 out = at - Vec3(0.0F, std::clamp(at.y, -arm, arm), 0.0F);
            return glm::dot(out, out) < body.half_extents.x * body.half_extents.x;
        }
        case BodyShape::sphere:
            return glm::dot(unit, unit) < 1.0F;
        case BodyShape::cylinder:
            return unit.x * unit.x + unit.z * unit.z < 1.0F;
        default:
            return true;
    }
}

/// As std::floor, which is a call where the processor's instruction may not be used.
std::int32_t floor_of(float value) {
    const auto cut = static_cast<std::int32_t>(value);
    return cut - (value < static_cast<float>(cut) ? 1 : 0);
}

Submersion submerge_cells(WetVoxels& wet, const BodyVolume& body) {
    const Vec3 half = box_half_extents(body.shape, body.half_extents);
    const Mat3 axes = glm::mat3_cast(body.rotation);
    const float cell_half_height = (std::abs(axes[0].y) * half.x + std::abs(axes[1].y) * half.y +
                                    std::abs(axes[2].y) * half.z) /
                                   kCellsASide;
    float cells = 0.0F;
    float wet_cells = 0.0F;
    Vec3 weighted{0.0F};
    const auto at = [](int i) {
        return (2.0F * static_cast<float>(i) + 1.0F) / kCellsASide - 1.0F;
    };
    for (int i = 0; i < kCellsASide * kCellsASide * kCellsASide; ++i) {
        const Vec3 unit{at(i & 3), at(i >> 4), at((i >> 2) & 3)};
        if (!is_cell_inside(body, unit)) {
            continue;
        }
        cells += 1.0F;
        const Vec3 arm = axes * (half * unit);
        const Vec3 centre = body.position + arm;
        const VoxelCoord here{floor_of(centre.x), floor_of(centre.y), floor_of(centre.z)};
        float height = wet.height(here);
        auto floor = static_cast<float>(here.y);
        if (height <= 0.0F) {
            floor -= 1.0F;
            height = wet.height({here.x, here.y - 1, here.z});
        } else if (height >= kFullVoxel && wet.height({here.x, here.y + 1, here.z}) > 0.0F) {
            height = 2.0F;  // the surface is above this cell
        }
        if (height <= 0.0F) {
            continue;
        }
        const float depth = floor + height - (centre.y - cell_half_height);
        const float share = std::clamp(depth / (2.0F * cell_half_height), 0.0F, 1.0F);
        wet_cells += share;
        weighted += share * (arm - Vec3(0.0F, (1.0F - share) * cell_half_height, 0.0F));
    }
    Submersion result{0.0F, body.position};
    if (wet_cells > 0.0F) {
        result.volume_m3 = volume_m3(body.shape, body.half_extents) * (wet_cells / cells);
        const Vec3 arm = weighted / wet_cells;
        // Pressure on a ball points at its centre and turns it nowhere, whatever the shore's shape.
        result.centre += body.shape == BodyShape::sphere ? Vec3(0.0F, arm.y, 0.0F) : arm;
    }
    return result;
}

Submersion submerge_in(WetVoxels& wet, const BodyVolume& body);

BodyVolume box_of_part(const BodyVolume& body, const ShapePart& part) {
    return {BodyShape::box, part.half_extents, body.position + body.rotation * part.middle,
            body.rotation};
}

/// Boxes hold more than the matter in them: the sum is brought to the piece's volume.
Submersion submerge_parts(WetVoxels& wet, const BodyVolume& body, const WaterLevel& water) {
    float boxes = 0.0F;
    Submersion sum;
    for (const ShapePart& part : body.piece->parts) {
        const BodyVolume box = box_of_part(body, part);
        const float volume = volume_m3(box.shape, box.half_extents);
        boxes += volume;
        Submersion under{volume, box.position};
        if (water.kind == WaterCase::flat) {
            under = submerge_flat(box, water.level_m);
        } else if (water.kind == WaterCase::mixed) {
            under = submerge_in(wet, box);
        }
        sum.volume_m3 += under.volume_m3;
        sum.centre += under.volume_m3 * (under.centre - body.position);
    }
    if (!(sum.volume_m3 > 0.0F)) {
        return {0.0F, body.position};
    }
    return {sum.volume_m3 * (body.piece->volume_m3 / boxes),
            body.position + sum.centre / sum.volume_m3};
}

}  // namespace

float volume_m3(const BodyVolume& body) {
    return body.piece != nullptr ? body.piece->volume_m3 : volume_m3(body.shape, body.half_extents);
}

bool is_box_met(const BodyVolume& body, const Aabb& box) {
    if (!overlaps(box_of(body), box)) {
        return false;
    }
    return body.piece == nullptr || std::ranges::any_of(body.piece->parts, [&](const auto& part) {
               return overlaps(box_of(box_of_part(body, part)), box);
           });
}

Aabb box_of(const BodyVolume& body) {
    if (body.piece != nullptr) {
        Aabb all;
        for (const ShapePart& part : body.piece->parts) {
            all = merge(all, box_of(box_of_part(body, part)));
        }
        return all;
    }
    Vec3 half = box_half_extents(body.shape, body.half_extents);
    if (body.shape == BodyShape::cylinder) {
        const Vec3 axis = body.rotation * Vec3(0.0F, 1.0F, 0.0F);
        for (int i = 0; i < 3; ++i) {
            const float across = std::max(0.0F, 1.0F - axis[i] * axis[i]);
            half[i] =
                std::abs(axis[i]) * body.half_extents.y + body.half_extents.x * std::sqrt(across);
        }
    } else if (body.shape == BodyShape::capsule) {
        const Vec3 axis = body.rotation * Vec3(0.0F, capsule_arm_m(body.half_extents), 0.0F);
        half = glm::abs(axis) + body.half_extents.x;
    } else if (body.shape != BodyShape::sphere) {
        const Mat3 axes = glm::mat3_cast(body.rotation);
        half = glm::abs(axes[0]) * half.x + glm::abs(axes[1]) * half.y + glm::abs(axes[2]) * half.z;
    }
    return {body.position - half, body.position + half};
}

WaterLevel classify_water(const Terrain& terrain, const Aabb& box) {
    WetVoxels wet(terrain);
    return classify(wet, box);
}

Submersion submerge_flat(const BodyVolume& body, float level_m) {
    if (body.shape == BodyShape::sphere) {
        return sphere_below(body, level_m);
    }
    const Vec3 origin{body.position.x, level_m, body.position.z};
    const Vec3 shift = body.position - origin;
    VolumeSum sum;
    if (body.shape == BodyShape::cylinder) {
        add_prism_below(body, shift, sum);
    } else if (body.shape == BodyShape::capsule) {
        add_capsule_below(body, shift, sum);
    } else {
        const Mat3 axes = glm::mat3_cast(body.rotation);
        const auto corner = [&](int i) {
            const Vec3 sign{(i & 1) != 0 ? 1.0F : -1.0F, (i & 2) != 0 ? 1.0F : -1.0F,
                            (i & 4) != 0 ? 1.0F : -1.0F};
            return shift + axes * (sign * body.half_extents);
        };
        add_box_below(corner, sum);
    }
    Submersion result{std::max(0.0F, sum.six_volumes / 6.0F), body.position};
    if (sum.six_volumes > 0.0F) {
        result.centre = origin + sum.weighted / (4.0F * sum.six_volumes);
    }
    return result;
}

Submersion submerge(const Terrain& terrain, const BodyVolume& body) {
    WetVoxels wet(terrain);
    return submerge_in(wet, body);
}

namespace {

Submersion submerge_in(WetVoxels& wet, const BodyVolume& body) {
    const WaterLevel water = classify(wet, box_of(body));
    if (body.piece != nullptr && water.kind != WaterCase::none) {
        return submerge_parts(wet, body, water);
    }
    switch (water.kind) {
        case WaterCase::none:
            return {0.0F, body.position};
        case WaterCase::full:
            return {volume_m3(body.shape, body.half_extents), body.position};
        case WaterCase::flat:
            return submerge_flat(body, water.level_m);
        case WaterCase::mixed:
            return submerge_cells(wet, body);
    }
    return {0.0F, body.position};
}

}  // namespace

}  // namespace terrane
