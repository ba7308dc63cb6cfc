// What every painter needs to know about the frame that is being drawn.
#pragma once

#include <algorithm>
#include <cstddef>

#include "shared/math/frustum.h"

namespace terrane {

struct ViewFrame {
    Vec3 eye{0.0F};  ///< zone space
    Frustum frustum;
    float view_distance_m = 256.0F;
};

/// Counted while a frame is put together.
struct CullCounts {
    std::size_t drawn = 0;
    std::size_t culled = 0;
};

inline float distance_to(const Aabb& box, const Vec3& point) {
    return glm::length(point - glm::clamp(point, box.min, box.max));
}

inline bool is_in_view(const ViewFrame& frame, const Aabb& box) {
    return distance_to(box, frame.eye) < frame.view_distance_m &&
           classify(frame.frustum, box) != Containment::outside;
}

}  // namespace terrane
