// The chunks one session has been sent, and what it is owed of them.
//
//   not sent --send()--> sent, follows --fall_behind()--> sent, behind --send()--> sent, follows
//       ^                    |                                 |
//       +------ move_to() ---+---------- too far --------------+
//
// New chunks go nearest first, but of the nearest that are missing those in front of the player's
// eyes before the others, and the 27 around it before all. A chunk that follows gets every
// operation in its tick, straight from the replicator. While the session's outbox is too full it
// gets none: the chunk is behind, with the revision that the session has, and when there is room
// again it gets what is missing, or the whole chunk. Both are bulk, under the byte budget of a
// tick. What is farther than the view + 1 is forgotten on both sides, so all of this is bounded by
// the view.
//
// Which chunks were sent is a bit each, in a torus: what is kept is never wider than the torus.
//
// Owner: Replicator. Thread: tick.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "server/replication/chunk_archive.h"

namespace terrane {

/// An edit of the session's that was applied, and that it has not been told of.
struct OwedEdit {
    std::uint32_t edit = 0;
    ChunkCoord chunk;
    std::uint32_t revision = 0;
    ChunkOp op;
};

/// What a session is sent in a tick, counted.
struct StreamCounts {
    std::size_t chunks = 0;  ///< whole
    std::size_t bytes = 0;
};

class ChunkStream {
  public:
    static constexpr std::size_t kOwedEditsMax = 256;

    explicit ChunkStream(std::uint32_t radius);

    bool has(const ChunkCoord& coord) const;
    bool is_behind(const ChunkCoord& coord) const { return behind_.contains(coord); }
    std::size_t count() const { return count_; }
    std::size_t behind_count() const { return behind_.size(); }
    std::uint32_t radius() const { return static_cast<std::uint32_t>(radius_); }

    /// Moves the view's centre; returns what the client is to forget, ascending.
    std::vector<ChunkCoord> move_to(const ChunkCoord& centre);

    /// A chunk it has changed, and it was not sent how. `revision`: what it has, before that; a
    /// chunk that is behind already stays at what it has.
    void fall_behind(const ChunkCoord& coord, std::uint32_t revision);
    /// The same for props that are gone; `revision` is the chunk's.
    void props_fell_behind(const ChunkCoord& coord, std::uint32_t revision);
    /// Of more than kOwedEditsMax the oldest are given up.
    void owe(const OwedEdit& edit);

    /// Appends what the session is to be sent until `budget_bytes` is used up: what it is behind
    /// with, then new chunks. `look`: the direction of the player's sight.
    StreamCounts send(const VoxelGrid& grid, ChunkArchive& archive, const Vec3& look,
                      std::size_t budget_bytes, std::vector<SharedBytes>& out);

  private:
    struct Behind {
        std::uint32_t revision = 0;
        bool has_props_gone = false;
    };

    bool is_kept(const ChunkCoord& coord) const;
    std::size_t bit_of(const ChunkCoord& coord) const;
    void catch_up(const VoxelGrid& grid, ChunkArchive& archive, std::size_t budget_bytes,
                  std::vector<SharedBytes>& out, StreamCounts& counts);
    void settle_owed(std::vector<SharedBytes>& out, StreamCounts& counts);
    void send_new(const VoxelGrid& grid, ChunkArchive& archive, const Vec3& look,
                  std::size_t budget_bytes, std::vector<SharedBytes>& out, StreamCounts& counts);
    void list_missing(const GridBounds& bounds, const ChunkArchive& archive,
                      std::vector<ChunkCoord>& offsets);

    std::int32_t radius_;
    std::int32_t side_;  ///< of the torus
    ChunkCoord centre_;
    bool has_centre_ = false;
    std::size_t next_ = 0;  ///< everything before it in the view's list is sent or out of bounds
    std::vector<bool> sent_;
    std::size_t count_ = 0;
    std::map<ChunkCoord, Behind> behind_;
    std::deque<OwedEdit> owed_;
};

}  // namespace terrane
