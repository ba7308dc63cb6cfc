#include "client-stub/viewer/debug_views.h"

#include <doctest/doctest.h>

#include "client-stub/viewer/hud_input.h"

using namespace terrane;

TEST_CASE("debug_views: every name is read, alone and with others, and told again") {
    for (const DebugView view : kDebugViews) {
        const auto parsed = parse_debug_views(name_of(view));
        REQUIRE(parsed.has_value());
        CHECK(*parsed == only(view));
        CHECK(names_of(*parsed) == name_of(view));
        CHECK_FALSE(legend_of(view).empty());
    }
    const auto several = parse_debug_views("water,masks,water");
    REQUIRE(several.has_value());
    CHECK(several->has(DebugView::masks));
    CHECK(several->has(DebugView::water));
    CHECK_FALSE(several->has(DebugView::quads));
    CHECK(names_of(*several) == "masks,water");
    CHECK(names_of({}).empty());
}

TEST_CASE("debug_views: a wrong name is answered with the right ones") {
    for (const char* bad : {"", "mask", "MASKS", "masks,", ",masks", "masks, quads", "all"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_debug_views(bad).has_value());
    }
    CHECK(parse_debug_views("masks,quad").error().message ==
          "'quad' is no debug view: masks, cells, quads, contacts, water, sleep, bvh; several with "
          "commas between");
}

TEST_CASE("debug_views: F4 goes through each alone and ends with none") {
    HudInput hud;
    const Event press{.kind = EventKind::key_pressed, .key = Key::f4};
    CHECK(hud.views().is_empty());
    for (const DebugView view : kDebugViews) {
        CHECK(hud.receive(press));
        CHECK(hud.views() == only(view));
    }
    hud.receive(press);
    CHECK(hud.views().is_empty());
    hud.show(*parse_debug_views("masks,quads"));
    hud.receive(press);
    CHECK(hud.views().is_empty());
}

TEST_CASE("hud_input: F3 turns the figures on and off, digits choose, other keys pass") {
    HudInput hud;
    CHECK(hud.receive({.kind = EventKind::key_pressed, .key = Key::f3}));
    CHECK(hud.has_figures());
    CHECK(hud.receive({.kind = EventKind::key_pressed, .key = Key::f3}));
    CHECK_FALSE(hud.has_figures());
    CHECK(hud.receive({.kind = EventKind::key_pressed, .key = Key::digit_4}));
    CHECK(hud.chosen() == 3);
    CHECK_FALSE(hud.receive({.kind = EventKind::key_pressed, .key = Key::w}));
    CHECK_FALSE(hud.receive({.kind = EventKind::key_released, .key = Key::f4}));
    CHECK(hud.views().is_empty());
}
