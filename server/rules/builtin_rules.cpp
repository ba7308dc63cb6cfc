#include "server/rules/builtin_rules.h"

#include <cmath>
#include <string_view>

#include "shared/math/daylight.h"

namespace terrane {
namespace {

std::string with_name(std::string line, const std::string& name) {
    constexpr std::string_view kPlace = "{name}";
    for (std::size_t at = line.find(kPlace); at != std::string::npos;
         at = line.find(kPlace, at + name.size())) {
        line.replace(at, kPlace.size(), name);
    }
    return line;
}

}  // namespace

std::vector<std::unique_ptr<Rules>> make_builtin_rules(const RulesConfig& config) {
    std::vector<std::unique_ptr<Rules>> rules;
    rules.push_back(std::make_unique<DaytimeRule>(config));
    rules.push_back(std::make_unique<RespawnRule>());
    rules.push_back(std::make_unique<SeatRule>());
    rules.push_back(std::make_unique<WelcomeRule>(config.welcome_line));
    return rules;
}

void WelcomeRule::on_step(const StepResult& result, CommandSink& sink) {
    for (const Player& player : result.left) {
        sink.push(SayCommand{0, player.name + " left"});
    }
    for (const JoinedPlayer& player : result.joined) {
        sink.push(SayCommand{0, player.name + " joined"});
        if (!line_.empty()) {
            sink.push(SayCommand{player.id, with_name(line_, player.name)});
        }
    }
}

void SeatRule::on_step(const StepResult& result, CommandSink& sink) {
    for (const EntityId player : result.seats_missed) {
        sink.push(SayCommand{player, "no free seat is near: stand beside a boat"});
    }
    for (const EntityId player : result.stuck_in_seat) {
        sink.push(SayCommand{player, "no room to stand up here"});
    }
}

void RespawnRule::on_step(const StepResult& result, CommandSink& sink) {
    for (const EntityId player : result.out_of_zone) {
        sink.push(RespawnCommand{player});
        sink.push(SayCommand{player, "you fell out of the world"});
    }
}

void DaytimeRule::on_step(const StepResult& result, CommandSink& sink) {
    if (is_set_) {
        return;
    }
    is_set_ = true;
    const Daytime from_start{0, config_.start_of_day, config_.day_length_s};
    // The command runs a tick later.
    const float now =
        day_fraction_at(from_start, static_cast<double>(result.tick + 1), config_.tick_rate_hz);
    sink.push(SkyCommand{now, config_.day_length_s});
}

}  // namespace terrane
