#include "client-stub/viewer/hud_input.h"

namespace terrane {

namespace {

bool is_digit(Key key) {
    return key >= Key::digit_1 && key <= Key::digit_9;
}

}  // namespace

bool HudInput::receive(const Event& event) {
    if (event.kind != EventKind::key_pressed) {
        return false;
    }
    if (event.key == Key::f3) {
        has_figures_ = !has_figures_;
        return true;
    }
    if (event.key == Key::f4) {
        views_ = view_after(views_);
        return true;
    }
    if (is_digit(event.key)) {
        chosen_ = static_cast<std::size_t>(event.key) - static_cast<std::size_t>(Key::digit_1);
        return true;
    }
    return false;
}

}  // namespace terrane
