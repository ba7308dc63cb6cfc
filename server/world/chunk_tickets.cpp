#include "server/world/chunk_tickets.h"

#include <algorithm>

#include "server/world/view_offsets.h"
#include "shared/core/assert.h"

namespace terrane {
namespace {

constexpr std::uint8_t kViewWanted = 1;
constexpr std::uint8_t kViewKept = 2;
constexpr std::uint8_t kSimulationWanted = 4;
constexpr std::uint8_t kSimulationKept = 8;
constexpr std::uint8_t kAllLevels = 15;

std::uint32_t length2(const ChunkCoord& c) {
    return static_cast<std::uint32_t>(c.x * c.x + c.y * c.y + c.z * c.z);
}

constexpr std::uint32_t square(std::uint32_t x) {
    return x * x;
}

/// Adds what `to` has over `from` to a count, or takes away. True: it rose from 0 or fell to it.
bool recount(std::uint16_t& value, std::uint8_t level, std::uint8_t from, std::uint8_t to) {
    const bool was = (from & level) != 0;
    const bool is = (to & level) != 0;
    if (was == is) {
        return false;
    }
    TERRANE_ASSERT(is || value > 0);
    const std::uint16_t before = value;
    value = static_cast<std::uint16_t>(is ? value + 1 : value - 1);
    return before == 0 || value == 0;
}

}  // namespace

ChunkTickets::ChunkTickets(const GridBounds& bounds, const ChunkTicketsConfig& config)
    : bounds_(bounds), config_(config) {}

void ChunkTickets::set_player(EntityId player, const ChunkCoord& centre,
                              std::uint32_t view_chunks) {
    // Who simulates a chunk has it, so the view is at least as wide.
    const PlayerTicket wanted{centre, std::max(view_chunks, config_.simulated_chunks), 0};
    const auto [found, is_new] = players_.try_emplace(player, wanted);
    PlayerTicket& ticket = found->second;
    if (is_new) {
        move(nullptr, &wanted);
    } else if (ticket.centre == centre && ticket.view_chunks == wanted.view_chunks) {
        return;
    } else {
        move(&ticket, &wanted);
        ticket = wanted;
    }
    walking_.insert(player);
}

void ChunkTickets::forget_player(EntityId player) {
    const auto found = players_.find(player);
    if (found != players_.end()) {
        move(&found->second, nullptr);
        players_.erase(found);
        walking_.erase(player);
    }
}

void ChunkTickets::hold_columns(const ChunkCoord& centre, std::int32_t radius) {
    hold(centre, radius, 0, kAllLevels);
}

void ChunkTickets::release_columns(const ChunkCoord& centre, std::int32_t radius) {
    hold(centre, radius, kAllLevels, 0);
}

void ChunkTickets::hold(const ChunkCoord& centre, std::int32_t radius, Levels from, Levels to) {
    for (std::int32_t y = bounds_.min.y; y < bounds_.max.y; ++y) {
        for (std::int32_t z = centre.z - radius; z <= centre.z + radius; ++z) {
            for (std::int32_t x = centre.x - radius; x <= centre.x + radius; ++x) {
                change({x, y, z}, from, to);
            }
        }
    }
}

void ChunkTickets::wish(std::span<const Aabb> boxes, std::uint64_t tick,
                        std::vector<ChunkCoord>& wished) {
    const std::size_t first = wished.size();
    const Aabb zone = to_aabb(voxel_box(bounds_));
    for (const Aabb& box : boxes) {
        if (!overlaps(box, zone)) {
            continue;
        }
        const VoxelBox voxels =
            voxels_of({glm::max(box.min, zone.min), glm::min(box.max, zone.max)});
        const ChunkCoord low = chunk_of(voxels.min);
        const ChunkCoord high = chunk_of(voxels.max);
        for (ChunkCoord c{0, low.y, 0}; c.y <= high.y; ++c.y) {
            for (c.z = low.z; c.z <= high.z; ++c.z) {
                for (c.x = low.x; c.x <= high.x; ++c.x) {
                    if (contains(bounds_, c)) {
                        wished.push_back(c);
                    }
                }
            }
        }
    }
    const auto begin = wished.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, wished.end());
    wished.erase(std::unique(begin, wished.end()), wished.end());
    for (std::size_t i = first; i < wished.size(); ++i) {
        counts_[wished[i]].wished_tick = tick;
    }
}

bool ChunkTickets::is_view_wanted(const ChunkCoord& c) const {
    const Counts* counts = find(c);
    return counts != nullptr && counts->view_wanted > 0;
}

bool ChunkTickets::is_view_kept(const ChunkCoord& c, std::uint64_t tick) const {
    const Counts* counts = find(c);
    return counts != nullptr && (counts->view_kept > 0 || is_wished(*counts, tick));
}

bool ChunkTickets::is_simulation_wanted(const ChunkCoord& c, std::uint64_t tick) const {
    const Counts* counts = find(c);
    return counts != nullptr && (counts->simulation_wanted > 0 || is_wished(*counts, tick));
}

bool ChunkTickets::is_simulation_kept(const ChunkCoord& c, std::uint64_t tick) const {
    const Counts* counts = find(c);
    return counts != nullptr && (counts->simulation_kept > 0 || is_wished(*counts, tick));
}

bool ChunkTickets::is_wished(const ChunkCoord& c, std::uint64_t tick) const {
    const Counts* counts = find(c);
    return counts != nullptr && is_wished(*counts, tick);
}

void ChunkTickets::clear_changes() {
    gained_.clear();
    lost_.clear();
}

void ChunkTickets::forget_idle(const ChunkCoord& c, std::uint64_t tick) {
    if (!is_view_kept(c, tick)) {
        counts_.erase(c);
    }
}

std::size_t ChunkTickets::waiting_count() const {
    std::size_t waiting = 0;
    for (const EntityId player : walking_) {
        const PlayerTicket& ticket = players_.at(player);
        waiting += view_offsets(ticket.view_chunks).size() - ticket.next;
    }
    return waiting;
}

ChunkTickets::Levels ChunkTickets::levels(const ChunkCoord& offset,
                                          std::uint32_t view_chunks) const {
    const std::uint32_t away2 = length2(offset);
    const std::uint32_t simulated = config_.simulated_chunks;
    return static_cast<Levels>((away2 <= square(view_chunks) ? kViewWanted : 0) |
                               (away2 <= square(view_chunks + 1) ? kViewKept : 0) |
                               (away2 <= square(simulated) ? kSimulationWanted : 0) |
                               (away2 <= square(simulated + 1) ? kSimulationKept : 0));
}

void ChunkTickets::change(const ChunkCoord& c, Levels from, Levels to) {
    if (from == to || !contains(bounds_, c)) {
        return;
    }
    Counts& counts = counts_[c];
    recount(counts.view_wanted, kViewWanted, from, to);
    const bool is_gained = recount(counts.simulation_wanted, kSimulationWanted, from, to) &&
                           counts.simulation_wanted > 0;
    const bool is_view_lost =
        recount(counts.view_kept, kViewKept, from, to) && counts.view_kept == 0;
    const bool is_simulation_lost =
        recount(counts.simulation_kept, kSimulationKept, from, to) && counts.simulation_kept == 0;
    if (is_gained) {
        gained_.push_back(c);
    }
    if (is_view_lost || is_simulation_lost) {
        lost_.push_back(c);
    }
}

/// Either may be null: a player comes, or goes.
void ChunkTickets::move(const PlayerTicket* from, const PlayerTicket* to) {
    if (from != nullptr) {
        for (const ChunkCoord& offset : view_offsets(from->view_chunks + 1)) {
            const ChunkCoord c = from->centre + offset;
            change(c, levels(offset, from->view_chunks),
                   to == nullptr ? Levels{0} : levels(c - to->centre, to->view_chunks));
        }
    }
    if (to != nullptr) {
        for (const ChunkCoord& offset : view_offsets(to->view_chunks + 1)) {
            const ChunkCoord c = to->centre + offset;
            const bool is_done =
                from != nullptr && length2(c - from->centre) <= square(from->view_chunks + 1);
            if (!is_done) {
                change(c, 0, levels(offset, to->view_chunks));
            }
        }
    }
}

bool ChunkTickets::is_wished(const Counts& counts, std::uint64_t tick) const {
    return counts.wished_tick != 0 && tick <= counts.wished_tick + config_.linger_ticks;
}

const ChunkTickets::Counts* ChunkTickets::find(const ChunkCoord& c) const {
    const auto found = counts_.find(c);
    return found == counts_.end() ? nullptr : &found->second;
}

bool ChunkTickets::next_of(const PlayerTicket& ticket, ChunkCoord& c) const {
    const std::span<const ChunkCoord> offsets = view_offsets(ticket.view_chunks);
    if (ticket.next >= offsets.size()) {
        return false;
    }
    c = ticket.centre + offsets[ticket.next];
    return true;
}

}  // namespace terrane
