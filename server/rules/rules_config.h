// What the rules of builtin_rules.h are told.
#pragma once

#include <cstdint>
#include <string>

namespace terrane {

struct RulesConfig {
    std::uint32_t tick_rate_hz = 20;
    /// For each player who joins; empty: none. {name} stands for the player's name.
    std::string welcome_line = "Welcome, {name}.";
    float day_length_s = 1200.0F;  ///< 0: the sun stands still
    float start_of_day = 0.35F;    ///< time of day at tick 0; 0 midnight, 0.5 noon
};

}  // namespace terrane
