#include "shared/bvh/sorted_keys.h"

#include <algorithm>
#include <array>

#include "shared/bvh/bvh.h"
#include "shared/bvh/run_parts.h"

namespace terrane {
namespace {

constexpr int kDigitBits = 11;
constexpr std::uint32_t kDigits = 1U << kDigitBits;
constexpr std::size_t kPartKeys = 16384;

using Histogram = std::array<std::uint32_t, kDigits>;

std::size_t digit_of(const SortedKey& key, int shift) {
    return static_cast<std::size_t>((key.code >> shift) & (kDigits - 1));
}

std::uint32_t part_count_of(std::size_t keys) {
    return static_cast<std::uint32_t>((keys + kPartKeys - 1) / kPartKeys);
}

std::span<const SortedKey> part_of(const std::vector<SortedKey>& keys, std::uint32_t part) {
    const std::size_t first = part * kPartKeys;
    return std::span(keys).subspan(first, std::min(kPartKeys, keys.size() - first));
}

/// One stable pass by the digit at `shift`. False, and nothing moved, if all keys share it.
bool sort_pass(const std::vector<SortedKey>& from, std::vector<SortedKey>& to, int shift,
               std::vector<Histogram>& places, WorkerPool* pool) {
    const std::uint32_t parts = part_count_of(from.size());
    run_parts(pool, parts, [&](std::uint32_t part) {
        places[part].fill(0);
        for (const SortedKey& key : part_of(from, part)) {
            ++places[part][digit_of(key, shift)];
        }
    });
    std::uint32_t place = 0;
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
        const std::uint32_t first = place;
        for (std::uint32_t part = 0; part < parts; ++part) {
            const std::uint32_t count = places[part][digit];
            places[part][digit] = place;
            place += count;
        }
        if (place - first == from.size()) {
            return false;
        }
    }
    run_parts(pool, parts, [&](std::uint32_t part) {
        for (const SortedKey& key : part_of(from, part)) {
            to[places[part][digit_of(key, shift)]++] = key;
        }
    });
    return true;
}

}  // namespace

std::vector<SortedKey> sorted_keys(std::span<const Aabb> boxes, MortonCode code, WorkerPool* pool) {
    const MortonCoder coder(boxes, code);
    std::vector<SortedKey> keys;
    keys.reserve(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (is_usable_box(boxes[i])) {
            keys.push_back({0, static_cast<std::uint32_t>(i)});
        }
    }
    const std::uint32_t parts = part_count_of(keys.size());
    run_parts(pool, parts, [&](std::uint32_t part) {
        const std::size_t last = std::min(keys.size(), (part + 1) * kPartKeys);
        for (std::size_t i = part * kPartKeys; i < last; ++i) {
            keys[i].code = coder.code_of(boxes[keys[i].object]);
        }
    });
    std::vector<SortedKey> other(keys.size());
    std::vector<Histogram> places(parts);
    for (int shift = 0; shift < bit_count_of(code); shift += kDigitBits) {
        if (sort_pass(keys, other, shift, places, pool)) {
            keys.swap(other);
        }
    }
    return keys;
}

}  // namespace terrane
