// Chunks that the many replicas of one process share. A thousand bots in one place receive the same
// blobs and apply the same operations; each distinct result is made once and handed out as a copy
// whose planes are shared (chunk.h: copy on write). A result is given out only for the same input,
// byte for byte, so a replica that went astray stays astray and its hashes say so.
//
//   blob bytes                       -> decoded chunk
//   chunk before, coordinate, op     -> chunk after, changed box (op: a brush's, or runs)
//
// Both tables forget the oldest entry when they are full. A cache serves one zone: the material
// count that a blob was decoded with is not part of the key.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "shared/core/result.h"
#include "shared/voxel/brush.h"
#include "shared/voxel/chunk.h"

namespace terrane {

inline constexpr std::size_t kCachedBlobsMax = 8192;
/// An entry keeps at most one set of planes of its own alive: 64 KiB.
inline constexpr std::size_t kCachedStepsMax = 1024;

/// Thread: one.
class ChunkCache {
  public:
    /// As decode_chunk(); failures are not kept.
    Result<Chunk> decode(std::span<const std::uint8_t> blob, std::size_t material_count);
    /// As apply_op().
    VoxelBox apply(Chunk& chunk, const ChunkCoord& c, const ChunkOp& op);
    /// As apply_runs().
    VoxelBox apply(Chunk& chunk, const ChunkCoord& c, std::span<const VoxelRun> runs);

    std::uint64_t hits() const { return hits_; }
    std::uint64_t misses() const { return misses_; }

  private:
    struct DecodedBlob {
        std::vector<std::uint8_t> blob;
        Chunk chunk;
    };
    struct Step {
        ChunkCoord coord;
        ChunkOp op;
        std::vector<VoxelRun> runs;  ///< not empty: these instead of `op`
        Chunk before;
        Chunk after;
        VoxelBox changed;
    };

    VoxelBox apply_step(Chunk& chunk, Step step, std::uint64_t op_hash);

    std::unordered_map<std::uint64_t, DecodedBlob> blobs_;
    std::deque<std::uint64_t> blob_order_;
    std::unordered_map<std::uint64_t, Step> steps_;
    std::deque<std::uint64_t> step_order_;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
};

}  // namespace terrane
