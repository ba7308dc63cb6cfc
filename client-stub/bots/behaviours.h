// What a bot does in one client tick, judged from nothing but its own replica, as a player judges
// from the picture.
//
//   idle    stands and sends inputs
//   walk    wanders between random points near where it came in, jumps when it is stuck
//   dig     stands and digs what it can see in reach; moves on when there is nothing left
//   build   stands and places blocks against what it can see in reach
//   mixed   wanders, digs and builds
//   explore runs straight out, far, then back, and out again elsewhere; round what it cannot climb
//
// A target is what a ray from the eye meets first, then tried again towards the middle of the face
// it came through, so that the zone's own test of reach and sight agrees with it nearly always.
// Where the bot stands there is left to stand on, and nobody is walled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "client-stub/session/replica.h"
#include "shared/core/random.h"
#include "shared/core/result.h"
#include "shared/motion/player_motion.h"
#include "shared/voxel/brush.h"

namespace terrane {

enum class BehaviourKind : std::uint8_t { idle, walk, dig, build, mixed, explore };

/// The error names the behaviours that there are.
Result<BehaviourKind> parse_behaviour(std::string_view name);

struct BehaviourConfig {
    BehaviourKind kind = BehaviourKind::mixed;
    float edits_per_s = 1.0F;
    float wander_radius_m = 12.0F;
    float explore_radius_m = 400.0F;  ///< as far as the zone goes
};

/// What an input will carry.
struct Intent {
    PlayerControls controls;
    std::vector<Brush> edits;
};

/// Distance kept to the zone's reach: a walking bot has moved on before its edit is judged.
inline constexpr float kReachMarginM = 1.0F;

/// Something solid to dig, or nothing in sight after a few looks. The brush's centre lies in a
/// voxel that is the first on the line from the eye.
std::optional<Brush> choose_dig(const Replica& replica, Random& random);
/// A block against something in sight, of a material that players may place, in no one's way.
std::optional<Brush> choose_place(const Replica& replica, Random& random);
/// Controls' angle that faces (dx, dz).
std::uint16_t yaw_towards(float dx, float dz);

class Behaviour {
  public:
    Behaviour(const BehaviourConfig& config, std::uint64_t seed);

    /// One client tick. `can_edit`: false while the swarm lets the zone come to rest.
    Intent think(const Replica& replica, bool can_edit);

  private:
    void steer(const Replica& replica, PlayerControls& controls);
    void choose_waypoint(const Replica& replica);
    void choose_explorer_waypoint(const Replica& replica);
    void turn_away(const Replica& replica);
    void edit(const Replica& replica, Intent& intent);
    std::optional<Brush> choose_edit(const Replica& replica);

    BehaviourConfig config_;
    Random random_;
    std::optional<Vec3> home_;
    Vec3 waypoint_{0.0F};
    Vec3 farther_waypoint_{0.0F};  ///< of an explorer on a way round something
    bool is_detour_ = false;
    bool is_outward_ = false;
    Vec3 checkpoint_{0.0F};  ///< where it was at the last look for progress
    int ticks_to_look_ = 0;  ///< until the next look for progress
    int looks_without_progress_ = 0;
    int ticks_to_wander_ = 0;  ///< of a standing behaviour that found nothing to do
    float edits_due_ = 0.0F;
    std::uint16_t yaw_ = 0;
};

}  // namespace terrane
