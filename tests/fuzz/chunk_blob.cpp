#include "shared/core/assert.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/fuzz/fuzz_targets.h"

namespace terrane {

bool fuzz_chunk_blob(std::span<const std::uint8_t> blob) {
    constexpr std::size_t kMaterials = 8;
    const auto chunk = decode_chunk(blob, kMaterials);
    if (!chunk) {
        TERRANE_ASSERT(!chunk.error().message.empty());
        return false;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(kChunkVoxelCount); ++i) {
        const Voxel voxel = chunk->voxel(i);
        TERRANE_ASSERT(voxel.material < kMaterials);
        TERRANE_ASSERT((voxel.material == kAir) == (voxel.occupancy == 0));
    }
    const auto again = decode_chunk(encode_chunk(*chunk), kMaterials);
    TERRANE_ASSERT(again && hash_chunk(*again) == hash_chunk(*chunk));
    return true;
}

}  // namespace terrane
