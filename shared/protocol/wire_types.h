// From FlatBuffers structs to the project's values and back. Only for messages that verified
// (messages.h): nothing is checked here.
#pragma once

#include "schemas/to_client_generated.h"
#include "schemas/to_server_generated.h"
#include "shared/motion/player_motion.h"
#include "shared/protocol/transform_codec.h"
#include "shared/voxel/brush.h"
#include "shared/voxel/prop_scatter.h"

namespace terrane {

inline ChunkCoord from_wire(const wire::ChunkPos& p) {
    return {p.x(), p.y(), p.z()};
}
inline wire::ChunkPos to_wire(const ChunkCoord& c) {
    return {c.x, c.y, c.z};
}

inline Vec3 from_wire(const wire::Vec3f& v) {
    return {v.x(), v.y(), v.z()};
}
inline wire::Vec3f to_wire(const Vec3& v) {
    return {v.x, v.y, v.z};
}

inline PlayerControls from_wire(const wire::Controls& c) {
    return {.move_right = c.move_right(),
            .move_forward = c.move_forward(),
            .buttons = c.buttons(),
            .yaw = c.yaw(),
            .pitch = c.pitch()};
}
inline wire::Controls to_wire(const PlayerControls& c) {
    return {c.move_right, c.move_forward, c.buttons, c.yaw, c.pitch};
}

inline Brush from_wire(const wire::EditRequest& e) {
    return {.shape = static_cast<BrushShape>(e.shape()),
            .mode = static_cast<BrushMode>(e.mode()),
            .material = e.material(),
            .centre_x = e.centre_x(),
            .centre_y = e.centre_y(),
            .centre_z = e.centre_z(),
            .size_x = e.size_x(),
            .size_y = e.size_y(),
            .size_z = e.size_z()};
}
inline wire::EditRequest to_wire(std::uint32_t edit_id, const Brush& b) {
    return {edit_id,
            b.centre_x,
            b.centre_y,
            b.centre_z,
            static_cast<wire::BrushShape>(b.shape),
            static_cast<wire::BrushMode>(b.mode),
            b.material,
            b.size_x,
            b.size_y,
            b.size_z};
}

inline ChunkOp from_wire(const wire::ChunkOp& op) {
    return {.shape = static_cast<BrushShape>(op.shape()),
            .mode = static_cast<BrushMode>(op.mode()),
            .material = op.material(),
            .size_x = op.size_x(),
            .size_y = op.size_y(),
            .size_z = op.size_z(),
            .centre_x = op.centre_x(),
            .centre_y = op.centre_y(),
            .centre_z = op.centre_z()};
}
inline wire::ChunkOp to_wire(const ChunkOp& op) {
    return {static_cast<wire::BrushShape>(op.shape),
            static_cast<wire::BrushMode>(op.mode),
            op.material,
            op.size_x,
            op.size_y,
            op.size_z,
            op.centre_x,
            op.centre_y,
            op.centre_z};
}

inline VoxelRun from_wire(const wire::VoxelRun& r) {
    return {r.first(), r.count(), {r.material(), r.occupancy()}};
}
inline wire::VoxelRun to_wire(const VoxelRun& r) {
    return {r.first, r.count, r.voxel.material, r.voxel.occupancy};
}

inline PropPlacement from_wire(const wire::Prop& p) {
    return {p.index(), p.kind(), p.yaw(), p.x(), p.y(), p.z()};
}
inline wire::Prop to_wire(const PropPlacement& p) {
    return {p.x, p.y, p.z, p.yaw, p.kind, p.index};
}

inline PlayerState from_wire(const wire::OwnState& s) {
    return {.position = from_wire(s.position()),
            .velocity = from_wire(s.velocity()),
            .yaw = s.yaw(),
            .pitch = s.pitch(),
            .is_grounded = s.is_grounded(),
            .is_swimming = s.is_swimming(),
            .carrier = s.carrier(),
            .carrier_point = from_wire(s.carrier_point())};
}
/// `vehicle` 0: not seated.
inline wire::OwnState to_wire(const PlayerState& s, std::uint64_t vehicle, std::uint8_t seat) {
    return {to_wire(s.position),
            to_wire(s.velocity),
            s.yaw,
            s.pitch,
            s.is_grounded,
            s.is_swimming,
            seat,
            to_wire(s.carrier_point),
            s.carrier,
            vehicle};
}

inline MotionConfig from_wire(const wire::MotionConstants& m) {
    return {.gravity_mps2 = m.gravity_mps2(),
            .walk_mps = m.walk_mps(),
            .run_mps = m.run_mps(),
            .swim_mps = m.swim_mps(),
            .jump_height_m = m.jump_height_m(),
            .step_height_m = m.step_height_m(),
            .slope_max_deg = m.slope_max_deg(),
            .radius_m = m.radius_m(),
            .height_m = m.height_m(),
            .eye_height_m = m.eye_height_m()};
}
inline wire::MotionConstants to_wire(const MotionConfig& m) {
    return {m.gravity_mps2,  m.walk_mps,      m.run_mps,  m.swim_mps, m.jump_height_m,
            m.step_height_m, m.slope_max_deg, m.radius_m, m.height_m, m.eye_height_m};
}

/// Bits of NodeTransform.flags. The node will not move until it says so.
inline constexpr std::uint8_t kNodeAsleep = 1;
/// It stands still for the ground around it is not loaded; it falls on when that is.
inline constexpr std::uint8_t kNodeHeld = 2;
inline constexpr std::uint8_t kNodeFlags = kNodeAsleep | kNodeHeld;

inline wire::NodeTransform to_wire(const QuantisedPosition& position, std::uint32_t rotation,
                                   std::uint16_t slot, std::uint8_t generation,
                                   std::uint8_t flags) {
    return {position.x, position.y, position.z, rotation, slot, generation, flags};
}
inline Vec3 position_of(const wire::NodeTransform& node) {
    return restore_position({node.x(), node.y(), node.z()});
}
inline Quat rotation_of(const wire::NodeTransform& node) {
    return restore_rotation(node.rotation());
}

}  // namespace terrane
