#include <algorithm>

#include "shared/core/assert.h"
#include "shared/voxel/voxel_piece.h"
#include "tests/fuzz/fuzz_targets.h"

namespace terrane {

bool fuzz_piece(std::span<const std::uint8_t> bytes) {
    constexpr PieceLimits kLimits{1024, 8};
    const auto piece = decode_piece(bytes, kLimits);
    if (!piece) {
        TERRANE_ASSERT(!piece.error().message.empty());
        return false;
    }
    TERRANE_ASSERT(is_valid(*piece, kLimits.material_count));
    TERRANE_ASSERT(solid_count(*piece) <= kLimits.voxels_max);
    TERRANE_ASSERT(std::ranges::equal(encode_piece(*piece), bytes));
    return true;
}

}  // namespace terrane
