// The voxels as this client expects them to become: the replica's confirmed ones, and on top of
// them its own edits that the zone has not answered yet (guesses). The two are never mixed: a chunk
// with guesses in it is a copy of the confirmed one (copy on write) with the guesses applied in
// their order, made anew whenever either changes. Chunks without guesses share their planes.
//
//   guess made ──> applied here at once
//     ├── Reject ───────────────────────────> gone; the chunk is the confirmed one again
//     ├── the zone's operations of the edit ─> gone in that chunk: it holds them now
//     └── no answer 20 ticks after its input was applied, or 200 at all ──> gone
//
// For replaying inputs the grid can go back to what it was before some of the guesses and on again,
// input by input; meshes are told only what is different in the end.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <vector>

#include "client-stub/session/replica.h"

namespace terrane {

inline constexpr std::size_t kGuessesMax = 64;

struct GuessCounters {
    std::uint64_t made = 0;
    std::uint64_t confirmed = 0;  ///< by the zone's own operations
    std::uint64_t refused = 0;
    std::uint64_t expired = 0;
    std::uint64_t not_made = 0;  ///< too many, or where nothing is known: the zone will tell
};

/// Owner: Prediction. Thread: the session's.
class PredictedGrid {
  public:
    /// Of the zone that `replica` shows; holds no chunks until follow().
    explicit PredictedGrid(const ZoneInfo& zone);
    PredictedGrid(const PredictedGrid&) = delete;
    PredictedGrid& operator=(const PredictedGrid&) = delete;

    /// The edit `edit` of input `input` (both grow) is applied here until the zone answers.
    bool guess(std::uint32_t edit, std::uint32_t input, const Brush& brush, const Replica& replica);
    void refuse(std::uint32_t edit);
    /// The replica holds the zone's operation of `edit` in `chunk`.
    void confirm(std::uint32_t edit, const ChunkCoord& chunk);
    /// Takes the replica's changed chunks and newest state. Returns boxes of voxels that are other
    /// ones now, zone space; valid until the next call.
    const std::vector<VoxelBox>& follow(Replica& replica);

    /// Some guess belongs to an input after `input`.
    bool has_guesses_after(std::uint32_t input) const;
    bool has_guesses_of(std::uint32_t input) const;
    /// As it is with the guesses of inputs up to `input` only. Ends with `rewind_to(kAllInputs)`.
    void rewind_to(std::uint32_t input, const Replica& replica);
    static constexpr std::uint32_t kAllInputs = std::numeric_limits<std::uint32_t>::max();

    const VoxelGrid& grid() const { return grid_; }
    Terrain& terrain() { return terrain_; }
    std::size_t guess_count() const { return guesses_.size(); }
    const GuessCounters& counters() const { return counters_; }
    /// What changed since the last call, ascending.
    std::vector<ChangedChunk> take_changed_chunks();

  private:
    struct Guess {
        std::uint32_t edit = 0;
        std::uint32_t input = 0;
        Brush brush;
        VoxelBox reach;
        std::vector<ChunkCoord> chunks;  ///< not yet answered there
        std::uint32_t made_tick = 0;     ///< the zone's, newest then
        std::uint32_t answered_tick = 0;
        bool is_answered = false;  ///< in some chunk, or its input was applied
        bool is_over = false;
    };

    void take_confirmed(Replica& replica);
    void drop_old_guesses(const Replica& replica);
    void undo_in(const Guess& guess);
    /// Confirmed chunk plus guesses; `box` must hold every voxel that may differ from before, the
    /// result is around those that do.
    VoxelBox rebuild(const ChunkCoord& c, const VoxelBox& box, std::uint32_t last_input,
                     const Replica& replica);
    Chunk predict(const ChunkCoord& c, const Chunk& confirmed, std::uint32_t last_input) const;
    void note_change(const ChunkCoord& c, const VoxelBox& changed);
    Guess* find(std::uint32_t edit);

    std::size_t material_count_;
    VoxelGrid grid_;
    Terrain terrain_;
    std::deque<Guess> guesses_;               ///< ascending by edit
    std::map<ChunkCoord, VoxelBox> dirty_;    ///< to be made anew by follow()
    std::map<ChunkCoord, VoxelBox> changed_;  ///< for take_changed_chunks()
    std::vector<VoxelBox> moved_;
    GuessCounters counters_;
};

}  // namespace terrane
