// Players, bodies and props as scene queries meet them (shared/scene/scene_query.h).
#pragma once

#include "server/world/world.h"
#include "shared/scene/scene_query.h"

namespace terrane {

/// What a kind looks like at the origin, unturned.
Solid solid_of(const BodyKind& kind);
Solid solid_of_player(const Vec3& foot, const MotionConfig& motion);
inline Solid solid_at(Solid solid, const Vec3& position, const Quat& rotation) {
    solid.position = position;
    solid.rotation = rotation;
    return solid;
}
/// Of a solid without parts, in its own frame.
inline Aabb local_box_of(const Solid& solid) {
    const Vec3 half = box_half_extents(solid.shape, solid.half_extents);
    return {-half, half};
}

/// Queries meet the player with its foot at `foot` from now on.
void follow(World& world, const Player& player, const Vec3& foot);

inline SceneView view_of(World& world) {
    return {&world.terrain, &world.objects};
}

}  // namespace terrane
