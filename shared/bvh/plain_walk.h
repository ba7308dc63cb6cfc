// The memory of a walk of the wide tree for all objects that a volume meets, and the order in which
// vectors pack the slots met.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "shared/bvh/wide_bvh.h"

namespace terrane {

constexpr std::uint32_t without_first(std::uint32_t mask) {
    return mask & (mask - 1);
}

/// For each mask of slots, those in it first, ascending. Highway's own Compress has such a table
/// within the function, which the compiler copies to the stack at each call.
using SlotOrder = std::array<std::uint8_t, kWideSlots>;
inline constexpr std::array<SlotOrder, 256> kSlotOrders = [] {
    std::array<SlotOrder, 256> orders{};
    for (std::uint32_t mask = 0; mask < orders.size(); ++mask) {
        std::uint32_t count = 0;
        for (std::uint32_t slot = 0; slot < kWideSlots; ++slot) {
            if ((mask >> slot & 1U) != 0) {
                orders[mask][count++] = static_cast<std::uint8_t>(slot);
            }
        }
    }
    return orders;
}();

/// What a walk for all objects holds: nodes to see, and objects met, gathered in a batch on the way
/// out.
struct PlainWalk {
    static constexpr std::size_t kQueue = 504;
    static constexpr std::size_t kBatch = 248;
    std::array<std::uint32_t, kQueue + kWideSlots> queue;
    std::array<std::uint32_t, kBatch + kWideSlots> batch;
    std::vector<std::uint32_t> rest;  ///< what found no room in the queue

    void hand_over(std::size_t count, std::vector<std::uint32_t>& to) const {
        if (count != 0) {
            to.insert(to.end(), batch.data(), batch.data() + count);
        }
    }
    /// Of the queue from `head` to `tail`, half stays, at the front. Returns the new tail.
    [[gnu::noinline]] std::size_t make_room(std::size_t head, std::size_t tail) {
        for (; tail > head + kQueue / 2; --tail) {
            rest.push_back(queue[tail - 1]);
        }
        std::copy(queue.data() + head, queue.data() + tail, queue.data());
        return tail - head;
    }
};

}  // namespace terrane
