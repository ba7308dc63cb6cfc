#include "server/physics/piece_body.h"

#include <algorithm>

namespace terrane {

namespace {

/// Bullet rounds a hull by its margin, outwards: the corners go in by as much along each axis.
std::unique_ptr<btConvexHullShape> make_hull(const ShapePart& part, const Quat& to_principal) {
    auto hull = std::make_unique<btConvexHullShape>();
    const Vec3& half = part.half_extents;
    const float margin = std::min(hull->getMargin(), 0.25F * std::min({half.x, half.y, half.z}));
    hull->setMargin(margin);
    const Vec3 shrink = 1.0F - margin / half;
    for (const Vec3& corner : part.corners) {
        const Vec3 inner = part.middle + (corner - part.middle) * shrink;
        hull->addPoint(to_bullet(to_principal * inner), false);
    }
    hull->recalcLocalAabb();
    return hull;
}

float box_volume(const ShapePart& part) {
    return part.half_extents.x * part.half_extents.y * part.half_extents.z;
}

}  // namespace

std::unique_ptr<PieceBody> make_piece_body(const PieceShape& piece) {
    if (!is_valid(piece)) {
        return nullptr;
    }
    auto body = std::make_unique<PieceBody>();
    body->shape = piece;
    body->shape.axes = glm::normalize(piece.axes);
    const Quat to_principal = glm::conjugate(body->shape.axes);
    for (std::size_t i = 0; i < piece.parts.size(); ++i) {
        body->hulls.push_back(make_hull(piece.parts[i], to_principal));
        if (box_volume(piece.parts[i]) > box_volume(piece.parts[body->largest])) {
            body->largest = i;
        }
    }
    if (body->hulls.size() > 1) {
        constexpr std::size_t kListed = 4;  // more are found by a tree
        body->compound = std::make_unique<btCompoundShape>(body->hulls.size() > kListed);
        for (const auto& hull : body->hulls) {
            body->compound->addChildShape(btTransform::getIdentity(), hull.get());
        }
    }
    return body;
}

}  // namespace terrane
