#include "shared/motion/capsule_sweep.h"

#include <algorithm>

#include "shared/math/segment.h"

namespace terrane {

namespace {

/// Nearer than this counts as touching.
constexpr float kTouchM = 1e-4F;
/// Closing in more slowly than this (metres a metre) counts as moving along.
constexpr float kAlong = 1e-5F;
constexpr int kAdvances = 16;
constexpr int kPushes = 8;

/// Of the distance between the core segment and a box: 0 if they overlap.
inline float distance_squared(const Aabb& box, const Vec3& low, const Vec3& high) {
    const Vec3 gap = glm::max(glm::max(box.min - high, low - box.max), Vec3{0.0F});
    return glm::dot(gap, gap);
}

Vec3 face_normal(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 normal = glm::cross(b - a, c - a);
    const float length = std::sqrt(glm::dot(normal, normal));
    return length > 0.0F ? normal / length : Vec3{0.0F, 1.0F, 0.0F};
}

}  // namespace

void CapsuleSweep::gather(Terrain& terrain, const Aabb& box) {
    gathered_.clear();
    faces_.clear();
    terrain.gather_triangles(box, gathered_);
    for (const TerrainTriangle& t : gathered_) {
        add_face(t.a, t.b, t.c);
    }
}

void CapsuleSweep::add_rectangle(const Vec3& corner, const Vec3& u, const Vec3& v) {
    add_face(corner, corner + u, corner + u + v);
    add_face(corner, corner + u + v, corner + v);
}

void CapsuleSweep::assign(const std::vector<TerrainTriangle>& triangles) {
    faces_.clear();
    for (const TerrainTriangle& t : triangles) {
        add_face(t.a, t.b, t.c);
    }
}

void CapsuleSweep::add_face(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 normal = glm::cross(b - a, c - a);
    faces_.push_back({a,
                      b,
                      c,
                      {glm::min(a, glm::min(b, c)), glm::max(a, glm::max(b, c))},
                      normal,
                      glm::dot(normal, normal)});
}

/// Farther than `reach` for sure, by the face's box or by its plane: what is left is measured.
inline bool CapsuleSweep::is_beyond(const Face& face, const Vec3& low, const Vec3& high,
                                    float reach) {
    constexpr float kRounding = 1.001F;
    if (distance_squared(face.box, low, high) >= reach * reach) {
        return true;
    }
    const float low_side = glm::dot(low - face.a, face.normal);
    const float high_side = low_side + (high.y - low.y) * face.normal.y;
    const float nearest = std::min(low_side * low_side, high_side * high_side);
    return low_side * high_side > 0.0F && nearest > reach * reach * kRounding * face.normal_squared;
}

CapsuleContact CapsuleSweep::contact(const Face& face, const Vec3& low, const Vec3& high) {
    Vec3 away;
    if (face.box.max.y <= low.y) {
        away = low - closest_point_on_triangle(low, face.a, face.b, face.c);
    } else if (face.box.min.y >= high.y) {
        away = high - closest_point_on_triangle(high, face.a, face.b, face.c);
    } else {
        const ClosestPoints pair = closest_points(Segment{low, high}, face.a, face.b, face.c);
        away = pair.on_first - pair.on_second;
    }
    const float distance = std::sqrt(glm::dot(away, away));
    if (distance > 1e-6F) {
        return {distance, away / distance};
    }
    return {0.0F, face_normal(face.a, face.b, face.c)};
}

SweepResult CapsuleSweep::sweep(const Capsule& capsule, const Vec3& foot, const Vec3& direction,
                                float length_m) const {
    SweepResult result;
    Vec3 low = foot + Vec3{0.0F, capsule.radius, 0.0F};
    const Vec3 core{0.0F, capsule.height - 2.0F * capsule.radius, 0.0F};
    for (int advance = 0; advance < kAdvances; ++advance) {
        const Vec3 high = low + core;
        float free_m = length_m - result.travelled_m;
        const Face* met = nullptr;
        bool has_met_body = false;
        for (const Face& face : faces_) {
            const float reach = capsule.touch_m + free_m;
            if (is_beyond(face, low, high, reach)) {
                continue;
            }
            const CapsuleContact found = contact(face, low, high);
            const float closing = -glm::dot(found.normal, direction);
            if (closing <= kAlong || found.distance - capsule.touch_m >= free_m * closing) {
                continue;
            }
            free_m = std::max((found.distance - capsule.touch_m) / closing, 0.0F);
            result.hit = found;
            met = &face;
        }
        if (!bodies_.empty()) {
            has_met_body = sweep_bodies(capsule, low, high, direction, free_m, result.hit);
        }
        result.travelled_m += free_m;
        if (met == nullptr && !has_met_body) {
            result.has_hit = false;
            return result;
        }
        result.has_hit = true;
        if (free_m < kTouchM || advance + 1 == kAdvances) {
            if (!has_met_body) {
                result.hit.face_up = face_up(*met, result.hit, low, high);
            }
            return result;
        }
        low += direction * free_m;
    }
    return result;
}

/// Lowers `free_m` to what the capsule may travel before it touches the body in `hit`; false if it
/// touches none.
bool CapsuleSweep::sweep_bodies(const Capsule& capsule, const Vec3& low, const Vec3& high,
                                const Vec3& direction, float& free_m, CapsuleContact& hit) const {
    bool has_met = false;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const NearBody& near = bodies_[i];
        const float reach = capsule.touch_m + free_m;
        if (near.is_passed || distance_squared(near.box, low, high) >= reach * reach) {
            continue;
        }
        const BodyContact found = contact_of(near, low, high);
        const float closing = -glm::dot(found.normal, direction);
        if (closing <= kAlong || found.distance_m - capsule.touch_m >= free_m * closing) {
            continue;
        }
        free_m = std::max((found.distance_m - capsule.touch_m) / closing, 0.0F);
        hit = {found.distance_m, found.normal, face_up_at(near, found.point), static_cast<int>(i)};
        has_met = true;
    }
    return has_met;
}

/// A contact on an edge belongs to the faces on both sides; whoever stands on the rim of a flat top
/// stands on the flat top.
float CapsuleSweep::face_up(const Face& met, const CapsuleContact& hit, const Vec3& low,
                            const Vec3& high) const {
    constexpr float kSameM = 1e-3F;
    const Vec3 normal = face_normal(met.a, met.b, met.c);
    float up = normal.y;
    if (glm::dot(normal, hit.normal) > 0.999F) {
        return up;
    }
    const float reach = hit.distance + kSameM;
    for (const Face& face : faces_) {
        if (!is_beyond(face, low, high, reach) && contact(face, low, high).distance < reach) {
            up = std::max(up, face_normal(face.a, face.b, face.c).y);
        }
    }
    return up;
}

void CapsuleSweep::gather_bodies(MotionBodies& bodies, const Aabb& box) {
    terrane::gather_bodies(bodies, box, gathered_bodies_, bodies_);
}

BodyContact CapsuleSweep::body_contact(int body, const Capsule& capsule, const Vec3& foot) const {
    return contact_of(bodies_[static_cast<std::size_t>(body)],
                      foot + Vec3{0.0F, capsule.radius, 0.0F},
                      foot + Vec3{0.0F, capsule.height - capsule.radius, 0.0F});
}

bool CapsuleSweep::nearest(const Capsule& capsule, const Vec3& foot, float reach_m,
                           CapsuleContact& found) const {
    const Vec3 low = foot + Vec3{0.0F, capsule.radius, 0.0F};
    const Vec3 high = foot + Vec3{0.0F, capsule.height - capsule.radius, 0.0F};
    bool has_met = false;
    float reach = reach_m;
    for (const Face& face : faces_) {
        if (is_beyond(face, low, high, reach)) {
            continue;
        }
        const CapsuleContact other = contact(face, low, high);
        if (other.distance < reach) {
            reach = other.distance;
            found = other;
            has_met = true;
        }
    }
    return has_met;
}

bool CapsuleSweep::push_out(const Capsule& capsule, Vec3& foot, float floor_up) const {
    CapsuleContact deepest;
    for (int push = 0; push < kPushes; ++push) {
        if (!nearest(capsule, foot, capsule.touch_m - kTouchM, deepest)) {
            return true;
        }
        const float depth = capsule.touch_m - deepest.distance;
        if (deepest.normal.y >= floor_up) {
            foot.y += depth / deepest.normal.y;
        } else {
            foot += deepest.normal * depth;
        }
    }
    return !nearest(capsule, foot, capsule.touch_m - 1e-3F, deepest);
}

}  // namespace terrane
