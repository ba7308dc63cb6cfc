#include "server/replication/chunk_view.h"

#include <algorithm>

#include "server/world/view_offsets.h"

namespace terrane {
namespace {

/// How far beyond the first missing chunk to look for loaded ones: loading goes nearest first too,
/// so what is loaded is never far behind.
constexpr std::size_t kLookAhead = 256;

}  // namespace

std::vector<ChunkCoord> ChunkView::move_to(const ChunkCoord& centre) {
    std::vector<ChunkCoord> forgotten;
    if (has_centre_ && centre == centre_) {
        return forgotten;
    }
    centre_ = centre;
    has_centre_ = true;
    next_ = 0;
    const auto keep = static_cast<std::int32_t>(radius_ + 1);
    std::erase_if(sent_, [&](const ChunkCoord& coord) {
        const ChunkCoord d = coord - centre;
        const bool is_far = d.x * d.x + d.y * d.y + d.z * d.z > keep * keep;
        if (is_far) {
            forgotten.push_back(coord);
        }
        return is_far;
    });
    std::sort(forgotten.begin(), forgotten.end());
    return forgotten;
}

void ChunkView::stream(const VoxelGrid& grid, ChunkArchive& archive, std::size_t budget_bytes,
                       std::vector<SharedBytes>& out) {
    const std::span<const ChunkCoord> offsets = view_offsets(radius_);
    const std::size_t end = std::min(offsets.size(), next_ + kLookAhead);
    std::size_t used_bytes = 0;
    for (std::size_t i = next_; i < end && used_bytes < budget_bytes; ++i) {
        const ChunkCoord coord = centre_ + offsets[i];
        const bool is_settled = !contains(grid.bounds(), coord) || sent_.contains(coord);
        if (!is_settled) {
            const Chunk* chunk = grid.find(coord);
            if (chunk == nullptr) {
                continue;
            }
            const ChunkArchive::Messages messages = archive.messages(coord, *chunk);
            out.push_back(messages.chunk);
            used_bytes += messages.chunk->size();
            if (messages.ops != nullptr) {
                out.push_back(messages.ops);
                used_bytes += messages.ops->size();
            }
            sent_.insert(coord);
        }
        if (i == next_) {
            ++next_;
        }
    }
}

}  // namespace terrane
