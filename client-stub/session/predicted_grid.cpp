#include "client-stub/session/predicted_grid.h"

#include <algorithm>
#include <utility>

namespace terrane {
namespace {

/// After the zone applied a guess's input, or answered it in one chunk of several: other chunks'
/// operations may be late on a crowded line.
constexpr std::uint32_t kGraceTicks = 20;
constexpr std::uint32_t kGuessTicksMax = 200;

std::vector<ChunkCoord> chunks_in(const VoxelBox& reach, const GridBounds& bounds) {
    std::vector<ChunkCoord> chunks;
    const ChunkCoord low = chunk_of(reach.min);
    const ChunkCoord high = chunk_of(reach.max);
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                if (contains(bounds, ChunkCoord{x, y, z})) {
                    chunks.push_back({x, y, z});
                }
            }
        }
    }
    return chunks;
}

/// Around the voxels of `box` (inside one chunk) in which the two differ.
VoxelBox difference(const Chunk& a, const Chunk& b, const VoxelBox& box) {
    VoxelBox found;
    for (std::int32_t y = box.min.y; y <= box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z <= box.max.z; ++z) {
            for (std::int32_t x = box.min.x; x <= box.max.x; ++x) {
                const VoxelCoord v{x, y, z};
                const std::size_t index = index_in_chunk(v);
                if (a.voxel(index) != b.voxel(index)) {
                    found = merge(found, {v, v});
                }
            }
        }
    }
    return found;
}

void add_box(std::map<ChunkCoord, VoxelBox>& boxes, const ChunkCoord& c, const VoxelBox& box) {
    VoxelBox& all = boxes[c];
    all = merge(all, box);
}

}  // namespace

PredictedGrid::PredictedGrid(const ZoneInfo& zone)
    : material_count_(zone.materials.size()), grid_(zone.bounds), terrain_(grid_) {}

bool PredictedGrid::guess(std::uint32_t edit, std::uint32_t input, const Brush& brush,
                          const Replica& replica) {
    ++counters_.not_made;
    if (guesses_.size() >= kGuessesMax || !is_valid(brush, material_count_)) {
        return false;
    }
    const VoxelBox reach = reach_of(brush);
    const VoxelBox bounds = voxel_box(grid_.bounds());
    if (!contains(bounds, reach.min) || !contains(bounds, reach.max) || !is_loaded(grid_, reach)) {
        return false;
    }
    Guess guess{edit,           input, brush, reach, chunks_in(reach, grid_.bounds()),
                replica.tick(), 0,     false, false};
    guesses_.push_back(guess);
    for (const ChunkCoord& c : guess.chunks) {
        note_change(c, rebuild(c, intersect(reach, box_of(c)), kAllInputs, replica));
    }
    --counters_.not_made;
    ++counters_.made;
    return true;
}

PredictedGrid::Guess* PredictedGrid::find(std::uint32_t edit) {
    const auto found = std::ranges::lower_bound(guesses_, edit, {}, &Guess::edit);
    return found != guesses_.end() && found->edit == edit && !found->is_over ? &*found : nullptr;
}

void PredictedGrid::undo_in(const Guess& guess) {
    for (const ChunkCoord& c : guess.chunks) {
        add_box(dirty_, c, intersect(guess.reach, box_of(c)));
    }
}

void PredictedGrid::refuse(std::uint32_t edit) {
    if (Guess* guess = find(edit)) {
        undo_in(*guess);
        guess->is_over = true;
        ++counters_.refused;
    }
}

void PredictedGrid::confirm(std::uint32_t edit, const ChunkCoord& chunk) {
    Guess* guess = find(edit);
    if (guess == nullptr || std::erase(guess->chunks, chunk) == 0) {
        return;
    }
    add_box(dirty_, chunk, intersect(guess->reach, box_of(chunk)));
    counters_.confirmed += guess->is_answered ? 0 : 1;
    guess->is_answered = true;
    guess->is_over = guess->chunks.empty();
}

const std::vector<VoxelBox>& PredictedGrid::follow(Replica& replica) {
    moved_.clear();
    drop_old_guesses(replica);
    take_confirmed(replica);
    std::erase_if(guesses_, [](const Guess& guess) { return guess.is_over; });
    for (const auto& [c, box] : dirty_) {
        if (replica.grid().is_loaded(c)) {
            const VoxelBox changed = rebuild(c, box, kAllInputs, replica);
            note_change(c, changed);
            if (!is_empty(changed)) {
                moved_.push_back(changed);
            }
        }
    }
    dirty_.clear();
    return moved_;
}

void PredictedGrid::take_confirmed(Replica& replica) {
    for (const ChangedChunk& change : replica.take_changed_chunks()) {
        const Chunk* confirmed = replica.grid().find(change.chunk);
        const VoxelBox whole = box_of(change.chunk);
        if (confirmed != nullptr && change.changed != whole && grid_.is_loaded(change.chunk)) {
            add_box(dirty_, change.chunk, change.changed);
            continue;
        }
        if (confirmed != nullptr) {
            grid_.insert(change.chunk, *confirmed);
            terrain_.chunk_arrived(change.chunk);
            for (const Guess& guess : guesses_) {
                if (std::ranges::find(guess.chunks, change.chunk) != guess.chunks.end()) {
                    add_box(dirty_, change.chunk, intersect(guess.reach, whole));
                }
            }
        } else if (grid_.is_loaded(change.chunk)) {
            grid_.erase(change.chunk);
            terrain_.chunk_left(change.chunk);
        }
        note_change(change.chunk, whole);
        moved_.push_back(whole);
    }
}

void PredictedGrid::drop_old_guesses(const Replica& replica) {
    const std::uint32_t tick = replica.tick();
    for (Guess& guess : guesses_) {
        const bool has_answer = guess.is_answered || guess.input <= replica.applied_input();
        if (has_answer && guess.answered_tick == 0) {
            guess.answered_tick = tick;
        }
        const bool is_old = (has_answer && tick - guess.answered_tick >= kGraceTicks) ||
                            tick - guess.made_tick >= kGuessTicksMax;
        if (is_old && !guess.is_over) {
            undo_in(guess);
            guess.is_over = true;
            counters_.expired += guess.is_answered ? 0 : 1;
        }
    }
}

bool PredictedGrid::has_guesses_after(std::uint32_t input) const {
    return !guesses_.empty() && guesses_.back().input > input;
}

bool PredictedGrid::has_guesses_of(std::uint32_t input) const {
    return std::ranges::find(guesses_, input, &Guess::input) != guesses_.end();
}

void PredictedGrid::rewind_to(std::uint32_t input, const Replica& replica) {
    std::map<ChunkCoord, VoxelBox> boxes;
    for (const Guess& guess : guesses_) {
        for (const ChunkCoord& c : guess.chunks) {
            add_box(boxes, c, intersect(guess.reach, box_of(c)));
        }
    }
    for (const auto& [c, box] : boxes) {
        rebuild(c, box, input, replica);
    }
}

VoxelBox PredictedGrid::rebuild(const ChunkCoord& c, const VoxelBox& box, std::uint32_t last_input,
                                const Replica& replica) {
    const Chunk* confirmed = replica.grid().find(c);
    Chunk* here = grid_.find(c);
    if (confirmed == nullptr || here == nullptr) {
        return {};
    }
    Chunk predicted = predict(c, *confirmed, last_input);
    const VoxelBox changed = difference(*here, predicted, box);
    *here = std::move(predicted);
    if (!is_empty(changed)) {
        terrain_.voxels_changed(changed);
    }
    return changed;
}

Chunk PredictedGrid::predict(const ChunkCoord& c, const Chunk& confirmed,
                             std::uint32_t last_input) const {
    Chunk chunk = confirmed;
    for (const Guess& guess : guesses_) {
        if (!guess.is_over && guess.input <= last_input &&
            std::ranges::find(guess.chunks, c) != guess.chunks.end()) {
            apply_op(chunk, c, clip_to_chunk(guess.brush, c));
        }
    }
    return chunk;
}

void PredictedGrid::note_change(const ChunkCoord& c, const VoxelBox& changed) {
    if (!is_empty(changed)) {
        add_box(changed_, c, changed);
    }
}

std::vector<ChangedChunk> PredictedGrid::take_changed_chunks() {
    std::vector<ChangedChunk> taken;
    taken.reserve(changed_.size());
    for (const auto& [c, box] : changed_) {
        taken.push_back({c, box});
    }
    changed_.clear();
    return taken;
}

}  // namespace terrane
