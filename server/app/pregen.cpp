#include "server/app/pregen.h"

#include <algorithm>
#include <utility>

#include "shared/core/log.h"

namespace terrane {
namespace {

/// At a time: workers serve players between them.
constexpr std::size_t kInFlightMax = 8;

}  // namespace

Pregen::Pregen(WorkerPool& workers, ChunkSource source, const GridBounds& bounds)
    : workers_(&workers),
      source_(std::move(source)),
      bounds_(bounds),
      finished_(std::make_shared<Finished>()) {}

std::size_t Pregen::want(const ChunkColumns& columns) {
    Area area;
    area.min = {std::max(columns.min_x, bounds_.min.x), bounds_.min.y,
                std::max(columns.min_z, bounds_.min.z)};
    area.max = {std::min(columns.max_x, bounds_.max.x - 1), bounds_.max.y - 1,
                std::min(columns.max_z, bounds_.max.z - 1)};
    if (is_full() || area.min.x > area.max.x || area.min.z > area.max.z) {
        return 0;
    }
    area.next = area.min;
    areas_.push_back(area);
    const ChunkCoord size = area.max - area.min + ChunkCoord{1, 1, 1};
    const std::size_t count = static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y) *
                              static_cast<std::size_t>(size.z);
    queued_ += count;
    return count;
}

/// Column by column, so that what has grown is of use.
ChunkCoord Pregen::take_next() {
    Area& area = areas_.front();
    const ChunkCoord taken = area.next;
    --queued_;
    if (++area.next.y > area.max.y) {
        area.next.y = area.min.y;
        if (++area.next.x > area.max.x) {
            area.next.x = area.min.x;
            if (++area.next.z > area.max.z) {
                areas_.pop_front();
            }
        }
    }
    return taken;
}

std::vector<StoredChunk> Pregen::run(bool is_store_busy) {
    std::vector<StoredChunk> grown;
    if (waiting() == 0) {
        return grown;
    }
    {
        const std::lock_guard lock(finished_->mutex);
        grown.swap(finished_->chunks);
    }
    in_flight_ -= grown.size();
    while (!is_store_busy && queued_ > 0 && in_flight_ < kInFlightMax) {
        const ChunkCoord coord = take_next();
        ++in_flight_;
        workers_->post([source = source_, finished = finished_, coord] {
            std::optional<FetchedChunk> fetched = source(coord, true);
            const std::lock_guard lock(finished->mutex);
            finished->chunks.push_back({coord, std::move(fetched->archived.blob)});
        });
    }
    if (waiting() == 0) {
        log_info("pregen: everything asked for has grown; it is stored with the next save");
    }
    return grown;
}

}  // namespace terrane
