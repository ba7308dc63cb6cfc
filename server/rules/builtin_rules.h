// The rules that every zone has: newcomers and returning players are greeted, comings and goings
// are announced, who falls out of the world comes back at the spawn place, and the sun moves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/rules/rules.h"
#include "server/rules/rules_config.h"

namespace terrane {

/// In the order in which they run.
std::vector<std::unique_ptr<Rules>> make_builtin_rules(const RulesConfig& config);

/// Says welcome_line to who joins, and to the others who came and went.
class WelcomeRule final : public Rules {
  public:
    explicit WelcomeRule(std::string line) : line_(std::move(line)) {}
    void on_step(const StepResult& result, CommandSink& sink) override;

  private:
    std::string line_;
};

/// Tells who found no seat, or no room to leave one.
class SeatRule final : public Rules {
  public:
    void on_step(const StepResult& result, CommandSink& sink) override;
};

/// Who is out of the zone comes back at the spawn place, and is told why.
class RespawnRule final : public Rules {
  public:
    void on_step(const StepResult& result, CommandSink& sink) override;
};

/// Sets the time of day at the first tick it sees, by the tick's number: after a restart the day
/// goes on where it was.
class DaytimeRule final : public Rules {
  public:
    explicit DaytimeRule(const RulesConfig& config) : config_(config) {}
    void on_step(const StepResult& result, CommandSink& sink) override;

  private:
    RulesConfig config_;
    bool is_set_ = false;
};

}  // namespace terrane
