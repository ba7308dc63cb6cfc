// The bricks that are all alike: not kept, but pointed to, and known by their address. Private to
// the room: what keeps the masks and what derives them.
#pragma once

#include <algorithm>

#include "shared/terrain/terrain_masks.h"

namespace terrane {

inline constexpr std::uint64_t kAllBits = ~std::uint64_t{0};
inline constexpr std::uint64_t kLowBits = 0x0101010101010101ULL;  ///< the first X of each row

constexpr BrickWords repeat_word(std::uint64_t word) {
    return {word, word, word, word, word, word, word, word};
}
inline constexpr BrickBits kAirBrick{};
inline constexpr BrickBits kSolidBrick{repeat_word(kAllBits), repeat_word(kAllBits), {}};
inline constexpr BrickBits kWaterBrick{{}, {}, repeat_word(kAllBits)};

inline bool is_all(const BrickWords& words, std::uint64_t word) {
    return std::ranges::all_of(words, [word](std::uint64_t w) { return w == word; });
}

}  // namespace terrane
