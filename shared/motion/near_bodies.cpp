#include "shared/motion/near_bodies.h"

#include <algorithm>

#include "shared/shape/body_distance.h"

namespace terrane {

namespace {

constexpr float kSpeedMaxMps = 60.0F;
constexpr float kTurnMaxRadps = 60.0F;

Vec3 no_longer_than(const Vec3& v, float limit) {
    if (!is_finite(v)) {
        return Vec3{0.0F};
    }
    const float squared = glm::dot(v, v);
    return squared > limit * limit ? v * (limit / std::sqrt(squared)) : v;
}

NearBody near_body(const MotionBody& body) {
    NearBody near{body, body.position, glm::mat3_cast(body.rotation), {}, false};
    const Vec3 half = box_half_extents(body.shape, body.half_extents);
    const Vec3 reach = body.shape == BodyShape::sphere ? half
                                                       : glm::abs(near.to_zone[0]) * half.x +
                                                             glm::abs(near.to_zone[1]) * half.y +
                                                             glm::abs(near.to_zone[2]) * half.z;
    const Vec3 middle = body.position + near.to_zone * body.offset;
    near.box = {middle - reach, middle + reach};
    return near;
}

/// `v` in the body's frame.
Vec3 to_body(const NearBody& near, const Vec3& v) {
    return {glm::dot(near.to_zone[0], v), glm::dot(near.to_zone[1], v),
            glm::dot(near.to_zone[2], v)};
}

}  // namespace

void append_parts(const MotionBody& whole, const PieceShape& shape, const Aabb& box,
                  std::vector<MotionBody>& out) {
    MotionBody part = whole;
    part.shape = BodyShape::box;
    for (const ShapePart& hull : shape.parts) {
        part.half_extents = hull.half_extents;
        part.offset = hull.middle;
        const Vec3 middle = middle_of(part);
        if (overlaps(box, grow(Aabb{middle, middle}, glm::length(hull.half_extents)))) {
            out.push_back(part);
        }
    }
}

bool mend_body(MotionBody& body) {
    if (body.shape == BodyShape::player || !is_finite(body.position) ||
        !is_finite(body.half_extents) || !is_finite(body.offset)) {
        return false;
    }
    body.half_extents = glm::max(body.half_extents, Vec3{0.0F});
    body.linear_velocity = no_longer_than(body.linear_velocity, kSpeedMaxMps);
    body.angular_velocity = no_longer_than(body.angular_velocity, kTurnMaxRadps);
    body.mass_kg =
        std::isfinite(body.mass_kg) && body.id != 0 ? std::max(body.mass_kg, 0.0F) : 0.0F;
    Quat& turn = body.rotation;
    const float squared = glm::dot(turn, turn);
    if (!std::isfinite(squared) || squared < 1e-6F) {
        turn = kNoRotation;
    } else if (std::abs(squared - 1.0F) > 1e-6F) {
        turn = turn * (1.0F / std::sqrt(squared));
    }
    return true;
}

void gather_bodies(MotionBodies& bodies, const Aabb& box, std::vector<MotionBody>& gathered,
                   std::vector<NearBody>& near) {
    gathered.clear();
    near.clear();
    bodies.gather(box, gathered);
    for (MotionBody& body : gathered) {
        if (near.size() == kNearBodiesMax) {
            return;
        }
        if (mend_body(body)) {
            near.push_back(near_body(body));
        }
    }
}

BodyContact contact_of(const NearBody& near, const Vec3& low, const Vec3& high) {
    const MotionBody& body = near.body;
    const Segment core{to_body(near, low - near.position) - body.offset,
                       to_body(near, high - near.position) - body.offset};
    const BodyDistance found = distance_to_body(body.shape, body.half_extents, core);
    return {found.distance_m, near.to_zone * found.normal,
            near.position + near.to_zone * (found.on_body + body.offset)};
}

float face_up_at(const NearBody& near, const Vec3& point) {
    return face_cosine(near.body.shape, near.body.half_extents,
                       to_body(near, point - near.position) - near.body.offset,
                       to_body(near, {0.0F, 1.0F, 0.0F}));
}

void move_by(NearBody& near, const Vec3& way) {
    near.position += way;
    near.box = {near.box.min + way, near.box.max + way};
}

Vec3 velocity_at(const MotionBody& body, const Vec3& point) {
    return body.linear_velocity + glm::cross(body.angular_velocity, point - body.position);
}

float inverse_mass_at(const MotionBody& body, const Vec3& point, const Vec3& direction) {
    if (!(body.mass_kg > 0.0F)) {
        return 0.0F;
    }
    const Vec3 inertia =
        glm::max(inertia_per_kg(body.shape, body.half_extents) * body.mass_kg, Vec3{1e-6F});
    const Quat back = glm::conjugate(body.rotation);
    const Vec3 lever = back * glm::cross(point - body.position, direction);
    return 1.0F / body.mass_kg + glm::dot(lever, lever / inertia);
}

}  // namespace terrane
