// One number for the whole world, by XXH3-64 over chunks (ascending), players and bodies (by id),
// bits as they are. Equal for equal histories, whatever the number of threads: what determinism
// tests compare.
#pragma once

#include <cstdint>

#include "server/world/world.h"

namespace terrane {

/// Cost: reads every voxel. `bodies_only` leaves the chunks out, for a hash each tick.
std::uint64_t hash_state(const World& world, bool bodies_only = false);

}  // namespace terrane
