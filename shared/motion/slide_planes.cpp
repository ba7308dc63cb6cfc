#include "shared/motion/slide_planes.h"

#include <algorithm>

namespace terrane {

namespace {

/// A vector may point this far into a plane, per metre of its length, and count as along it.
constexpr float kAlong = 1e-5F;

/// The horizontal direction of `normal`; zero if it has none.
Vec3 wall_of(const Vec3& normal) {
    const float length = std::sqrt(normal.x * normal.x + normal.z * normal.z);
    return length > 1e-3F ? Vec3{normal.x / length, 0.0F, normal.z / length} : Vec3{0.0F};
}

Vec3 without(const Vec3& v, const Vec3& normal) {
    const float into = glm::dot(v, normal);
    return into < 0.0F ? v - normal * into : v;
}

}  // namespace

bool SlidePlanes::add(const Vec3& normal) {
    Vec3 plane = normal;
    if (!is_floor(normal)) {
        has_wall_ = true;
        const Vec3 wall = wall_of(normal);
        const bool is_known =
            std::any_of(normals_.begin(), normals_.begin() + count_,
                        [&wall](const Vec3& other) { return glm::dot(wall, other) > 0.9999F; });
        // A wall met again is an overhang or a slope that its upright stand-in does not hold off.
        if (is_walking_ && !is_known && normal.y > -0.7F && glm::dot(wall, wall) > 0.0F) {
            plane = wall;
        }
    }
    if (count_ == static_cast<int>(normals_.size())) {
        return false;
    }
    normals_[static_cast<std::size_t>(count_++)] = plane;
    return true;
}

Vec3 SlidePlanes::clip_one(const Vec3& v, const Vec3& normal) const {
    const float into = glm::dot(v, normal);
    if (into >= 0.0F) {
        return v;
    }
    if (is_floor(normal)) {
        return {v.x, -(v.x * normal.x + v.z * normal.z) / normal.y, v.z};
    }
    const Vec3 along = v - normal * into;
    if (normal.y > 0.0F && along.y > std::max(v.y, 0.0F)) {
        return without(without(v, wall_of(normal)), normal);
    }
    return along;
}

Vec3 SlidePlanes::clip(const Vec3& v) const {
    const float slack = -kAlong * std::sqrt(glm::dot(v, v)) - 1e-9F;
    const auto is_free = [&](const Vec3& candidate) {
        return std::all_of(normals_.begin(), normals_.begin() + count_, [&](const Vec3& normal) {
            return glm::dot(candidate, normal) >= slack;
        });
    };
    if (is_free(v)) {
        return v;
    }
    for (int i = 0; i < count_; ++i) {
        const Vec3 along = clip_one(v, normals_[static_cast<std::size_t>(i)]);
        if (is_free(along)) {
            return along;
        }
    }
    for (int i = 0; i < count_; ++i) {
        for (int j = i + 1; j < count_; ++j) {
            const Vec3 crease = glm::cross(normals_[static_cast<std::size_t>(i)],
                                           normals_[static_cast<std::size_t>(j)]);
            const float length_squared = glm::dot(crease, crease);
            if (length_squared > 1e-8F) {
                const Vec3 along = crease * (glm::dot(v, crease) / length_squared);
                if (is_free(along)) {
                    return along;
                }
            }
        }
    }
    return Vec3{0.0F};
}

}  // namespace terrane
