// Where a game's own rules go: what happened in a tick comes in, commands for the next tick go out.
// Rules read results, never the world, and change nothing but by commands; so they cannot reach
// into a step, and a log of commands replays a zone without them.
//
//   step_world(commands) -> StepResult -> Rules::on_step -> commands of the next tick
//
// To write your own: derive from Rules, react to StepResult, and add it to the list that
// make_builtin_rules (builtin_rules.cpp) returns. What is built in is written the same way.
#pragma once

#include <utility>
#include <vector>

#include "server/world/step_world.h"

namespace terrane {

/// Takes commands for the next tick, in order.
class CommandSink {
  public:
    explicit CommandSink(std::vector<Command>& commands) : commands_(&commands) {}
    void push(Command command) { commands_->push_back(std::move(command)); }

  private:
    std::vector<Command>* commands_;
};

/// Owner: Zone. Thread: tick.
class Rules {
  public:
    virtual ~Rules() = default;
    /// Once a tick, after the step. `result` is valid during the call only.
    virtual void on_step(const StepResult& result, CommandSink& sink) = 0;
};

}  // namespace terrane
