#include "shared/shape/body_kind.h"

#include "shared/math/trig.h"

namespace terrane {

float volume_m3(BodyShape shape, const Vec3& half) {
    constexpr auto kPiF = static_cast<float>(kPi);
    switch (shape) {
        case BodyShape::player:
        case BodyShape::piece:
            return 0.0F;
        case BodyShape::box:
            return 8.0F * half.x * half.y * half.z;
        case BodyShape::sphere:
            return 4.0F / 3.0F * kPiF * half.x * half.x * half.x;
        case BodyShape::cylinder:
            return kPiF * half.x * half.x * 2.0F * half.y;
        case BodyShape::capsule:
            return kPiF * half.x * half.x * (2.0F * capsule_arm_m(half) + 4.0F / 3.0F * half.x);
    }
    return 0.0F;
}

Vec3 box_half_extents(BodyShape shape, const Vec3& half) {
    switch (shape) {
        case BodyShape::sphere:
            return Vec3(half.x);
        case BodyShape::cylinder:
            return {half.x, half.y, half.x};
        case BodyShape::capsule:
            return {half.x, half.x + capsule_arm_m(half), half.x};
        case BodyShape::player:
        case BodyShape::box:
        case BodyShape::piece:
            break;
    }
    return half;
}

Vec3 inertia_per_kg(BodyShape shape, const Vec3& half) {
    const float rr = half.x * half.x;
    switch (shape) {
        case BodyShape::sphere:
            return Vec3{0.4F * rr};
        case BodyShape::cylinder: {
            const float across = 0.25F * rr + half.y * half.y / 3.0F;
            return {across, 0.5F * rr, across};
        }
        case BodyShape::capsule: {
            const float arm = capsule_arm_m(half);
            const float middle = 2.0F * arm;  // volumes by pi r^2
            const float caps = 4.0F / 3.0F * half.x;
            // A cap is half a ball, whose centre of mass is 3/8 r from its flat side.
            const float across = middle * (0.25F * rr + arm * arm / 3.0F) +
                                 caps * (0.4F * rr + arm * arm + 0.75F * arm * half.x);
            const float about = middle * 0.5F * rr + caps * 0.4F * rr;
            return Vec3{across, about, across} / (middle + caps);
        }
        case BodyShape::player:
        case BodyShape::box:
        case BodyShape::piece:
            break;
    }
    const Vec3 squares = half * half;
    return Vec3{squares.y + squares.z, squares.x + squares.z, squares.x + squares.y} / 3.0F;
}

float hull_density_kg_m3(const BodyKind& kind) {
    const float volume = volume_m3(kind);
    return volume > 0.0F ? body_mass_kg(kind) / volume : 0.0F;
}

float middle_above_foot_m(BodyShape shape, const Vec3& half) {
    return shape == BodyShape::sphere ? 0.5F * half.x : half.y;
}

}  // namespace terrane
