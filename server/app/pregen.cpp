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
    const std::size_t before = queue_.size();
    for (std::int32_t z = std::max(columns.min_z, bounds_.min.z);
         z <= std::min(columns.max_z, bounds_.max.z - 1); ++z) {
        for (std::int32_t x = std::max(columns.min_x, bounds_.min.x);
             x <= std::min(columns.max_x, bounds_.max.x - 1); ++x) {
            for (std::int32_t y = bounds_.min.y; y < bounds_.max.y; ++y) {
                queue_.push_back({x, y, z});
            }
        }
    }
    return queue_.size() - before;
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
    while (!is_store_busy && !queue_.empty() && in_flight_ < kInFlightMax) {
        const ChunkCoord coord = queue_.front();
        queue_.pop_front();
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
