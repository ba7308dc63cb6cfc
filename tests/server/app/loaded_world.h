// A small world whose chunks come and go by a ChunkLoader, over a store of the test's own.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "server/app/chunk_loader.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/support/small_world.h"

namespace terrane::test {

inline constexpr std::uint32_t kLinger = 4;

inline WorldConfig wide_config() {
    WorldConfig config = small_config();
    config.bounds = {{-12, -1, -12}, {12, 1, 12}};
    return config;
}

/// A world and its loader over a store of the test's own, whose voxels and durable mark lag behind
/// as the test likes.
struct LoadedWorld {
    World world{wide_config()};
    StepResult result;
    WorkerPool workers{0};
    ChunkArchive archive;
    std::map<ChunkCoord, Chunk> stored;  ///< what the source finds
    std::set<ChunkCoord> generated;
    int fetch_count = 0;
    ChunkLoader loader;
    std::vector<Aabb> wishes;
    std::optional<std::uint64_t> durable_tick = 0;
    std::vector<Command> commands;

    explicit LoadedWorld(const ChunkLoaderConfig& config = default_config())
        : loader(
              workers,
              [this](const ChunkCoord& coord, bool may_generate) {
                  return fetch(coord, may_generate);
              },
              archive, config) {}

    static ChunkLoaderConfig default_config() {
        ChunkLoaderConfig config;
        config.bounds = wide_config().bounds;
        config.material_count = 5;
        config.tickets = {.simulated_chunks = 1, .linger_ticks = kLinger};
        return config;
    }
    std::optional<FetchedChunk> fetch(const ChunkCoord& coord, bool may_generate) {
        ++fetch_count;
        FetchedChunk fetched;
        fetched.coord = coord;
        if (const auto found = stored.find(coord); found != stored.end()) {
            fetched.chunk = found->second;
        } else if (may_generate) {
            generated.insert(coord);
            fetched.chunk = flat_chunk(coord);
        } else {
            return std::nullopt;
        }
        fetched.archived = {encode_chunk(fetched.chunk), fetched.chunk.revision,
                            hash_chunk(fetched.chunk)};
        return fetched;
    }
    void tick(bool waits_for_workers = true) {
        if (waits_for_workers) {
            workers.drain();
        }
        commands.clear();
        loader.take_finished(commands);
        step_world(world, commands, result);
    }
    /// The tick's other half, after what the test did to the world.
    void end_tick() { loader.run(world.grid, world.tick, wishes, durable_tick); }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) {
            tick();
            end_tick();
        }
    }
    bool dig(const VoxelCoord& v) {
        if (!world.grid.is_loaded(chunk_of(v))) {
            return false;
        }
        const auto ops = apply_brush(world.grid, voxel_brush(BrushMode::dig, v));
        for (const AppliedOp& op : ops) {
            archive.op_applied(op, world.tick);
        }
        return !ops.empty();
    }
    /// The chunk, from the grid or the archive; nullopt if it is in neither.
    std::optional<Chunk> truth(const ChunkCoord& coord) {
        if (const Chunk* chunk = world.grid.find(coord)) {
            return *chunk;
        }
        if (!archive.has(coord)) {
            return std::nullopt;
        }
        return *decode_chunk(archive.blob(coord).bytes, 5);
    }
};

}  // namespace terrane::test
