// Where a chunk comes from: the store if it was ever changed, else the generator. The props that
// grow with it stand unless the store knows that they are gone.
#pragma once

#include <functional>
#include <optional>

#include "server/app/zone_config.h"
#include "server/replication/chunk_archive.h"
#include "server/store/store.h"

namespace terrane {

/// A chunk as a worker found or made it: the voxels, and what the archive keeps of them.
struct FetchedChunk {
    ChunkCoord coord;
    Chunk chunk;
    ArchivedChunk archived;
};

/// nullopt: the store has no such chunk, and it may not be generated. Thread: any.
using ChunkSource =
    std::function<std::optional<FetchedChunk>(const ChunkCoord& coord, bool may_generate)>;

/// `store` may be null (nothing is kept) and must outlive the source. A chunk whose row is damaged
/// is grown anew, and the store keeps the row aside; one that cannot be read is grown too, but then
/// the store has failed: the zone stops, and nothing is written over it. Nothing grows near the
/// spawn column.
ChunkSource make_chunk_source(const ZoneConfig& config, Store* store);

/// Everything that decides what a stored chunk means and what grows around it.
StoreVersions to_store_versions(const ZoneConfig& config);

}  // namespace terrane
