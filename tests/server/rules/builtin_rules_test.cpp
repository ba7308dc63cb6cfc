#include "server/rules/builtin_rules.h"

#include <doctest/doctest.h>

namespace terrane {
namespace {

std::vector<Command> run(Rules& rules, const StepResult& result) {
    std::vector<Command> commands;
    CommandSink sink(commands);
    rules.on_step(result, sink);
    return commands;
}

StepResult at_tick(std::uint64_t tick) {
    StepResult result;
    result.tick = tick;
    return result;
}

}  // namespace

TEST_CASE("rules: who joins is greeted by name, the others hear of it, and of who leaves") {
    WelcomeRule rule("Hello {name}, dig in, {name}!");
    StepResult result = at_tick(5);
    result.joined = {{7, "Ada", true}, {8, "Bob", false}};
    Player gone;
    gone.id = 9;
    gone.name = "Cy";
    result.left = {gone};
    const std::vector<Command> commands = run(rule, result);
    REQUIRE(commands.size() == 5);
    const auto line = [&](std::size_t i) { return std::get<SayCommand>(commands[i]); };
    CHECK(line(0).to == 0);
    CHECK(line(0).text == "Cy left");
    CHECK(line(1).text == "Ada joined");
    CHECK(line(2).to == 7);
    CHECK(line(2).text == "Hello Ada, dig in, Ada!");
    CHECK(line(3).text == "Bob joined");
    CHECK(line(4).to == 8);
    CHECK(run(rule, at_tick(6)).empty());
}

TEST_CASE("rules: without a welcome line comings are announced all the same") {
    WelcomeRule rule("");
    StepResult result = at_tick(5);
    result.joined = {{7, "Ada", true}};
    CHECK(run(rule, result).size() == 1);
}

TEST_CASE("rules: who finds no seat is told") {
    SeatRule rule;
    StepResult result = at_tick(5);
    result.seats_missed = {3};
    result.stuck_in_seat = {4};
    const std::vector<Command> commands = run(rule, result);
    REQUIRE(commands.size() == 2);
    CHECK(std::get<SayCommand>(commands[1]).to == 4);
    CHECK(std::get<SayCommand>(commands[0]).to == 3);
}

TEST_CASE("rules: who fell out of the world comes back and is told") {
    RespawnRule rule;
    StepResult result = at_tick(5);
    result.out_of_zone = {3, 4};
    const std::vector<Command> commands = run(rule, result);
    REQUIRE(commands.size() == 4);
    CHECK(std::get<RespawnCommand>(commands[0]).player == 3);
    CHECK(std::get<SayCommand>(commands[1]).to == 3);
    CHECK(std::get<RespawnCommand>(commands[2]).player == 4);
}

TEST_CASE("rules: the day starts once, and goes on by the tick after a restart") {
    RulesConfig config;
    config.tick_rate_hz = 20;
    config.day_length_s = 100.0F;
    config.start_of_day = 0.5F;
    DaytimeRule fresh(config);
    const std::vector<Command> first = run(fresh, at_tick(0));
    REQUIRE(first.size() == 1);
    CHECK(std::get<SkyCommand>(first[0]).day_fraction == doctest::Approx(0.5005F));
    CHECK(std::get<SkyCommand>(first[0]).day_length_s == 100.0F);
    CHECK(run(fresh, at_tick(1)).empty());
    DaytimeRule restarted(config);
    const std::vector<Command> later = run(restarted, at_tick(2000 + 1499));  // 1.75 days
    CHECK(std::get<SkyCommand>(later[0]).day_fraction == doctest::Approx(0.25F));
}

}  // namespace terrane
