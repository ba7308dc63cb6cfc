// The chunks one session has been sent. What comes into view is streamed nearest first under a byte
// budget a tick; what is farther than the view + 1 is forgotten on both sides.
//
// Owner: Replicator. Thread: tick.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "server/replication/chunk_archive.h"

namespace terrane {

class ChunkView {
  public:
    explicit ChunkView(std::uint32_t radius) : radius_(radius) {}

    bool has(const ChunkCoord& coord) const { return sent_.contains(coord); }
    std::size_t count() const { return sent_.size(); }
    std::uint32_t radius() const { return radius_; }

    /// Moves the view's centre; returns what the client is to forget, ascending.
    std::vector<ChunkCoord> move_to(const ChunkCoord& centre);
    /// Appends the next chunks' messages until `budget_bytes` is used up.
    void stream(const VoxelGrid& grid, ChunkArchive& archive, std::size_t budget_bytes,
                std::vector<SharedBytes>& out);

  private:
    std::uint32_t radius_;
    ChunkCoord centre_;
    bool has_centre_ = false;
    std::size_t next_ = 0;  ///< everything before it in the view's list is sent or out of bounds
    std::unordered_set<ChunkCoord> sent_;
};

}  // namespace terrane
