#include "server/world/world_bodies.h"

#include <algorithm>

#include "server/world/pieces.h"
#include "server/world/props.h"

namespace terrane {
namespace {

MotionBody to_motion_body(const World& world, EntityId id, const Body& body) {
    const BodyKind& kind = world.config.kinds[body.kind];
    const BodyState state = world.physics.state(body.handle);
    return {.id = id,
            .shape = kind.shape,
            .half_extents = kind.half_extents,
            .position = state.position,
            .rotation = state.rotation,
            .linear_velocity = state.linear_velocity,
            .angular_velocity = state.angular_velocity,
            .mass_kg = body.piece != nullptr ? body.piece->shape.mass_kg : body_mass_kg(kind)};
}

MotionBody to_motion_body(const World& world, const StandingProp& prop) {
    const BodyKind& kind = world.config.kinds[prop.placement.kind];
    MotionBody body;
    body.shape = kind.shape;
    body.half_extents = kind.half_extents;
    body.position = prop.pose.position;
    body.rotation = prop.pose.rotation;
    return body;
}

}  // namespace

void WorldBodies::gather_props(const Aabb& box, std::vector<MotionBody>& out) const {
    for_each_prop(*world_, box,
                  [&](const StandingProp& prop) { out.push_back(to_motion_body(*world_, prop)); });
}

void WorldBodies::gather(const Aabb& box, std::vector<MotionBody>& out) {
    gather_props(box, out);
    near_.clear();
    world_->physics.bodies_near(box, near_);
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (const BodyHandle& handle : near_) {
        const auto found = world_->body_by_handle.find(handle.index);
        if (found != world_->body_by_handle.end()) {
            const Body& body = world_->bodies.at(found->second);
            const MotionBody whole = to_motion_body(*world_, found->second, body);
            if (body.piece != nullptr) {
                append_parts(whole, body.piece->shape, box, out);
            } else {
                out.push_back(whole);
            }
        }
    }
    std::stable_sort(out.begin() + first, out.end(),
                     [](const MotionBody& a, const MotionBody& b) { return a.id < b.id; });
}

bool WorldBodies::find(std::uint64_t id, MotionBody& out) {
    const auto found = world_->bodies.find(id);
    if (found == world_->bodies.end()) {
        return false;
    }
    out = to_motion_body(*world_, id, found->second);
    return true;
}

}  // namespace terrane
