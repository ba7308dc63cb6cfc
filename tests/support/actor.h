// A player of a VirtualZone who is moved by a test: sets controls and edits, one input a tick.
#pragma once

#include <cmath>
#include <vector>

#include "tests/support/virtual_zone.h"

namespace terrane::test {

inline constexpr std::uint16_t kYawNorth = 0;      ///< looks along -z
inline constexpr std::uint16_t kYawWest = 16384;   ///< -x
inline constexpr std::uint16_t kYawSouth = 32768;  ///< +z
inline constexpr std::uint16_t kYawEast = 49152;   ///< +x

struct Actor {
    VirtualZone& zone;
    ClientSession& client;
    PlayerControls controls{};
    std::vector<Brush> edits{};  ///< of the next input

    Actor(VirtualZone& in_zone, const std::string& name, std::uint8_t view_chunks = 2)
        : zone(in_zone), client(in_zone.join(name, view_chunks)) {}

    EntityId id() const { return client.replica()->zone().player_id; }
    const Player& player() const { return zone.player(client); }
    Vec3 foot() const { return player().state.position; }
    void send() {
        client.tick(controls, edits);
        edits.clear();
    }
    /// One tick of the zone with this actor's input.
    void tick() {
        send();
        zone.tick();
    }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) {
            tick();
        }
    }
    void stop() {
        controls.move_forward = 0;
        controls.move_right = 0;
        controls.buttons = 0;
    }
    void walk(std::uint16_t yaw) {
        controls.yaw = yaw;
        controls.move_forward = 127;
    }
    /// Presses `use` for one tick.
    void use() {
        controls.buttons |= kButtonUse;
        tick();
        controls.buttons &= static_cast<std::uint8_t>(~kButtonUse);
        tick();
    }
    /// Stands at `place`, the chunks around it simulated and in the replica.
    void teleport(const Vec3& place, int wait_ticks = 60) {
        stop();
        zone.zone->submit(TeleportCommand{id(), place});
        ticks(wait_ticks);
    }
};

/// Brush of the voxels `min` to `max`, at most 8 on an axis.
inline Brush box_brush(BrushMode mode, const VoxelCoord& min, const VoxelCoord& max,
                       MaterialId material = kAir) {
    constexpr std::int32_t kHalfVoxel = kBrushUnitsPerVoxel / 2;
    Brush brush;
    brush.shape = BrushShape::box;
    brush.mode = mode;
    brush.material = material;
    brush.centre_x = (min.x + max.x + 1) * kHalfVoxel;
    brush.centre_y = (min.y + max.y + 1) * kHalfVoxel;
    brush.centre_z = (min.z + max.z + 1) * kHalfVoxel;
    brush.size_x = static_cast<std::uint8_t>((max.x - min.x + 1) * kHalfVoxel);
    brush.size_y = static_cast<std::uint8_t>((max.y - min.y + 1) * kHalfVoxel);
    brush.size_z = static_cast<std::uint8_t>((max.z - min.z + 1) * kHalfVoxel);
    return brush;
}

}  // namespace terrane::test
