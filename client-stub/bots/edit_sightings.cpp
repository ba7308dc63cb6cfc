#include "client-stub/bots/edit_sightings.h"

#include <chrono>
#include <utility>

namespace terrane {

void EditSightings::claim(std::uint32_t bot, const ChunkCoord& chunk, std::uint32_t revision,
                          Nanoseconds sent) {
    Edit& edit = remember({chunk, revision}, sent);
    edit.is_claimed = true;
    edit.sender = bot;
    edit.sent = sent;
    for (const Sighting& sighting : edit.early) {
        measure(edit, sighting);
    }
    edit.early = {};
}

void EditSightings::see(std::uint32_t bot, const ChunkCoord& chunk, std::uint32_t revision,
                        Nanoseconds now, Nanoseconds held_since) {
    Edit& edit = remember({chunk, revision}, now);
    if (edit.is_claimed) {
        measure(edit, {bot, now, held_since});
    } else {
        edit.early.push_back({bot, now, held_since});
    }
}

EditSightings::Edit& EditSightings::remember(const Key& key, Nanoseconds now) {
    const auto [found, is_new] = edits_.try_emplace(key);
    if (!is_new) {
        return found->second;
    }
    order_.emplace_back(now, key);
    while (order_.size() > kSightingsMax || order_.front().first + kSightingLifetime < now) {
        edits_.erase(order_.front().second);
        order_.pop_front();
    }
    return found->second;
}

void EditSightings::measure(const Edit& edit, const Sighting& sighting) {
    if (sighting.bot != edit.sender && sighting.held_since <= edit.sent) {
        const std::chrono::duration<double, std::milli> delay = sighting.at - edit.sent;
        delays_ms_.add(delay.count());
    }
}

}  // namespace terrane
