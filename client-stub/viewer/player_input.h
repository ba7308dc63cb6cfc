// Keys, pointer and script turned into what a player wants: controls for the next tick, and where
// the camera looks. The camera's receiver of events.
#pragma once

#include <array>
#include <span>

#include "client-stub/viewer/events.h"
#include "client-stub/viewer/script.h"
#include "shared/motion/player_motion.h"

namespace terrane {

class PlayerInput final : public EventReceiver {
  public:
    /// Consumes movement keys, and the pointer's movement while it is grabbed.
    bool receive(const Event& event) override;

    void set_grabbed(bool is_grabbed);
    bool is_grabbed() const { return is_grabbed_; }
    /// Radians.
    void look_at(float yaw, float pitch);
    float yaw() const { return yaw_; }
    float pitch() const { return pitch_; }

    /// A press of `use` for as long as it is asked; the key does the same.
    void ask_use(bool is_asked) { is_use_asked_ = is_asked; }

    /// What keys and the script's moves ask for now.
    PlayerControls controls(std::span<const ScriptAction> moves) const;

  private:
    bool is_down(Key key) const { return down_[static_cast<std::size_t>(key)]; }

    std::array<bool, kKeyCount> down_{};
    bool is_grabbed_ = false;
    bool is_use_asked_ = false;
    float yaw_ = 0.0F;
    float pitch_ = 0.0F;
};

}  // namespace terrane
