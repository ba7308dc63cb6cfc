#include "server/app/chunk_source.h"

#include <utility>

#include <fmt/format.h>

#include "shared/protocol/limits.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {

ChunkSource make_chunk_source(const ZoneConfig& config, Store* store) {
    return [generator = config.generator, bounds = config.bounds,
            material_count = config.materials.size(), store](const ChunkCoord& coord) {
        FetchedChunk fetched;
        fetched.coord = coord;
        if (store != nullptr) {
            if (auto blob = store->load_chunk(coord); blob && *blob) {
                if (auto chunk = decode_chunk(**blob, material_count)) {
                    fetched.chunk = std::move(*chunk);
                    fetched.blob = std::move(**blob);
                    return fetched;
                } else {
                    store->report_damaged_chunk(coord, chunk.error().message);
                }
            }
        }
        fetched.chunk = generate_chunk(generator, bounds, coord);
        fetched.blob = encode_chunk(fetched.chunk);
        return fetched;
    };
}

StoreVersions to_store_versions(const ZoneConfig& config) {
    StoreVersions versions;
    versions.generator = kGeneratorVersion;
    versions.brush = kBrushVersion;
    versions.seed = config.generator.seed;
    const GridBounds& bounds = config.bounds;
    versions.settings = {
        {"zone.size_x_chunks", fmt::format("{}", bounds.max.x - bounds.min.x)},
        {"zone.size_z_chunks", fmt::format("{}", bounds.max.z - bounds.min.z)},
        {"zone.min_y_chunks", fmt::format("{}", bounds.min.y)},
        {"zone.max_y_chunks", fmt::format("{}", bounds.max.y)},
        {"zone.sea_level_m", fmt::format("{}", config.generator.sea_level_m)},
    };
    for (const Material& material : config.materials) {
        versions.materials.push_back(material.name);
    }
    return versions;
}

}  // namespace terrane
