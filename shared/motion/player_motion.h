// One substep of a player: walk, run, jump, step up, slopes, swim. The same code runs on the server
// (truth) and on the client (prediction), with + - * / sqrt only, so both get the same bits from
// the same state, controls and ground.
//
// A player is a capsule that sweeps over the terrain's triangles and the bodies near and keeps a
// 2 cm gap to them; it is no dynamic body. It stands on bodies and is carried along, is shoved by
// those that come and pushes those it walks against (among_bodies.h). Position is the middle of its
// foot, the lowest point of the capsule.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/math/aabb.h"
#include "shared/motion/capsule_sweep.h"
#include "shared/motion/motion_bodies.h"
#include "shared/terrain/terrain.h"

namespace terrane {

/// What a player asks for in one tick. Move is in the player's own frame, -127..127 = -1..1.
struct PlayerControls {
    std::int8_t move_right = 0;
    std::int8_t move_forward = 0;
    std::uint8_t buttons = 0;  ///< ControlButton bits
    std::uint16_t yaw = 0;     ///< 65536 a turn; 0 looks along -Z, growing turns left (about +Y)
    std::int16_t pitch = 0;    ///< 65536 a turn; clamped to +-16384; positive looks up

    friend bool operator==(const PlayerControls&, const PlayerControls&) = default;
};

enum ControlButton : std::uint8_t {
    kButtonJump = 1,  ///< also swims up
    kButtonRun = 2,
    kButtonDown = 4,  ///< swims down
    kButtonUse = 8,   ///< when it goes down: takes a seat, or leaves it
};
inline constexpr std::uint8_t kControlButtonsAll =
    kButtonJump | kButtonRun | kButtonDown | kButtonUse;

struct PlayerState {
    Vec3 position{0.0F};  ///< foot, metres, zone space
    /// m/s, zone space. Relative to the carrier at the foot as long as there is one, so that what
    /// the carrier's speed does from moment to moment moves nobody over the deck.
    Vec3 velocity{0.0F};
    std::uint16_t yaw = 0;
    std::int16_t pitch = 0;
    bool is_grounded = false;
    bool is_swimming = false;
    std::uint64_t carrier = 0;  ///< id of the body stood on, 0: none
    Vec3 carrier_point{0.0F};   ///< the foot in the carrier's frame
};

/// Defaults of config/zone.toml; sent in Welcome.
struct MotionConfig {
    float gravity_mps2 = 9.81F;
    float walk_mps = 4.5F;
    float run_mps = 7.0F;
    float swim_mps = 2.5F;
    float jump_height_m = 1.25F;
    float step_height_m = 0.6F;
    float slope_max_deg = 50.0F;
    float radius_m = 0.35F;
    float height_m = 1.8F;
    float eye_height_m = 1.62F;
};

inline constexpr float kPlayerGapM = 0.02F;
inline constexpr float kPlayerMassKg = 70.0F;

/// What players move in. One for each thread that steps players.
struct MotionWorld {
    Terrain* terrain = nullptr;
    CapsuleSweep near;               ///< working memory, no state between calls
    MotionBodies* bodies = nullptr;  ///< none: only terrain
    std::vector<MotionPush> pushes;  ///< appended by each substep; the caller clears
};

/// Advances `state` by `dt` seconds (at most 0.1). A player whose box touches a chunk of the zone
/// that is not loaded is held: it turns its head and stays. One that is buried in rock is put on
/// the nearest free spot, or raised until there is one. Values out of range are clamped; the
/// position must be finite. Cost: a few microseconds.
void step_player(PlayerState& state, const PlayerControls& controls, const MotionConfig& config,
                 MotionWorld& world, float dt);

/// The player is farther than 1 m beyond a side border or 8 m below the floor, or nowhere at all
/// (not finite): step_player would put it back at the border, the caller may know a better place.
bool is_out_of_zone(const PlayerState& state, const GridBounds& bounds);

Vec3 eye_position(const PlayerState& state, const MotionConfig& config);
/// Unit vector of sight; own sine and cosine (math/trig.h).
Vec3 look_direction(std::uint16_t yaw, std::int16_t pitch);
/// The capsule's box.
Aabb player_box(const Vec3& position, const MotionConfig& config);

}  // namespace terrane
