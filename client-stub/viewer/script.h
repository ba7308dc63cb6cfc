// A script: what a viewer does and when, one action a line, so that a walk, a dig or a series of
// pictures can be repeated by a machine. Seconds count from the moment the view is complete, in
// ticks of the zone. Times may not go back; '#' starts a comment.
//
//   TIME move DIRECTION SECONDS   forward back left right up down; up jumps and swims
//   TIME run DIRECTION SECONDS    the same, faster
//   TIME look YAW PITCH           degrees; yaw 0 looks along -Z and grows to the left
//   TIME dig [RADIUS]             the voxel that the eye aims at, or a ball of RADIUS voxels there
//   TIME place MATERIAL [RADIUS]  against it; a material's name, or 1-9 as the window's keys
//   TIME use                      presses the use button: takes a seat, or leaves it
//   TIME say TEXT                 a line of chat, to the end of the line
//   TIME wait SECONDS             keeps the script going until then
//   TIME screenshot FILE.png
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shared/core/result.h"

namespace terrane {

enum class ScriptVerb : std::uint8_t { move, look, dig, place, wait, screenshot, use, say };
enum class ScriptDirection : std::uint8_t { forward, back, left, right, up, down };

struct ScriptAction {
    double at_s = 0.0;
    std::size_t line = 0;  ///< of the file, from 1
    ScriptVerb verb = ScriptVerb::wait;
    ScriptDirection direction = ScriptDirection::forward;
    bool is_running = false;
    double seconds = 0.0;  ///< move, wait
    float yaw_deg = 0.0F;
    float pitch_deg = 0.0F;
    float radius = 0.0F;  ///< voxels; 0 = the one voxel
    std::string text;     ///< material, file or line of chat
};

struct Script {
    std::vector<ScriptAction> actions;  ///< by time
    double end_s = 0.0;                 ///< when the last action is over
};

inline constexpr std::size_t kScriptBytesMax = 1U << 20;

/// `name` begins every error: "walk.txt:3: ...".
Result<Script> parse_script(std::string_view name, std::string_view text);
Result<Script> read_script(const std::string& path);

/// Plays a script: what is due now, and which moves are going on.
class ScriptPlayer {
  public:
    explicit ScriptPlayer(Script script) : script_(std::move(script)) {}

    /// Actions that begin at or before `now_s` and have not been given out yet, in order.
    std::vector<ScriptAction> take_due(double now_s);
    /// Moves that go on at `now_s`.
    std::vector<ScriptAction> moves_at(double now_s) const;
    const Script& script() const { return script_; }
    bool is_over(double now_s) const {
        return next_ == script_.actions.size() && now_s >= script_.end_s;
    }

  private:
    Script script_;
    std::size_t next_ = 0;
};

}  // namespace terrane
