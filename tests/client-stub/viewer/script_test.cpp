#include "client-stub/viewer/script.h"

#include <doctest/doctest.h>

#include <string>

using namespace terrane;

namespace {

std::string error_of(std::string_view text) {
    const auto script = parse_script("walk.txt", text);
    REQUIRE_FALSE(script.has_value());
    return script.error().message;
}

}  // namespace

TEST_CASE("script: every action is read, with comments, blank lines and foreign line ends") {
    const auto script = parse_script("walk.txt",
                                     "# a walk\n"
                                     "\n"
                                     "0 look 90 -20.5\r\n"
                                     "0.5 move forward 2.0   # to the lake\n"
                                     "1 run left 0.25\n"
                                     "2.5\tdig\n"
                                     "2.5 dig 1.5\n"
                                     "3 place sand\n"
                                     "3 place 4 2\n"
                                     "4 wait 1\n"
                                     "4.5 screenshot out.png");
    REQUIRE_MESSAGE(script.has_value(), (script ? "" : script.error().message));
    const auto& actions = script->actions;
    REQUIRE(actions.size() == 9);
    CHECK(actions[0].verb == ScriptVerb::look);
    CHECK(actions[0].yaw_deg == 90.0F);
    CHECK(actions[0].pitch_deg == -20.5F);
    CHECK(actions[1].verb == ScriptVerb::move);
    CHECK(actions[1].direction == ScriptDirection::forward);
    CHECK(actions[1].seconds == 2.0);
    CHECK_FALSE(actions[1].is_running);
    CHECK(actions[2].is_running);
    CHECK(actions[2].direction == ScriptDirection::left);
    CHECK(actions[3].verb == ScriptVerb::dig);
    CHECK(actions[3].radius == 0.0F);
    CHECK(actions[4].radius == 1.5F);
    CHECK(actions[5].text == "sand");
    CHECK(actions[6].text == "4");
    CHECK(actions[6].radius == 2.0F);
    CHECK(actions[7].verb == ScriptVerb::wait);
    CHECK(actions[8].text == "out.png");
    CHECK(script->end_s == 5.0);
    CHECK(actions[0].line == 3);
    CHECK(actions[8].line == 11);
}

TEST_CASE("script: use and say") {
    const auto script = parse_script("x", "0 use\n1 say  hello   there 3 # aside\n");
    REQUIRE(script.has_value());
    REQUIRE(script->actions.size() == 2);
    CHECK(script->actions[0].verb == ScriptVerb::use);
    CHECK(script->actions[1].verb == ScriptVerb::say);
    CHECK(script->actions[1].text == "hello there 3");
    CHECK(error_of("1 say") == "walk.txt:1: what to say is missing");
    CHECK(error_of("1 use it") == "walk.txt:1: 'it' is one word too many");
}

TEST_CASE("script: an empty one is over at once") {
    const auto script = parse_script("walk.txt", " \n# nothing\n");
    REQUIRE(script.has_value());
    ScriptPlayer player(*script);
    CHECK(player.is_over(0.0));
}

TEST_CASE("script: what is wrong is said with file, line and what would be right") {
    CHECK(error_of("0 look 1 2\nx look 1 2") ==
          "walk.txt:2: 'x' is no number: a time in seconds was expected");
    CHECK(error_of("1") == "walk.txt:1: an action is missing");
    CHECK(error_of("1 fly up 3") ==
          "walk.txt:1: unknown action 'fly': move, run, look, dig, place, use, say, wait or "
          "screenshot");
    CHECK(error_of("1 move north 3") ==
          "walk.txt:1: unknown direction 'north': forward, back, left, right, up or down");
    CHECK(error_of("1 move up") == "walk.txt:1: how many seconds is missing");
    CHECK(error_of("1 move up -1") == "walk.txt:1: how many seconds is -1: it must be 0 to 86400");
    CHECK(error_of("1 look 0 91") == "walk.txt:1: pitch in degrees is 91: it must be -90 to 90");
    CHECK(error_of("1 dig 5") == "walk.txt:1: radius in voxels is 5: it must be 0.5 to 4");
    CHECK(error_of("1 dig 2 3") == "walk.txt:1: '3' is one word too many");
    CHECK(error_of("1 place") == "walk.txt:1: a material is missing");
    CHECK(error_of("2 wait 1\n1 wait 1") == "walk.txt:2: time 1 is before 2, the line above's");
    CHECK(error_of("nan wait 1") ==
          "walk.txt:1: 'nan' is no number: a time in seconds was expected");
    CHECK(error_of("1e999 wait 1").find("is no number") != std::string::npos);
    CHECK_FALSE(read_script("/nonexistent/walk.txt").has_value());
    CHECK_FALSE(read_script("/").has_value());
    const auto endless = read_script("/dev/urandom");
    REQUIRE_FALSE(endless.has_value());
    CHECK(endless.error().message == "/dev/urandom: a script may be 1048576 bytes long at most");
}

TEST_CASE("script: actions are given out once, in order; moves go on for their time") {
    auto script =
        parse_script("walk.txt", "0 look 1 1\n1 move forward 2\n2 move left 0.5\n2 dig\n4 wait 1");
    REQUIRE(script.has_value());
    ScriptPlayer player(std::move(*script));
    CHECK(player.take_due(0.0).size() == 1);
    CHECK(player.take_due(0.9).empty());
    CHECK(player.moves_at(0.9).empty());
    CHECK(player.moves_at(1.0).size() == 1);
    CHECK(player.moves_at(2.2).size() == 2);
    CHECK(player.moves_at(3.0).empty());
    const auto due = player.take_due(3.0);
    REQUIRE(due.size() == 3);
    CHECK(due[2].verb == ScriptVerb::dig);
    CHECK_FALSE(player.is_over(6.0));  // the wait has not begun
    CHECK(player.take_due(4.0).size() == 1);
    CHECK_FALSE(player.is_over(4.5));
    CHECK(player.is_over(5.0));
}
