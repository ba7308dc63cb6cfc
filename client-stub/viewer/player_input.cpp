#include "client-stub/viewer/player_input.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace terrane {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kRadiansPerPixel = 0.0024F;
constexpr float kPitchMax = 0.499F * kPi;
constexpr float kUnitsPerTurn = 65536.0F;  // of PlayerControls
constexpr int kFullSpeed = 127;

bool is_movement(Key key) {
    return (key >= Key::w && key <= Key::control) || key == Key::e;
}

}  // namespace

bool PlayerInput::receive(const Event& event) {
    switch (event.kind) {
        case EventKind::key_pressed:
        case EventKind::key_released:
            if (!is_movement(event.key)) {
                return false;
            }
            down_[static_cast<std::size_t>(event.key)] = event.kind == EventKind::key_pressed;
            return true;
        case EventKind::pointer_moved:
            if (!is_grabbed_) {
                return false;
            }
            look_at(yaw_ - event.x * kRadiansPerPixel, pitch_ - event.y * kRadiansPerPixel);
            return true;
        case EventKind::focus_lost:
            down_.fill(false);  // their releases go to another window
            return false;
        default:
            return false;
    }
}

void PlayerInput::set_grabbed(bool is_grabbed) {
    is_grabbed_ = is_grabbed;
}

void PlayerInput::look_at(float yaw, float pitch) {
    yaw_ = std::remainder(yaw, 2.0F * kPi);
    pitch_ = std::clamp(pitch, -kPitchMax, kPitchMax);
}

PlayerControls PlayerInput::controls(std::span<const ScriptAction> moves) const {
    int right = (is_down(Key::d) ? 1 : 0) - (is_down(Key::a) ? 1 : 0);
    int forward = (is_down(Key::w) ? 1 : 0) - (is_down(Key::s) ? 1 : 0);
    bool is_up = is_down(Key::space);
    bool is_running = is_down(Key::shift);
    bool is_sinking = is_down(Key::control);
    const bool is_using = is_down(Key::e) || is_use_asked_;
    for (const ScriptAction& move : moves) {
        is_running |= move.is_running;
        switch (move.direction) {
            case ScriptDirection::forward:
                forward += 1;
                break;
            case ScriptDirection::back:
                forward -= 1;
                break;
            case ScriptDirection::left:
                right -= 1;
                break;
            case ScriptDirection::right:
                right += 1;
                break;
            case ScriptDirection::up:
                is_up = true;
                break;
            case ScriptDirection::down:
                is_sinking = true;
                break;
        }
    }
    PlayerControls controls;
    controls.move_right = static_cast<std::int8_t>(std::clamp(right, -1, 1) * kFullSpeed);
    controls.move_forward = static_cast<std::int8_t>(std::clamp(forward, -1, 1) * kFullSpeed);
    controls.buttons =
        static_cast<std::uint8_t>((is_up ? kButtonJump : 0) | (is_running ? kButtonRun : 0) |
                                  (is_sinking ? kButtonDown : 0) | (is_using ? kButtonUse : 0));
    const auto turns = [](float radians) {
        return std::lround(radians / (2.0F * kPi) * kUnitsPerTurn);
    };
    controls.yaw = static_cast<std::uint16_t>(turns(yaw_) & 0xFFFF);
    controls.pitch = static_cast<std::int16_t>(turns(pitch_));
    return controls;
}

}  // namespace terrane
