// Where a chunk comes from: the store if it was ever changed, else the generator.
#pragma once

#include "server/app/zone_config.h"
#include "server/store/store.h"
#include "server/world/chunk_residency.h"

namespace terrane {

/// `store` may be null (nothing is kept) and must outlive the source. A stored chunk that cannot be
/// read is reported and grown anew. The source may be called on any thread.
ChunkSource make_chunk_source(const ZoneConfig& config, const Store* store);

}  // namespace terrane
