// How long an edit takes to reach the others: from the moment its bot sent it to its application in
// each other bot's replica. What names an edit everywhere is the chunk and the revision it made.
// The zone tells only the sender that an edit was its own, and others may hear of it first; so both
// sides report here, in any order, and every pair gives one measurement.
//
// A chunk comes as an older blob and the operations since. Those are history, not news: a bot
// counts for an edit only if it held the chunk when the edit was sent.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "client-stub/bots/histogram.h"
#include "shared/core/clock.h"
#include "shared/voxel/coords.h"

namespace terrane {

/// Edits remembered at once; the oldest go first.
inline constexpr std::size_t kSightingsMax = 65536;
inline constexpr Nanoseconds kSightingLifetime{5'000'000'000};

/// Thread: one.
class EditSightings {
  public:
    /// `bot` learnt that revision `revision` of `chunk` is its own edit, sent at `sent`.
    void claim(std::uint32_t bot, const ChunkCoord& chunk, std::uint32_t revision,
               Nanoseconds sent);
    /// `bot` applied that revision at `now`; it has had the chunk since `held_since`.
    void see(std::uint32_t bot, const ChunkCoord& chunk, std::uint32_t revision, Nanoseconds now,
             Nanoseconds held_since);
    /// Milliseconds.
    const Histogram& delays_ms() const { return delays_ms_; }
    std::size_t remembered() const { return edits_.size(); }

  private:
    struct Key {
        ChunkCoord chunk;
        std::uint32_t revision = 0;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const {
            return static_cast<std::size_t>(mix_bits(hash_value(key.chunk) + key.revision));
        }
    };
    struct Sighting {
        std::uint32_t bot = 0;
        Nanoseconds at{0};
        Nanoseconds held_since{0};
    };
    struct Edit {
        bool is_claimed = false;
        std::uint32_t sender = 0;
        Nanoseconds sent{0};
        std::vector<Sighting> early;  ///< before the claim
    };

    Edit& remember(const Key& key, Nanoseconds now);
    void measure(const Edit& edit, const Sighting& sighting);

    std::unordered_map<Key, Edit, KeyHash> edits_;
    std::deque<std::pair<Nanoseconds, Key>> order_;
    Histogram delays_ms_;
};

}  // namespace terrane
