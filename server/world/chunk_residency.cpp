#include "server/world/chunk_residency.h"

#include <algorithm>
#include <utility>

#include "server/world/view_offsets.h"

namespace terrane {

ChunkResidency::ChunkResidency(WorkerPool& workers, ChunkSource source, std::uint32_t in_flight_max)
    : workers_(&workers),
      source_(std::move(source)),
      in_flight_max_(in_flight_max),
      finished_(std::make_shared<Finished>()) {}

void ChunkResidency::want_view(const World& world, const Player& player, std::uint32_t radius) {
    View& view = views_[player.id];
    const ChunkCoord centre = chunk_of(voxel_at(player.state.position));
    if (!(view.centre == centre) || view.radius != radius) {
        view = {centre, radius, 0};
    }
    const std::span<const ChunkCoord> offsets = view_offsets(radius);
    while (view.next < offsets.size() && can_ask()) {
        want_chunk(world, centre + offsets[view.next]);
        ++view.next;
    }
}

void ChunkResidency::forget_player(EntityId player) {
    views_.erase(player);
}

void ChunkResidency::want_chunk(const World& world, const ChunkCoord& coord) {
    if (contains(world.grid.bounds(), coord) && !world.grid.is_loaded(coord) &&
        !requested_.contains(coord)) {
        ask(coord);
    }
}

void ChunkResidency::ask(const ChunkCoord& coord) {
    requested_.insert(coord);
    workers_->post([source = source_, finished = finished_, coord] {
        FetchedChunk fetched = source(coord);
        const std::lock_guard lock(finished->mutex);
        finished->chunks.push_back(std::move(fetched));
    });
}

std::vector<FetchedChunk> ChunkResidency::take_finished() {
    std::vector<FetchedChunk> taken;
    {
        const std::lock_guard lock(finished_->mutex);
        taken.swap(finished_->chunks);
    }
    std::sort(taken.begin(), taken.end(),
              [](const FetchedChunk& a, const FetchedChunk& b) { return a.coord < b.coord; });
    for (const FetchedChunk& chunk : taken) {
        requested_.erase(chunk.coord);
    }
    return taken;
}

}  // namespace terrane
