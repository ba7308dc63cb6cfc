#include "shared/shape/piece_shape.h"

#include <algorithm>
#include <cmath>

#include <glm/common.hpp>

namespace terrane {

ShapePart shape_part(std::vector<Vec3> corners) {
    ShapePart part;
    if (!corners.empty()) {
        Vec3 low = corners[0];
        Vec3 high = corners[0];
        for (const Vec3& corner : corners) {
            low = glm::min(low, corner);
            high = glm::max(high, corner);
        }
        part.middle = 0.5F * (low + high);
        part.half_extents = 0.5F * (high - low);
    }
    part.corners = std::move(corners);
    return part;
}

bool is_valid(const PieceShape& piece) {
    const auto is_positive = [](float value) { return std::isfinite(value) && value > 0.0F; };
    const auto is_good = [&](const ShapePart& part) {
        return part.corners.size() >= 4 &&
               std::ranges::all_of(part.corners, [](const Vec3& c) { return is_finite(c); }) &&
               is_finite(part.middle) && is_positive(part.half_extents.x) &&
               is_positive(part.half_extents.y) && is_positive(part.half_extents.z);
    };
    const float turn = glm::dot(piece.axes, piece.axes);
    return !piece.parts.empty() && piece.parts.size() <= kShapePartsMax &&
           std::ranges::all_of(piece.parts, is_good) && is_positive(piece.mass_kg) &&
           is_positive(piece.volume_m3) && is_positive(piece.moments.x) &&
           is_positive(piece.moments.y) && is_positive(piece.moments.z) &&
           std::abs(turn - 1.0F) < 1e-3F;
}

Vec3 box_half_extents(const PieceShape& piece) {
    Vec3 half{0.0F};
    for (const ShapePart& part : piece.parts) {
        half = glm::max(half, glm::abs(part.middle) + part.half_extents);
    }
    return half;
}

}  // namespace terrane
