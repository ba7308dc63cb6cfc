// One versioned format for a chunk on disk and on the wire, so that a stored blob is sent as it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/core/result.h"
#include "shared/voxel/chunk.h"

namespace terrane {

inline constexpr std::uint8_t kChunkFormatVersion = 1;
/// Raw planes and header: the codec's bound.
inline constexpr std::size_t kChunkBlobBytesMax = std::size_t{72} * 1024;

/// The revision is part of the blob. Thread: any (keeps a compressor a thread).
std::vector<std::uint8_t> encode_chunk(const Chunk& chunk);
/// Any bytes are safe input. Fails on another version, wrong length, checksum or values (air with
/// occupancy, material >= material_count); never allocates more than a chunk and, once
/// a thread, a fixed scratch.
Result<Chunk> decode_chunk(std::span<const std::uint8_t> blob, std::size_t material_count);

}  // namespace terrane
