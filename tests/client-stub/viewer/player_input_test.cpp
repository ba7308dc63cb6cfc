#include "client-stub/viewer/player_input.h"

#include <doctest/doctest.h>

#include <numbers>

using namespace terrane;

namespace {

Event key_event(EventKind kind, Key key) {
    Event event;
    event.kind = kind;
    event.key = key;
    return event;
}

Event pointer(float x, float y) {
    Event event;
    event.kind = EventKind::pointer_moved;
    event.x = x;
    event.y = y;
    return event;
}

}  // namespace

TEST_CASE("C6 player_input: keys become controls, opposite keys cancel, other keys pass") {
    PlayerInput input;
    CHECK(input.receive(key_event(EventKind::key_pressed, Key::w)));
    CHECK(input.receive(key_event(EventKind::key_pressed, Key::shift)));
    CHECK(input.controls({}).move_forward == 127);
    CHECK(input.controls({}).buttons == kButtonRun);
    CHECK(input.receive(key_event(EventKind::key_pressed, Key::s)));
    CHECK(input.controls({}).move_forward == 0);
    CHECK(input.receive(key_event(EventKind::key_released, Key::w)));
    CHECK(input.controls({}).move_forward == -127);
    CHECK_FALSE(input.receive(key_event(EventKind::key_pressed, Key::escape)));
    CHECK_FALSE(input.receive(key_event(EventKind::key_pressed, Key::digit_3)));
}

TEST_CASE("player_input: E uses, and so does who asks for it") {
    PlayerInput input;
    CHECK(input.receive(key_event(EventKind::key_pressed, Key::e)));
    CHECK(input.controls({}).buttons == kButtonUse);
    CHECK(input.receive(key_event(EventKind::key_released, Key::e)));
    CHECK(input.controls({}).buttons == 0);
    input.ask_use(true);
    CHECK(input.controls({}).buttons == kButtonUse);
    input.ask_use(false);
    CHECK(input.controls({}).buttons == 0);
}

TEST_CASE("C6 player_input: losing the window's focus lets every key go") {
    PlayerInput input;
    input.receive(key_event(EventKind::key_pressed, Key::d));
    input.receive(key_event(EventKind::key_pressed, Key::space));
    CHECK_FALSE(input.receive(key_event(EventKind::focus_lost, Key::other)));
    CHECK(input.controls({}) == PlayerControls{});
}

TEST_CASE("C6 player_input: the pointer turns the view only while it is grabbed") {
    PlayerInput input;
    CHECK_FALSE(input.receive(pointer(100, 0)));
    CHECK(input.yaw() == 0.0F);
    input.set_grabbed(true);
    CHECK(input.receive(pointer(100, 50)));
    CHECK(input.yaw() < 0.0F);    // to the right
    CHECK(input.pitch() < 0.0F);  // down
    for (int i = 0; i < 100; ++i) {
        input.receive(pointer(0, -500));
    }
    CHECK(input.pitch() < 0.5F * std::numbers::pi_v<float>);
}

TEST_CASE("C6 player_input: angles reach the controls in 65536 steps a turn, wrapped") {
    PlayerInput input;
    input.look_at(0.5F * std::numbers::pi_v<float>, 0.25F * std::numbers::pi_v<float>);
    CHECK(input.controls({}).yaw == 16384);
    CHECK(input.controls({}).pitch == 8192);
    input.look_at(-0.5F * std::numbers::pi_v<float>, 0.0F);
    CHECK(input.controls({}).yaw == 49152);
    input.look_at(4.5F * std::numbers::pi_v<float>, 0.0F);
    CHECK(input.controls({}).yaw == 16384);
}

TEST_CASE("player_input: a script's moves act like keys") {
    PlayerInput input;
    ScriptAction forward;
    forward.verb = ScriptVerb::move;
    ScriptAction up = forward;
    up.direction = ScriptDirection::up;
    up.is_running = true;
    const ScriptAction moves[] = {forward, up};
    const PlayerControls controls = input.controls(moves);
    CHECK(controls.move_forward == 127);
    CHECK(controls.buttons == (kButtonJump | kButtonRun));
}
