// What edits cut off from the ground, and how many pieces of it a zone keeps (pieces.h).
#pragma once

#include <cstdint>

namespace terrane {

struct DebrisConfig {
    std::uint32_t piece_voxels_max = 512;         ///< what is larger stays; 0: nothing is cut off
    std::uint32_t flood_voxels_per_tick = 65536;  ///< looked at for that; the rest waits
    std::uint32_t bodies_max = 256;
    std::uint32_t bodies_per_chunk_max = 32;
};

}  // namespace terrane
