#include "server/replication/chunk_stream.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/world/view_offsets.h"
#include "shared/core/assert.h"
#include "shared/protocol/encode.h"

namespace terrane {
namespace {

/// How far beyond the first missing chunk to look for those that are here: loading goes nearest
/// first too, so what is here is never far behind.
constexpr std::size_t kLookAhead = 512;
/// Of so many missing ones those in front go first.
constexpr std::size_t kCandidates = 96;
/// Cosine of half the angle of what counts as in front.
constexpr float kConeCosine = 0.6F;

std::int32_t length2(const ChunkCoord& c) {
    return c.x * c.x + c.y * c.y + c.z * c.z;
}

/// 0: one of the 27 around the player, 1: in front, 2: the rest.
int rank_of(const ChunkCoord& offset, const Vec3& look) {
    if (std::abs(offset.x) <= 1 && std::abs(offset.y) <= 1 && std::abs(offset.z) <= 1) {
        return 0;
    }
    const Vec3 away(static_cast<float>(offset.x), static_cast<float>(offset.y),
                    static_cast<float>(offset.z));
    return glm::dot(away, look) >= kConeCosine * glm::length(away) ? 1 : 2;
}

SharedBytes share(Bytes bytes) {
    return std::make_shared<const Bytes>(std::move(bytes));
}

SharedBytes all_props_gone(const ChunkCoord& coord, std::uint64_t removed) {
    std::vector<std::uint8_t> indices;
    for (std::uint8_t i = 0; i < kPropsPerChunkMax; ++i) {
        if ((removed >> i & 1U) != 0) {
            indices.push_back(i);
        }
    }
    return share(encode_props_gone(coord, indices));
}

}  // namespace

ChunkStream::ChunkStream(std::uint32_t radius)
    : radius_(static_cast<std::int32_t>(radius)),
      side_(2 * (radius_ + 1) + 1),
      sent_(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_) *
            static_cast<std::size_t>(side_)) {}

bool ChunkStream::is_kept(const ChunkCoord& coord) const {
    return has_centre_ && length2(coord - centre_) <= (radius_ + 1) * (radius_ + 1);
}

std::size_t ChunkStream::bit_of(const ChunkCoord& coord) const {
    const auto wrap = [this](std::int32_t v) {
        const std::int32_t rest = v % side_;
        return static_cast<std::size_t>(rest < 0 ? rest + side_ : rest);
    };
    const auto side = static_cast<std::size_t>(side_);
    return (wrap(coord.y) * side + wrap(coord.z)) * side + wrap(coord.x);
}

bool ChunkStream::has(const ChunkCoord& coord) const {
    return is_kept(coord) && sent_[bit_of(coord)];
}

std::vector<ChunkCoord> ChunkStream::move_to(const ChunkCoord& centre) {
    std::vector<ChunkCoord> forgotten;
    if (has_centre_ && centre == centre_) {
        return forgotten;
    }
    const std::int32_t keep2 = (radius_ + 1) * (radius_ + 1);
    for (const ChunkCoord& offset : view_offsets(radius() + 1)) {
        const ChunkCoord coord = centre_ + offset;
        if (count_ > 0 && length2(coord - centre) > keep2 && has(coord)) {
            forgotten.push_back(coord);
        }
    }
    for (const ChunkCoord& coord : forgotten) {
        sent_[bit_of(coord)] = false;
        behind_.erase(coord);
    }
    count_ -= forgotten.size();
    centre_ = centre;
    has_centre_ = true;
    next_ = 0;
    std::sort(forgotten.begin(), forgotten.end());
    return forgotten;
}

void ChunkStream::fall_behind(const ChunkCoord& coord, std::uint32_t revision) {
    behind_.try_emplace(coord, Behind{revision, false});
}

void ChunkStream::props_fell_behind(const ChunkCoord& coord, std::uint32_t revision) {
    behind_.try_emplace(coord, Behind{revision, false}).first->second.has_props_gone = true;
}

void ChunkStream::owe(const OwedEdit& edit) {
    if (owed_.size() == kOwedEditsMax) {
        owed_.pop_front();
    }
    owed_.push_back(edit);
}

StreamCounts ChunkStream::send(const VoxelGrid& grid, ChunkArchive& archive, const Vec3& look,
                               std::size_t budget_bytes, std::vector<SharedBytes>& out) {
    StreamCounts counts;
    if (!behind_.empty()) {
        catch_up(grid, archive, budget_bytes, out, counts);
    }
    if (!owed_.empty()) {
        settle_owed(out, counts);
    }
    if (next_ < view_offsets(radius()).size()) {
        send_new(grid, archive, look, budget_bytes, out, counts);
    }
    return counts;
}

/// Nearest first.
void ChunkStream::catch_up(const VoxelGrid& grid, ChunkArchive& archive, std::size_t budget_bytes,
                           std::vector<SharedBytes>& out, StreamCounts& counts) {
    std::vector<ChunkCoord> coords;
    coords.reserve(behind_.size());
    for (const auto& [coord, behind] : behind_) {
        coords.push_back(coord);
    }
    std::stable_sort(coords.begin(), coords.end(),
                     [this](const ChunkCoord& a, const ChunkCoord& b) {
                         return length2(a - centre_) < length2(b - centre_);
                     });
    for (const ChunkCoord& coord : coords) {
        if (counts.bytes >= budget_bytes) {
            return;
        }
        const auto behind = behind_.find(coord);
        const ChunkArchive::Appended appended =
            archive.append_messages(coord, behind->second.revision, grid, out);
        counts.bytes += appended.bytes;
        counts.chunks += appended.is_whole ? 1U : 0U;
        if (behind->second.has_props_gone && !appended.is_whole) {
            out.push_back(all_props_gone(coord, archive.props_removed(coord)));
            counts.bytes += out.back()->size();
        }
        behind_.erase(behind);
    }
}

/// The operations are old to the client by now, which takes no more than the edits' names from
/// them. An edit of a chunk that it is still behind with waits.
void ChunkStream::settle_owed(std::vector<SharedBytes>& out, StreamCounts& counts) {
    std::erase_if(owed_, [&](const OwedEdit& owed) {
        if (is_behind(owed.chunk)) {
            return false;
        }
        const std::array<ChunkOp, 1> ops{owed.op};
        const std::array<std::uint32_t, 1> edits{owed.edit};
        out.push_back(share(encode_chunk_ops(owed.chunk, owed.revision, ops, edits)));
        counts.bytes += out.back()->size();
        return true;
    });
}

void ChunkStream::send_new(const VoxelGrid& grid, ChunkArchive& archive, const Vec3& look,
                           std::size_t budget_bytes, std::vector<SharedBytes>& out,
                           StreamCounts& counts) {
    std::vector<ChunkCoord> offsets;
    list_missing(grid.bounds(), archive, offsets);
    std::stable_sort(offsets.begin(), offsets.end(), [&](const ChunkCoord& a, const ChunkCoord& b) {
        return rank_of(a, look) < rank_of(b, look);
    });
    for (const ChunkCoord& offset : offsets) {
        if (counts.bytes >= budget_bytes) {
            return;
        }
        const ChunkCoord coord = centre_ + offset;
        counts.bytes += archive.append_messages(coord, std::nullopt, grid, out).bytes;
        ++counts.chunks;
        ++count_;
        sent_[bit_of(coord)] = true;
    }
}

/// Offsets of missing chunks that are here, nearest first; moves `next_` behind what is settled.
void ChunkStream::list_missing(const GridBounds& bounds, const ChunkArchive& archive,
                               std::vector<ChunkCoord>& offsets) {
    const std::span<const ChunkCoord> view = view_offsets(radius());
    const auto is_settled = [&](const ChunkCoord& coord) {
        return !contains(bounds, coord) || sent_[bit_of(coord)];
    };
    while (next_ < view.size() && is_settled(centre_ + view[next_])) {
        ++next_;
    }
    const std::size_t end = std::min(view.size(), next_ + kLookAhead);
    for (std::size_t i = next_; i < end && offsets.size() < kCandidates; ++i) {
        const ChunkCoord coord = centre_ + view[i];
        if (!is_settled(coord) && archive.has(coord)) {
            offsets.push_back(view[i]);
        }
    }
}

}  // namespace terrane
