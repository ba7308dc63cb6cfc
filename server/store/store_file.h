// zone.db: how it is made, and every check before anything is read from it. Inside the store's
// room.
//
// A new file is built aside and renamed, so zone.db never exists empty or half made: an empty or
// cut one is damage, which is refused and left as it is, never overwritten.
//
//   meta(id = 1, length, hash, record)            row_codec.h StoreMeta
//   chunks(key, length, hash, blob)               key: Morton order of the coordinate
//   chunk_props(key, length, hash, record)        which props are gone, if any are; same key
//   players(name, length, hash, record)
//   bodies(id, length, hash, record)
//   damaged_chunks(x, y, z, tick, length, hash, blob)   rows of chunks that could not be used, as
//                                                       they were, and the tick that replaced them
//
// A file of an older schema gets what it lacks at its first opening, after every other check, in
// one transaction: version 2 has no chunk_props.
#pragma once

#include <string>

#include "server/store/database.h"
#include "server/store/row_codec.h"
#include "shared/core/result.h"

namespace terrane {

inline constexpr std::int64_t kStoreApplicationId = 0x5452524e;  // "TRRN"
inline constexpr std::int64_t kStoreSchemaVersion = 3;
/// The oldest that is brought up to date.
inline constexpr std::int64_t kStoreSchemaOldest = 2;

struct StoreFile {
    Database writer;
    StoreMeta meta;  ///< of this start: start_count counts it
};

/// Opens `folder`/zone.db for writing, making it if there is none. The folder's lock must be held.
/// The line of failure names the file and what to do.
Result<StoreFile> open_store_file(const std::string& folder, const StoreVersions& versions);

}  // namespace terrane
