// The viewer's own events. What the operating system says becomes an Event in one place
// (window.cpp; a test or a script makes its own) and goes in turn to the receivers: chat, camera,
// HUD, application. A receiver that consumes an event ends its way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace terrane {

enum class EventKind : std::uint8_t {
    key_pressed,
    key_released,
    button_pressed,
    button_released,
    pointer_moved,  ///< x, y: by how many pixels, y down
    resized,        ///< x, y: the new size in pixels
    focus_lost,
    close_asked,
    text_typed  ///< `character` alone: what the keys mean on this keyboard
};

/// The keys that mean something here, by their place on a QWERTY board. The digits follow one
/// another.
enum class Key : std::uint8_t {
    other,
    w,
    a,
    s,
    d,
    space,
    shift,
    control,
    escape,
    f3,
    f4,
    e,
    t,
    enter,
    backspace,
    digit_1,
    digit_2,
    digit_3,
    digit_4,
    digit_5,
    digit_6,
    digit_7,
    digit_8,
    digit_9
};
inline constexpr std::size_t kKeyCount = 24;

enum class PointerButton : std::uint8_t { left, right, other };

struct Event {
    EventKind kind = EventKind::key_pressed;
    Key key = Key::other;
    PointerButton button = PointerButton::other;
    float x = 0.0F;
    float y = 0.0F;
    char32_t character = 0;
};

class EventReceiver {
  public:
    virtual ~EventReceiver() = default;

    /// True if this receiver consumes the event.
    virtual bool receive(const Event& event) = 0;
};

/// Gives each event to the receivers in their order, until one consumes it.
void dispatch(std::span<const Event> events, std::span<EventReceiver* const> receivers);

}  // namespace terrane
