#include "server/world/solids.h"

namespace terrane {

Solid solid_of(const BodyKind& kind) {
    Solid solid;
    solid.shape = kind.shape;
    solid.half_extents = kind.half_extents;
    return solid;
}

Solid solid_of_player(const Vec3& foot, const MotionConfig& motion) {
    Solid solid;
    solid.shape = BodyShape::player;
    solid.half_extents = {motion.radius_m, motion.height_m * 0.5F, motion.radius_m};
    solid.position = foot + Vec3(0.0F, motion.height_m * 0.5F, 0.0F);
    return solid;
}

void follow(World& world, const Player& player, const Vec3& foot) {
    world.objects.move(player.slot, solid_of_player(foot, world.config.motion).position,
                       kNoRotation);
}

}  // namespace terrane
