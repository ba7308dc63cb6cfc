#include "shared/bvh/morton.h"

#include <algorithm>
#include <cmath>

#include "shared/bvh/bvh.h"
#include "shared/bvh/lane_box.h"

namespace terrane {
namespace {

constexpr int kBitsByLength = 32;
constexpr std::uint32_t kAxisBitsMax = 22;  // two tables of 11

Vec3 centre2(const Aabb& box) {
    return box.min + box.max;
}

Aabb all_centres(std::span<const Aabb> boxes) {
    LaneBox bounds;
    for (const Aabb& box : boxes) {
        if (is_usable_box(box)) {
            const Vec3 at = centre2(box);
            bounds.add(Lane4{at.x, at.y, at.z, 0.0F});
        }
    }
    return to_aabb(bounds);
}

/// Sums of a sample's coordinates on one axis, about a point among them.
struct AxisSums {
    double sum = 0.0;
    double squares = 0.0;

    void add(float value) {
        sum += value;
        squares += double{value} * value;
    }
    /// The mean plus and minus four standard deviations, cut off at `low` and `high`.
    void narrow(double count, float about, float& low, float& high) const {
        const double mean = sum / count;
        const double variance = std::max(squares / count - mean * mean, 0.0);
        const double reach = 4.0 * std::sqrt(variance);
        const double middle = about + mean;
        low = std::max(low, static_cast<float>(middle - reach));
        high = std::min(high, static_cast<float>(middle + reach));
    }
};

/// Where most centres within `bounds` lie, judged by a sample of them.
Aabb narrowed(std::span<const Aabb> boxes, const Aabb& bounds) {
    constexpr std::size_t kSample = 4096;
    const std::size_t step = boxes.size() / kSample + 1;
    std::array<AxisSums, 3> sums;
    double count = 0.0;
    const Vec3 about = 0.5F * bounds.min + 0.5F * bounds.max;
    for (std::size_t i = 0; i < boxes.size(); i += step) {
        const Vec3 at = centre2(boxes[i]);
        if (!is_usable_box(boxes[i]) || !contains(bounds, at)) {
            continue;
        }
        sums[0].add(at.x - about.x);
        sums[1].add(at.y - about.y);
        sums[2].add(at.z - about.z);
        count += 1.0;
    }
    Aabb most = bounds;
    if (count > 0.0) {
        sums[0].narrow(count, about.x, most.min.x, most.max.x);
        sums[1].narrow(count, about.y, most.min.y, most.max.y);
        sums[2].narrow(count, about.z, most.min.z, most.max.z);
    }
    return most;
}

/// An outlier far enough widens the deviation itself: so again, while an axis shrinks by half.
Aabb most_centres(std::span<const Aabb> boxes, const Aabb& bounds) {
    constexpr int kPassesMax = 6;
    Aabb most = bounds;
    for (int pass = 0; pass < kPassesMax; ++pass) {
        const Aabb next = narrowed(boxes, most);
        if (is_empty(next)) {
            break;
        }
        const Vec3 before = most.max - most.min;
        const Vec3 after = next.max - next.min;
        most = next;
        if (!(2.0F * after.x < before.x || 2.0F * after.y < before.y ||
              2.0F * after.z < before.z)) {
            break;
        }
    }
    return most;
}

/// For each value of `bits` bits, its bits at `places`.
std::vector<std::uint32_t> spread_table(std::span<const std::uint32_t> places) {
    std::vector<std::uint32_t> table(std::size_t{1} << places.size(), 0);
    for (std::size_t bit = 0; bit < places.size(); ++bit) {
        for (std::size_t i = 0; i < std::size_t{1} << bit; ++i) {
            table[i + (std::size_t{1} << bit)] = table[i] | (1U << places[bit]);
        }
    }
    return table;
}

}  // namespace

int bit_count_of(MortonCode code) {
    switch (code) {
        case MortonCode::bits_30:
            return 30;
        case MortonCode::bits_63:
            return 63;
        case MortonCode::by_length:
            return kBitsByLength + 1;
    }
    return 0;
}

MortonCoder::MortonCoder(std::span<const Aabb> boxes, MortonCode code) : code_(code) {
    Aabb bounds = all_centres(boxes);
    if (is_empty(bounds)) {
        bounds = {Vec3{0.0F}, Vec3{0.0F}};
    }
    if (code == MortonCode::by_length) {
        bounds = most_centres(boxes, bounds);
        deal_bits(bounds.max - bounds.min);
    } else {
        last_cell_.fill(code == MortonCode::bits_30 ? 1023.0F : 2097151.0F);
    }
    low_ = bounds.min;
    for (int axis = 0; axis < 3; ++axis) {
        const float cells = last_cell_[static_cast<std::size_t>(axis)] + 1.0F;
        const float scale = cells / (bounds.max[axis] - bounds.min[axis]);
        scale_[axis] = std::isfinite(scale) ? scale : 0.0F;
    }
}

void MortonCoder::deal_bits(const Vec3& size) {
    std::array<std::vector<std::uint32_t>, 3> places;  // of each axis, highest first
    Vec3 cell = size;
    for (std::uint32_t bit = kBitsByLength; bit-- > 0;) {
        int longest = -1;
        for (int axis = 0; axis < 3; ++axis) {
            const bool has_room = places[static_cast<std::size_t>(axis)].size() < kAxisBitsMax;
            if (has_room && (longest < 0 || cell[axis] > cell[longest])) {
                longest = axis;
            }
        }
        places[static_cast<std::size_t>(longest)].push_back(bit);
        cell[longest] *= 0.5F;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::ranges::reverse(places[axis]);
        const std::span<const std::uint32_t> all = places[axis];
        const std::size_t lower = std::min<std::size_t>(all.size(), kTableBits);
        spread_[axis][0] = spread_table(all.first(lower));
        spread_[axis][1] = spread_table(all.subspan(lower));
        last_cell_[axis] = static_cast<float>((std::uint64_t{1} << all.size()) - 1);
    }
}

std::uint64_t MortonCoder::code_of(const Aabb& box) const {
    bool is_outlier = false;
    const Vec3 place = (centre2(box) - low_) * scale_;
    const std::uint32_t x = cell_of(place.x, 0, is_outlier);
    const std::uint32_t y = cell_of(place.y, 1, is_outlier);
    const std::uint32_t z = cell_of(place.z, 2, is_outlier);
    if (code_ != MortonCode::by_length) {
        return morton_3d(x, y, z);
    }
    const std::uint32_t code = spread_[0][0][x & kTableMask] | spread_[0][1][x >> kTableBits] |
                               spread_[1][0][y & kTableMask] | spread_[1][1][y >> kTableBits] |
                               spread_[2][0][z & kTableMask] | spread_[2][1][z >> kTableBits];
    return code | std::uint64_t{is_outlier} << kBitsByLength;
}

/// What lies beyond the bounds counts as at the edge.
std::uint32_t MortonCoder::cell_of(float place, std::size_t axis, bool& is_outlier) const {
    constexpr float kSlack = 0.05F;  // what rounding moves is no outlier
    const float last = last_cell_[axis];
    const float slack = kSlack * last + 1.0F;
    is_outlier |= place < -slack || place > last + slack;
    return static_cast<std::uint32_t>(std::min(std::max(place, 0.0F), last));
}

}  // namespace terrane
