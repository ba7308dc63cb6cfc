// An upright capsule against a small set of triangles and bodies: distance, sweep and push-out.
//
// The sweep is conservative advancement (Mirtich, "Impulse-based Dynamic Simulation of Rigid Body
// Systems", 1996). The distance between a moving capsule and a convex thing is a convex function of
// time, so the tangent at any moment lies below it: if the capsule is d away and closes in at the
// rate c, it can travel d / c without touching. On a face the bound is exact and one look finds the
// hit; on edges it takes a few. No speed can carry it through a triangle, and triangles that it
// moves along or away from never hold it up.
//
// An upright capsule makes most distances cheap: a triangle wholly below the lower end of the core
// segment (the ground) needs a point's distance only.
#pragma once

#include <array>
#include <vector>

#include "shared/motion/near_bodies.h"
#include "shared/terrain/terrain.h"

namespace terrane {

/// Core segment from foot + radius to foot + height - radius; what comes nearer to it than
/// `touch_m` is touched. The foot is the lowest point of the capsule itself, so on the ground it
/// hovers by the gap.
struct Capsule {
    float radius = 0.0F;
    float height = 0.0F;
    float touch_m = 0.0F;  ///< radius + gap
};

struct CapsuleContact {
    float distance = 0.0F;          ///< of the core segment
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, from the triangle to the capsule
    float face_up = 0.0F;  ///< y of the unit normal of the touched face, of several the largest
    int body = -1;         ///< index of the touched body, -1 for a triangle
};

struct SweepResult {
    float travelled_m = 0.0F;
    bool has_hit = false;
    CapsuleContact hit;
};

/// The triangles and bodies near one capsule for one substep. Keeps its memory from use to use.
class CapsuleSweep {
  public:
    /// Takes the triangles of `terrain` that meet `box`.
    void gather(Terrain& terrain, const Aabb& box);
    /// Adds the rectangle of `corner`, `corner + u` and `corner + v`: the zone's border.
    void add_rectangle(const Vec3& corner, const Vec3& u, const Vec3& v);
    /// For tests: any triangles.
    void assign(const std::vector<TerrainTriangle>& triangles);
    bool is_empty() const { return faces_.empty(); }

    /// Takes the bodies that meet `box`; they stay until the next call.
    void gather_bodies(MotionBodies& bodies, const Aabb& box);
    void clear_bodies() { bodies_.clear(); }
    std::vector<NearBody>& bodies() { return bodies_; }
    const std::vector<NearBody>& bodies() const { return bodies_; }

    /// Moves the foot from `foot` along the unit vector `direction` for at most `length_m`.
    SweepResult sweep(const Capsule& capsule, const Vec3& foot, const Vec3& direction,
                      float length_m) const;
    /// The nearest triangle closer than `reach_m` to the core segment.
    bool nearest(const Capsule& capsule, const Vec3& foot, float reach_m,
                 CapsuleContact& found) const;
    BodyContact body_contact(int body, const Capsule& capsule, const Vec3& foot) const;
    /// Moves the foot out of whatever triangle is closer than touch_m; contacts whose normal rises
    /// at least `floor_up` push straight up. Bounded; returns false if it is still too close
    /// afterwards.
    bool push_out(const Capsule& capsule, Vec3& foot, float floor_up) const;

  private:
    struct Face {
        Vec3 a;
        Vec3 b;
        Vec3 c;
        Aabb box;
        Vec3 normal;           ///< not of unit length
        float normal_squared;  ///< of its length
    };

    void add_face(const Vec3& a, const Vec3& b, const Vec3& c);
    float face_up(const Face& met, const CapsuleContact& hit, const Vec3& low,
                  const Vec3& high) const;
    bool sweep_bodies(const Capsule& capsule, const Vec3& low, const Vec3& high,
                      const Vec3& direction, float& free_m, CapsuleContact& hit) const;
    static bool is_beyond(const Face& face, const Vec3& low, const Vec3& high, float reach);
    static CapsuleContact contact(const Face& face, const Vec3& low, const Vec3& high);

    std::vector<TerrainTriangle> gathered_;
    std::vector<Face> faces_;
    std::vector<MotionBody> gathered_bodies_;
    std::vector<NearBody> bodies_;
};

}  // namespace terrane
