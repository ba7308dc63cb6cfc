// Where a chunk comes from: the store if it was ever changed, else the generator.
#pragma once

#include "server/app/zone_config.h"
#include "server/store/store.h"
#include "server/world/chunk_residency.h"

namespace terrane {

/// `store` may be null (nothing is kept) and must outlive the source. A chunk whose row is damaged
/// is grown anew, and the store keeps the row aside; one that cannot be read is grown too, but then
/// the store has failed: the zone stops, and nothing is written over it. Thread of the source: any.
ChunkSource make_chunk_source(const ZoneConfig& config, Store* store);

/// Everything that decides what a stored chunk means and what grows around it.
StoreVersions to_store_versions(const ZoneConfig& config);

}  // namespace terrane
