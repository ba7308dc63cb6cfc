// Bullet's headers and the way between its types and ours. Debian's Bullet is single precision
// and has no threads; its types stay in this room's .cpp files and private headers.
#pragma once

#include <btBulletDynamicsCommon.h>

#include "shared/math/aabb.h"

namespace terrane {

static_assert(sizeof(btScalar) == sizeof(float), "Debian's plain Bullet is single precision");

inline btVector3 to_bullet(const Vec3& v) {
    return {v.x, v.y, v.z};
}
inline btQuaternion to_bullet(const Quat& q) {
    return {q.x, q.y, q.z, q.w};
}
inline btTransform to_bullet(const Vec3& position, const Quat& rotation) {
    return btTransform(to_bullet(rotation), to_bullet(position));
}
inline Vec3 from_bullet(const btVector3& v) {
    return {v.x(), v.y(), v.z()};
}
inline Quat from_bullet(const btQuaternion& q) {
    return {q.w(), q.x(), q.y(), q.z()};
}

}  // namespace terrane
