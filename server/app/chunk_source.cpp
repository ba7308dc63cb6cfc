#include "server/app/chunk_source.h"

#include <utility>

#include "shared/core/log.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {

ChunkSource make_chunk_source(const ZoneConfig& config, const Store* store) {
    return [generator = config.generator, bounds = config.bounds,
            material_count = config.materials.size(), store](const ChunkCoord& coord) {
        FetchedChunk fetched;
        fetched.coord = coord;
        if (store != nullptr) {
            if (auto blob = store->load_chunk(coord)) {
                if (auto chunk = decode_chunk(*blob, material_count)) {
                    fetched.chunk = std::move(*chunk);
                    fetched.blob = std::move(*blob);
                    return fetched;
                } else {
                    log_error("stored chunk ({}, {}, {}) is grown anew, its edits are lost: {}",
                              coord.x, coord.y, coord.z, chunk.error().message);
                }
            }
        }
        fetched.chunk = generate_chunk(generator, bounds, coord);
        fetched.blob = encode_chunk(fetched.chunk);
        return fetched;
    };
}

}  // namespace terrane
