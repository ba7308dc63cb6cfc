// The planes that a mover has run into during one substep, and what is left of a vector that may
// not point into any of them (the clip of Quake's PM_SlideMove): along one plane, along the crease
// of two, or nothing in a corner of three.
//
//   floor (rises at least floor_up)  keeps the horizontal part, only the height follows: a walker's
//                                    speed over the map is the same uphill and downhill
//   steep, while walking             acts as a wall: nobody climbs it by running at it
//   steep, in the air                slides, but never turns speed into height
//   all others                       the part along the normal goes
#pragma once

#include <array>

#include "shared/math/vec.h"

namespace terrane {

class SlidePlanes {
  public:
    SlidePlanes(float floor_up, bool is_walking) : floor_up_(floor_up), is_walking_(is_walking) {}

    /// False if there are too many: the mover stops.
    bool add(const Vec3& normal);
    /// `v` without what points into the planes.
    Vec3 clip(const Vec3& v) const;
    bool is_floor(const Vec3& normal) const { return normal.y >= floor_up_; }
    bool has_wall() const { return has_wall_; }

  private:
    Vec3 clip_one(const Vec3& v, const Vec3& normal) const;

    float floor_up_;
    bool is_walking_;
    bool has_wall_ = false;
    int count_ = 0;
    std::array<Vec3, 5> normals_{};
};

}  // namespace terrane
