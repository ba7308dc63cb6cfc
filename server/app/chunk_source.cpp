#include "server/app/chunk_source.h"

#include <utility>

#include <fmt/format.h>

#include "server/app/kind_files.h"
#include "shared/protocol/limits.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

/// What decides a chunk, without the store.
struct Origin {
    GeneratorConfig generator;
    GridBounds bounds;
    std::size_t material_count = 0;
    std::vector<PropScatterRule> rules;
    std::vector<KeepClear> keep_clear;
    Store* store = nullptr;
};

/// The store's voxels, or nullopt: there are none, or none that can be used.
std::optional<FetchedChunk> load_stored(const Origin& origin, const ChunkCoord& coord,
                                        bool& is_damaged) {
    if (origin.store == nullptr) {
        return std::nullopt;
    }
    auto blob = origin.store->load_chunk(coord);
    is_damaged = !blob;
    if (!blob || !*blob) {
        return std::nullopt;
    }
    auto chunk = decode_chunk(**blob, origin.material_count);
    if (!chunk) {
        is_damaged = true;
        origin.store->report_damaged_chunk(coord, chunk.error().message);
        return std::nullopt;
    }
    FetchedChunk fetched;
    fetched.chunk = std::move(*chunk);
    fetched.archived.blob = std::move(**blob);
    return fetched;
}

void add_props(const Origin& origin, FetchedChunk& fetched) {
    ArchivedChunk& archived = fetched.archived;
    if (origin.store != nullptr) {
        archived.props_removed = origin.store->load_removed_props(fetched.coord);
    }
    archived.props = scatter_props(origin.generator, origin.bounds, fetched.coord, origin.rules,
                                   origin.keep_clear);
    std::erase_if(archived.props, [&](const PropPlacement& prop) {
        return (archived.props_removed >> prop.index & 1U) != 0;
    });
}

std::optional<FetchedChunk> fetch(const Origin& origin, const ChunkCoord& coord,
                                  bool may_generate) {
    bool is_damaged = false;
    std::optional<FetchedChunk> fetched = load_stored(origin, coord, is_damaged);
    if (!fetched) {
        if (!may_generate && !is_damaged) {
            return std::nullopt;
        }
        fetched.emplace();
        fetched->chunk = generate_chunk(origin.generator, origin.bounds, coord);
        fetched->archived.blob = encode_chunk(fetched->chunk);
    }
    fetched->coord = coord;
    fetched->archived.revision = fetched->chunk.revision;
    fetched->archived.hash = hash_chunk(fetched->chunk);
    add_props(origin, *fetched);
    return fetched;
}

}  // namespace

ChunkSource make_chunk_source(const ZoneConfig& config, Store* store) {
    Origin origin{config.generator,
                  config.bounds,
                  config.materials.size(),
                  to_scatter_rules(config.kinds),
                  {{config.spawn.x_m, config.spawn.z_m}},
                  store};
    return [origin = std::move(origin)](const ChunkCoord& coord, bool may_generate) {
        return fetch(origin, coord, may_generate);
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
