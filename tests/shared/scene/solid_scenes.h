// Random solids, and shapes that move among them, for the tests of scene queries.
#pragma once

#include <vector>

#include "shared/core/random.h"
#include "shared/scene/solid.h"

namespace terrane {

inline Vec3 random_vec(float most, Random& random) {
    return {random.range(-most, most), random.range(-most, most), random.range(-most, most)};
}

inline Quat random_rotation(Random& random) {
    if (random.below(4) == 0) {
        return kNoRotation;
    }
    while (true) {
        const Quat q{random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F),
                     random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F)};
        const float squared = glm::dot(q, q);
        if (squared > 0.1F && squared <= 1.0F) {
            return glm::normalize(q);
        }
    }
}

/// An L of two boxes and a pyramid.
inline const SolidParts& piece_of_three() {
    static const SolidParts parts = [] {
        SolidParts made;
        const auto add_box = [&](const Vec3& low, const Vec3& high) {
            std::vector<Vec3> corners;
            for (int i = 0; i < 8; ++i) {
                corners.emplace_back((i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y,
                                     (i & 4) != 0 ? high.z : low.z);
            }
            made.add(corners);
        };
        add_box({-1.0F, -1.0F, -0.5F}, {1.0F, 0.0F, 0.5F});
        add_box({-1.0F, -0.1F, -0.5F}, {0.0F, 1.5F, 0.5F});
        made.add(std::vector<Vec3>{{0.2F, 0.0F, -0.3F},
                                   {0.9F, 0.0F, -0.3F},
                                   {0.9F, 0.0F, 0.3F},
                                   {0.2F, 0.0F, 0.3F},
                                   {0.5F, 0.8F, 0.0F}});
        return made;
    }();
    return parts;
}

inline Solid random_solid(const Vec3& middle, float spread_m, Random& random) {
    Solid solid;
    solid.shape = static_cast<BodyShape>(random.below(6));
    solid.half_extents =
        Vec3{random.range(0.2F, 1.5F), random.range(0.2F, 1.5F), random.range(0.2F, 1.5F)};
    solid.position = middle + random_vec(spread_m, random);
    if (solid.shape == BodyShape::player) {
        solid.half_extents = {0.4F, 0.9F, 0.4F};
    } else {
        solid.rotation = random_rotation(random);
    }
    solid.parts = solid.shape == BodyShape::piece ? &piece_of_three() : nullptr;
    return solid;
}

inline QueryShape random_shape(const Vec3& centre, Random& random) {
    // One draw a statement, or braces: the order of a call's arguments is the compiler's.
    const float radius_m = random.range(0.05F, 0.8F);
    switch (random.below(3)) {
        case 0:
            return make_sphere(centre, radius_m);
        case 1: {
            const float half_m = random.range(0.0F, 1.0F);
            return make_capsule(centre, half_m, radius_m, random_rotation(random));
        }
        default: {
            const Vec3 half_extents{random.range(0.1F, 1.0F), random.range(0.1F, 1.0F),
                                    random.range(0.1F, 1.0F)};
            return make_box(centre, half_extents, random_rotation(random));
        }
    }
}

}  // namespace terrane
