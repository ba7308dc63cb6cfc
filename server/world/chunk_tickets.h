// Who wants which chunks, and at which level. A chunk is *viewed* (the zone has it encoded, to send
// and to answer for) or *simulated* (its voxels are in the grid). Three kinds of tickets:
//
//   player   viewed within its view, simulated within `simulated_chunks`; each kept one chunk
//            farther than it is wanted, so that a walk along a border loads nothing twice
//   place    whole columns simulated as long as the place is held: where players appear
//   body     what an awake body is about to touch: simulated, but never generated for its sake
//
//          wanted: is loaded       kept: is not let go       neither: leaves after a while
//       |<------- radius ------->|<---------- 1 --------->|
//
// Tickets are counted for each chunk; a player who crosses into another chunk changes the counts of
// the difference of two balls, one who stands still costs a comparison. Nothing here loads
// anything: the owner asks what is wanted and does it.
//
// Owner: app/ChunkLoader. Thread: tick.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "server/world/command.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {

struct ChunkTicketsConfig {
    std::uint32_t simulated_chunks = 2;  ///< radius around each player
    std::uint32_t linger_ticks = 40;     ///< a body's wish lasts this long
};

class ChunkTickets {
  public:
    ChunkTickets(const GridBounds& bounds, const ChunkTicketsConfig& config);

    /// The player stands in `centre` and sees `view_chunks` around it. Nothing happens if it did.
    void set_player(EntityId player, const ChunkCoord& centre, std::uint32_t view_chunks);
    void forget_player(EntityId player);
    /// All chunks of the columns at most `radius` (on each axis) from that of `centre`; counted.
    void hold_columns(const ChunkCoord& centre, std::int32_t radius);
    void release_columns(const ChunkCoord& centre, std::int32_t radius);
    /// Wishes of this tick. Appends to `wished` the chunks of the boxes, ascending, each once.
    void wish(std::span<const Aabb> boxes, std::uint64_t tick, std::vector<ChunkCoord>& wished);

    bool is_view_wanted(const ChunkCoord& c) const;
    bool is_view_kept(const ChunkCoord& c, std::uint64_t tick) const;
    bool is_simulation_wanted(const ChunkCoord& c, std::uint64_t tick) const;
    bool is_simulation_kept(const ChunkCoord& c, std::uint64_t tick) const;
    /// A body wished for it not long ago: nothing will tell when that is over.
    bool is_wished(const ChunkCoord& c, std::uint64_t tick) const;

    /// Chunks that somebody wants simulated since the last clear_changes, or that nobody keeps (at
    /// either level) any longer; in the order of the changes, perhaps no longer true.
    std::span<const ChunkCoord> gained() const { return gained_; }
    std::span<const ChunkCoord> lost() const { return lost_; }
    void clear_changes();
    /// Forgets what is known of a chunk that nobody keeps.
    void forget_idle(const ChunkCoord& c, std::uint64_t tick);
    /// Chunks of which anything is known.
    std::size_t count() const { return counts_.size(); }

    /// Walks what players want viewed, nearest first, a few chunks of each player in turn. `visit`
    /// is given a chunk and says whether it is here or on its way; if not the walk ends and goes on
    /// there the next time. Costs nothing once all of it is.
    template <typename Visit>
    void walk(const Visit& visit);
    /// Chunks that the walk has still before it: at least as many as are missing.
    std::size_t waiting_count() const;
    std::size_t player_count() const { return players_.size(); }

  private:
    struct Counts {
        std::uint16_t view_wanted = 0;
        std::uint16_t view_kept = 0;
        std::uint16_t simulation_wanted = 0;
        std::uint16_t simulation_kept = 0;
        std::uint64_t wished_tick = 0;  ///< 0: never
    };
    struct PlayerTicket {
        ChunkCoord centre;
        std::uint32_t view_chunks = 0;
        std::size_t next = 0;  ///< in view_offsets(view_chunks): what is before it is walked
    };
    using Levels = std::uint8_t;

    Levels levels(const ChunkCoord& offset, std::uint32_t view_chunks) const;
    void change(const ChunkCoord& c, Levels from, Levels to);
    void move(const PlayerTicket* from, const PlayerTicket* to);
    void hold(const ChunkCoord& centre, std::int32_t radius, Levels from, Levels to);
    bool is_wished(const Counts& counts, std::uint64_t tick) const;
    const Counts* find(const ChunkCoord& c) const;
    /// Its offset in the walk, or false if it is through.
    bool next_of(const PlayerTicket& ticket, ChunkCoord& c) const;

    static constexpr int kChunksInTurn = 8;

    GridBounds bounds_;
    ChunkTicketsConfig config_;
    std::unordered_map<ChunkCoord, Counts> counts_;
    std::map<EntityId, PlayerTicket> players_;
    std::set<EntityId> walking_;  ///< whose walk is not through
    EntityId last_served_ = 0;
    std::vector<ChunkCoord> gained_;
    std::vector<ChunkCoord> lost_;
};

template <typename Visit>
void ChunkTickets::walk(const Visit& visit) {
    while (!walking_.empty()) {
        auto turn = walking_.upper_bound(last_served_);
        turn = turn == walking_.end() ? walking_.begin() : turn;
        last_served_ = *turn;
        PlayerTicket& ticket = players_.at(last_served_);
        ChunkCoord c;
        for (int i = 0; i < kChunksInTurn; ++ticket.next) {
            if (!next_of(ticket, c)) {
                walking_.erase(last_served_);
                break;
            }
            if (!contains(bounds_, c)) {
                continue;
            }
            if (!visit(c)) {
                return;
            }
            ++i;
        }
    }
}

}  // namespace terrane
