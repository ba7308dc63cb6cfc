#include "server/physics/ground_part.h"

#include <algorithm>

#include "server/physics/ground_probe.h"

namespace terrane {

namespace {

DirectBody body_of_child(const btConvexShape& shape, const btTransform& pose, const Vec3& origin) {
    DirectBody body;
    btVector3 low;
    btVector3 high;
    shape.getAabb(btTransform::getIdentity(), low, high);
    body.half_extents = 0.5F * (from_bullet(high) - from_bullet(low));
    const btVector3 middle = 0.5F * (low + high);
    const btMatrix3x3& basis = pose.getBasis();
    body.axes = Mat3(from_bullet(basis.getColumn(0)), from_bullet(basis.getColumn(1)),
                     from_bullet(basis.getColumn(2)));
    body.position = (from_bullet(pose.getOrigin()) - origin) + from_bullet(basis * middle);
    switch (shape.getShapeType()) {
        case BOX_SHAPE_PROXYTYPE:
            body.shape = BodyShape::box;
            body.half_extents =
                from_bullet(static_cast<const btBoxShape&>(shape).getHalfExtentsWithMargin());
            break;
        case SPHERE_SHAPE_PROXYTYPE:
            body.shape = BodyShape::sphere;
            body.half_extents = Vec3(static_cast<const btSphereShape&>(shape).getRadius());
            break;
        default:
            body.shape = BodyShape::piece;
            break;
    }
    return body;
}

}  // namespace

GroundPart ground_part(const btCollisionObjectWrapper& convex, const BodySlot& slot, float dt) {
    GroundPart part;
    part.slot = &slot;
    part.shape = static_cast<const btConvexShape*>(convex.getCollisionShape());
    part.pose = convex.getWorldTransform();
    const bool is_whole =
        convex.getCollisionShape() == convex.getCollisionObject()->getCollisionShape();
    if (is_whole && slot.volume.shape != BodyShape::piece) {
        part.origin = corner_of(voxel_at(slot.volume.position));
        part.body = {slot.volume.shape, slot.volume.half_extents,
                     slot.volume.position - part.origin, glm::mat3_cast(slot.volume.rotation)};
        part.bounds = swept_box(slot, dt);
        return part;
    }
    part.origin = corner_of(voxel_at(from_bullet(part.pose.getOrigin())));
    part.body = body_of_child(*part.shape, part.pose, part.origin);
    btVector3 low;
    btVector3 high;
    part.shape->getAabb(part.pose, low, high);
    const Aabb here{from_bullet(low), from_bullet(high)};
    const btVector3 arm =
        part.pose.getOrigin() - convex.getCollisionObject()->getWorldTransform().getOrigin();
    const Vec3 way = dt * from_bullet(slot.rigid->getVelocityInLocalPoint(arm));
    part.bounds = merge(here, Aabb{here.min + way, here.max + way});
    return part;
}

Vec3 farthest_point(const GroundPart& part, const Vec3& direction) {
    const DirectBody& body = part.body;
    const Vec3& half = body.half_extents;
    switch (body.shape) {
        case BodyShape::sphere:
            return body.position + half.x * direction;
        case BodyShape::capsule: {
            const Vec3 arm = capsule_arm_m(half) * body.axes[1];
            return body.position + (glm::dot(arm, direction) > 0.0F ? arm : -arm) +
                   half.x * direction;
        }
        case BodyShape::box: {
            Vec3 point = body.position;
            for (int i = 0; i < 3; ++i) {
                point +=
                    (glm::dot(body.axes[i], direction) > 0.0F ? half[i] : -half[i]) * body.axes[i];
            }
            return point;
        }
        default: {
            const btVector3 local = part.pose.getBasis().transpose() * to_bullet(direction);
            const btVector3 point =
                part.pose.getBasis() * part.shape->localGetSupportingVertex(local);
            return (from_bullet(part.pose.getOrigin()) - part.origin) + from_bullet(point);
        }
    }
}

Corners corners_of(const GroundPart& part) {
    Corners corners;
    const DirectBody& body = part.body;
    if (body.shape == BodyShape::piece) {
        if (!part.shape->isPolyhedral()) {
            return corners;
        }
        const auto& hull = static_cast<const btPolyhedralConvexShape&>(*part.shape);
        if (hull.getNumVertices() > static_cast<int>(corners.points.size())) {
            return corners;
        }
        corners.margin_m = hull.getMargin();
        const Vec3 middle = from_bullet(part.pose.getOrigin()) - part.origin;
        for (int i = 0; i < hull.getNumVertices(); ++i) {
            btVector3 vertex;
            hull.getVertex(i, vertex);
            corners.points[corners.count++] = middle + from_bullet(part.pose.getBasis() * vertex);
        }
        return corners;
    }
    if (body.shape != BodyShape::box && body.shape != BodyShape::cylinder) {
        return corners;
    }
    const Vec3 half = box_half_extents(body.shape, body.half_extents);
    for (int i = 0; i < 8; ++i) {
        Vec3 sign{(i & 1) != 0 ? 1.0F : -1.0F, (i & 2) != 0 ? 1.0F : -1.0F,
                  (i & 4) != 0 ? 1.0F : -1.0F};
        if (body.shape == BodyShape::cylinder) {  // four points on each rim
            sign = {(i & 4) == 0 ? sign.x : 0.0F, sign.y, (i & 4) != 0 ? sign.x : 0.0F};
        }
        corners.points[corners.count++] = body.position + body.axes * (half * sign);
    }
    return corners;
}

bool is_beside(const DirectBody& body, const TerrainTriangle& triangle, float reach_m) {
    if (body.shape == BodyShape::sphere) {
        return false;
    }
    const Vec3 half = box_half_extents(body.shape, body.half_extents) + reach_m;
    const Vec3 a = triangle.a - body.position;
    const Vec3 b = triangle.b - body.position;
    const Vec3 c = triangle.c - body.position;
    for (int i = 0; i < 3; ++i) {
        const Vec3 along{glm::dot(body.axes[i], a), glm::dot(body.axes[i], b),
                         glm::dot(body.axes[i], c)};
        if (std::min({along.x, along.y, along.z}) > half[i] ||
            std::max({along.x, along.y, along.z}) < -half[i]) {
            return true;
        }
    }
    return false;
}

btManifoldPoint manifold_point(const GroundPart& part, const SurfaceContact& contact,
                               float friction) {
    const btRigidBody& rigid = *part.slot->rigid;
    const btTransform& pose = rigid.getWorldTransform();
    const Vec3 on_body = contact.point + contact.depth_m * contact.normal;
    // In the frame of `origin` first: zone space would round it.
    const btVector3 middle = to_bullet(from_bullet(pose.getOrigin()) - part.origin);
    const btVector3 local = pose.getBasis().transpose() * (to_bullet(on_body) - middle);
    btManifoldPoint point(local, to_bullet(part.origin + contact.point), to_bullet(contact.normal),
                          contact.depth_m);
    point.m_positionWorldOnA = to_bullet(part.origin + on_body);
    point.m_positionWorldOnB = point.m_localPointB;
    point.m_combinedFriction = rigid.getFriction() * friction;
    point.m_combinedRollingFriction = rigid.getRollingFriction() * friction;
    point.m_combinedSpinningFriction = rigid.getSpinningFriction() * friction;
    point.m_combinedRestitution = rigid.getRestitution();
    btPlaneSpace1(point.m_normalWorldOnB, point.m_lateralFrictionDir1, point.m_lateralFrictionDir2);
    return point;
}

std::optional<SurfaceContact> TurnRound::contact(const TerrainTriangle& triangle,
                                                 const Vec3& face) {
    if (!is_buried_.has_value()) {
        VoxelReader reader(terrain_->grid());
        is_buried_ = is_enclosed(*terrain_, reader, part_->origin + part_->body.position);
    }
    if (!*is_buried_ || face == Vec3(0.0F)) {
        return std::nullopt;
    }
    const Vec3 deepest = farthest_point(*part_, -face);
    const float depth = glm::dot(deepest - triangle.a, face);
    if (depth >= 0.0F) {
        return std::nullopt;
    }
    return SurfaceContact{face, deepest - depth * face, depth};
}

}  // namespace terrane
