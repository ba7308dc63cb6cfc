#include "client-stub/bots/behaviours.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/math/trig.h"
#include "shared/protocol/limits.h"
#include "shared/voxel/voxel_ray.h"

namespace terrane {
namespace {

constexpr int kLooks = 8;               // rays tried for one edit
constexpr int kAims = 3;                // corrections towards the middle of a face
constexpr float kStandingRoomM = 1.0F;  // around the foot: not dug
constexpr float kElbowRoomM = 0.4F;     // around a player or body: not built
constexpr float kArrivedM = 1.0F;
constexpr float kProgressM = 0.5F;
constexpr int kTicksPerLook = 10;
constexpr int kLooksBeforeTurning = 4;
constexpr int kWanderTicks = 40;
constexpr float kDetourM = 10.0F;
constexpr float kBorderM = 8.0F;  // explorers keep off the zone's border

Vec3 centre_of(const VoxelCoord& v) {
    return corner_of(v) + 0.5F;
}

/// The middle of the face through which the ray came, just inside.
Vec3 seen_face_of(const VoxelHit& hit) {
    return centre_of(hit.voxel) + 0.49F * corner_of(hit.before - hit.voxel);
}

Vec3 eye_of(const Replica& replica) {
    return replica.own().position + Vec3(0.0F, replica.zone().motion.eye_height_m, 0.0F);
}

Vec3 random_look(Random& random) {
    const auto yaw = static_cast<std::uint16_t>(random.below(65536));
    const auto pitch = static_cast<std::int16_t>(random.between(-14000, 2000));
    return direction_of_view(yaw, pitch);
}

/// What the eye sees first along `direction` (unit) within its reach.
std::optional<VoxelHit> look(const Replica& replica, const Vec3& direction) {
    const float reach_m = std::max(0.0F, replica.zone().reach_m - kReachMarginM);
    const auto hit = raycast_voxels(replica.grid(), {eye_of(replica), direction, reach_m});
    return hit.has_value() && hit->voxel != hit->before ? hit : std::nullopt;
}

bool can_be_edited(const Replica& replica, const VoxelCoord& v) {
    return contains(voxel_box(replica.zone().bounds), v) && replica.grid().is_loaded(chunk_of(v));
}

bool is_underfoot(const Replica& replica, const VoxelCoord& v) {
    const Vec3 foot = replica.own().position;
    const Vec3 centre = centre_of(v);
    return centre.y < foot.y && std::abs(centre.x - foot.x) < kStandingRoomM &&
           std::abs(centre.z - foot.z) < kStandingRoomM;
}

/// A node's box, upright; generous for one that lies on its side.
Aabb box_of_node(const Replica& replica, const ReplicaNode& node) {
    NodePose pose;
    if (!replica.find_pose(node, replica.tick(), pose)) {
        return {};
    }
    const Vec3 at = pose.position;
    const BodyKind& kind = replica.zone().kinds[node.kind];
    if (kind.shape == BodyShape::player) {
        const MotionConfig& motion = replica.zone().motion;
        return {at - Vec3(motion.radius_m, 0.0F, motion.radius_m),
                at + Vec3(motion.radius_m, motion.height_m, motion.radius_m)};
    }
    const float radius_m = glm::length(kind.half_extents);
    return {at - radius_m, at + radius_m};
}

bool is_in_the_way(const Replica& replica, const VoxelCoord& v) {
    const Aabb block = grow(to_aabb({v, v}), kElbowRoomM);
    if (overlaps(block, player_box(replica.own().position, replica.zone().motion))) {
        return true;
    }
    return std::ranges::any_of(replica.nodes(), [&](const ReplicaNode& node) {
        return overlaps(block, box_of_node(replica, node));
    });
}

Brush dig_brush(const Replica& replica, const VoxelCoord& v, Random& random) {
    if (replica.zone().brush_radius_max < 2 || random.below(3) != 0) {
        return voxel_brush(BrushMode::dig, v);
    }
    Brush brush = voxel_brush(BrushMode::dig, v);
    brush.shape = BrushShape::sphere;
    brush.size_x = static_cast<std::uint8_t>(random.between(16, 24));
    return brush;
}

std::int16_t pitch_towards(const Vec3& way) {
    const double turn =
        std::atan2(double{way.y}, std::hypot(double{way.x}, double{way.z})) / (2.0 * kPi);
    return static_cast<std::int16_t>(std::lround(turn * 65536.0));
}

/// Every chunk that `brush` may touch is here and inside the zone.
bool is_known_ground(const Replica& replica, const Brush& brush) {
    const VoxelBox reach = reach_of(brush);
    return can_be_edited(replica, reach.min) && can_be_edited(replica, reach.max);
}

}  // namespace

Result<BehaviourKind> parse_behaviour(std::string_view name) {
    struct Named {
        std::string_view name;
        BehaviourKind kind;
    };
    constexpr Named kAll[] = {{"idle", BehaviourKind::idle},   {"walk", BehaviourKind::walk},
                              {"dig", BehaviourKind::dig},     {"build", BehaviourKind::build},
                              {"mixed", BehaviourKind::mixed}, {"explore", BehaviourKind::explore}};
    for (const Named& known : kAll) {
        if (known.name == name) {
            return known.kind;
        }
    }
    if (name == "hostile") {
        return fail("hostile: not in this version");
    }
    return fail("'{}' is no behaviour: walk, dig, build, mixed, explore or idle", name);
}

std::uint16_t yaw_towards(float dx, float dz) {
    const double turn = std::atan2(-double{dx}, -double{dz}) / (2.0 * kPi);
    return static_cast<std::uint16_t>(std::lround(turn * 65536.0) & 0xffff);
}

std::optional<Brush> choose_dig(const Replica& replica, Random& random) {
    const Vec3 eye = eye_of(replica);
    for (int i = 0; i < kLooks; ++i) {
        auto hit = look(replica, random_look(random));
        for (int aim = 0; aim < kAims && hit.has_value(); ++aim) {
            const VoxelCoord target = hit->voxel;
            hit = look(replica, glm::normalize(seen_face_of(*hit) - eye));
            if (!hit.has_value() || hit->voxel != target) {
                continue;
            }
            const Brush brush = dig_brush(replica, target, random);
            if (!is_underfoot(replica, target) && is_known_ground(replica, brush)) {
                return brush;
            }
            break;
        }
    }
    return std::nullopt;
}

std::optional<Brush> choose_place(const Replica& replica, Random& random) {
    const MaterialTable& materials = replica.zone().materials;
    const auto first = static_cast<std::int32_t>(kFirstSolid);
    const auto last = static_cast<std::int32_t>(materials.size()) - 1;
    if (last < first) {
        return std::nullopt;
    }
    const Vec3 eye = eye_of(replica);
    for (int i = 0; i < kLooks; ++i) {
        const auto material = static_cast<MaterialId>(random.between(first, last));
        const auto hit = look(replica, random_look(random));
        if (!hit.has_value() || !materials[material].can_place) {
            continue;
        }
        const VoxelCoord place = hit->before;
        const Ray sight{eye, centre_of(place) - eye, 1.0F};
        if (can_be_edited(replica, place) && !is_solid(replica.grid().voxel(place)) &&
            !is_in_the_way(replica, place) && !raycast_voxels(replica.grid(), sight)) {
            return voxel_brush(BrushMode::place, place, material);
        }
    }
    return std::nullopt;
}

Behaviour::Behaviour(const BehaviourConfig& config, std::uint64_t seed)
    : config_(config), random_(seed), edits_due_(random_.unit()) {}

Intent Behaviour::think(const Replica& replica, bool can_edit) {
    Intent intent;
    if (!replica.has_state()) {
        return intent;
    }
    if (!home_.has_value()) {
        home_ = replica.own().position;
        yaw_ = static_cast<std::uint16_t>(random_.below(65536));
        choose_waypoint(replica);
    }
    const bool walks = config_.kind == BehaviourKind::walk ||
                       config_.kind == BehaviourKind::mixed ||
                       config_.kind == BehaviourKind::explore;
    if (walks || ticks_to_wander_ > 0) {
        ticks_to_wander_ = std::max(0, ticks_to_wander_ - 1);
        steer(replica, intent.controls);
    }
    const bool edits = config_.kind == BehaviourKind::dig || config_.kind == BehaviourKind::build ||
                       config_.kind == BehaviourKind::mixed;
    if (edits && can_edit) {
        edit(replica, intent);
    }
    intent.controls.yaw = yaw_;
    return intent;
}

void Behaviour::choose_waypoint(const Replica& replica) {
    ticks_to_look_ = kTicksPerLook;
    looks_without_progress_ = 0;
    if (config_.kind == BehaviourKind::explore) {
        choose_explorer_waypoint(replica);
        return;
    }
    const auto turn = static_cast<std::uint16_t>(random_.below(65536));
    const Vec3 direction = direction_of_view(turn, 0);
    waypoint_ = *home_ + direction * (config_.wander_radius_m * random_.unit());
}

/// Out, home, out elsewhere; what is left of a way after a detour first.
void Behaviour::choose_explorer_waypoint(const Replica& replica) {
    if (std::exchange(is_detour_, false)) {
        waypoint_ = farther_waypoint_;
        return;
    }
    is_outward_ = !is_outward_;
    const Vec3 home = home_.value_or(replica.own().position);
    if (!is_outward_) {
        waypoint_ = home;
        return;
    }
    const auto turn = static_cast<std::uint16_t>(random_.below(65536));
    const Aabb inside =
        grow(to_aabb(voxel_box(replica.zone().bounds)), -std::max(kBorderM, kArrivedM));
    const Vec3 far = home + direction_of_view(turn, 0) * config_.explore_radius_m;
    waypoint_ = {std::clamp(far.x, inside.min.x, inside.max.x), far.y,
                 std::clamp(far.z, inside.min.z, inside.max.z)};
}

/// Stuck: somewhere else, or round it.
void Behaviour::turn_away(const Replica& replica) {
    if (config_.kind != BehaviourKind::explore) {
        choose_waypoint(replica);
        return;
    }
    if (!is_detour_) {
        farther_waypoint_ = waypoint_;
    }
    is_detour_ = true;
    const auto turn = static_cast<std::uint16_t>(random_.below(65536));
    waypoint_ = replica.own().position + direction_of_view(turn, 0) * kDetourM;
    ticks_to_look_ = kTicksPerLook;
    looks_without_progress_ = 0;
}

void Behaviour::steer(const Replica& replica, PlayerControls& controls) {
    const PlayerState& own = replica.own();
    const Vec3 way = waypoint_ - own.position;
    if (glm::length(Vec2(way.x, way.z)) < kArrivedM) {
        choose_waypoint(replica);
    }
    yaw_ = yaw_towards(waypoint_.x - own.position.x, waypoint_.z - own.position.z);
    controls.move_forward = 127;
    if (config_.kind == BehaviourKind::explore) {
        controls.buttons |= kButtonRun;
    }
    if (own.is_swimming) {
        controls.buttons |= kButtonJump;
    }
    if (--ticks_to_look_ > 0) {
        return;
    }
    ticks_to_look_ = kTicksPerLook;
    const Vec3 moved = own.position - checkpoint_;
    checkpoint_ = own.position;
    if (glm::length(Vec2(moved.x, moved.z)) >= kProgressM) {
        looks_without_progress_ = 0;
        return;
    }
    controls.buttons |= kButtonJump;
    if (++looks_without_progress_ >= kLooksBeforeTurning) {
        turn_away(replica);
    }
}

void Behaviour::edit(const Replica& replica, Intent& intent) {
    edits_due_ += config_.edits_per_s / static_cast<float>(replica.zone().tick_rate_hz);
    while (edits_due_ >= 1.0F && intent.edits.size() < kEditsPerInputMax) {
        edits_due_ -= 1.0F;
        if (const auto brush = choose_edit(replica)) {
            intent.edits.push_back(*brush);
            const Vec3 eye = eye_of(replica);
            const Vec3 target =
                Vec3(static_cast<float>(brush->centre_x), static_cast<float>(brush->centre_y),
                     static_cast<float>(brush->centre_z)) /
                static_cast<float>(kBrushUnitsPerVoxel);
            if (intent.controls.move_forward == 0) {
                const Vec3 way = target - eye;
                yaw_ = yaw_towards(way.x, way.z);
                intent.controls.pitch = pitch_towards(way);
            }
        } else {
            ticks_to_wander_ = kWanderTicks;
        }
    }
    edits_due_ = std::min(edits_due_, 1.0F);
}

std::optional<Brush> Behaviour::choose_edit(const Replica& replica) {
    switch (config_.kind) {
        case BehaviourKind::dig:
            return choose_dig(replica, random_);
        case BehaviourKind::build:
            return choose_place(replica, random_);
        case BehaviourKind::mixed: {
            const bool digs = random_.below(2) == 0;
            const auto first = digs ? choose_dig(replica, random_) : choose_place(replica, random_);
            if (first.has_value()) {
                return first;
            }
            return digs ? choose_place(replica, random_) : choose_dig(replica, random_);
        }
        case BehaviourKind::idle:
        case BehaviourKind::walk:
        case BehaviourKind::explore:
            break;
    }
    return std::nullopt;
}

}  // namespace terrane
