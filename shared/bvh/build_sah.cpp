#include "shared/bvh/build_sah.h"

#include <algorithm>
#include <array>
#include <limits>

#include "shared/bvh/top_down.h"
#include "shared/core/assert.h"

namespace terrane {
namespace {

/// Left as it is when made: a node clears only the bins that it uses.
struct SahBin {
    Lane4 low;
    Lane4 high;
    std::uint32_t count;

    LaneBox box() const {
        LaneBox box;
        box.low = low;
        box.high = high;
        return box;
    }
};

struct SahPlane {
    float cost = LaneBox::kFar;
    std::uint32_t axis = 0;
    std::uint32_t bin = 0;  ///< the first one on the right
};

/// Which bin a centre falls into, on all axes at once. An axis without extent has one bin.
struct Binning {
    Lane4 low;
    Lane4 scale;
    Lane4 last;

    Binning(const LaneBox& centres2, std::uint32_t bin_count) : low(centres2.low), scale{}, last{} {
        const Lane4 side = centres2.high - centres2.low;
        for (int axis = 0; axis < 3; ++axis) {
            const float bins = static_cast<float>(bin_count) / side[axis];
            const bool is_wide = side[axis] > 0.0F && bins <= std::numeric_limits<float>::max();
            scale[axis] = is_wide ? bins : 0.0F;
            last[axis] = static_cast<float>(bin_count - 1);
        }
    }
    using Bins = std::int32_t __attribute__((vector_size(16)));
    Bins bins_of(Lane4 centre2) const {
        return __builtin_convertvector(low4((centre2 - low) * scale, last), Bins);
    }
};

void sweep_bins(std::span<const SahBin> bins, std::uint32_t axis, SahPlane& best) {
    std::array<float, kSahBinsMax> right_cost{};
    LaneBox box;
    std::uint32_t count = 0;
    for (std::size_t i = bins.size(); i-- > 1;) {
        box.add(bins[i].box());
        count += bins[i].count;
        right_cost[i] = count == 0 ? LaneBox::kFar : half_area_m2(box) * static_cast<float>(count);
    }
    box = {};
    count = 0;
    for (std::size_t i = 0; i + 1 < bins.size(); ++i) {
        box.add(bins[i].box());
        count += bins[i].count;
        const float cost = count == 0
                               ? LaneBox::kFar
                               : half_area_m2(box) * static_cast<float>(count) + right_cost[i + 1];
        if (cost < best.cost) {
            best = {cost, axis, static_cast<std::uint32_t>(i) + 1};
        }
    }
}

std::uint32_t partition_at(std::span<BuildObject> objects, const Binning& binning,
                           const SahPlane& plane) {
    const std::uint32_t axis = plane.axis;
    const float low = binning.low[axis];
    const float scale = binning.scale[axis];
    const auto first_right = static_cast<float>(plane.bin);
    // A bin is the whole part: below bin k is below k.
    return part_objects(objects, [=](const BuildObject& object) {
        return (object.box.low[axis] + object.box.high[axis] - low) * scale < first_right;
    });
}

/// The best of the three ways to part three objects; the single one comes first.
std::uint32_t part_three(std::span<BuildObject> objects) {
    std::size_t single = 0;
    float least = LaneBox::kFar;
    for (std::size_t i = 0; i < 3; ++i) {
        LaneBox pair = objects[(i + 1) % 3].box;
        pair.add(objects[(i + 2) % 3].box);
        const float cost = 2.0F * half_area_m2(pair) + half_area_m2(objects[i].box);
        if (cost < least) {
            least = cost;
            single = i;
        }
    }
    std::swap(objects[0], objects[single]);
    return 1;
}

}  // namespace

Bvh build_sah(std::span<const Aabb> boxes, const SahConfig& config) {
    TERRANE_ASSERT(config.bin_count >= 2 && config.bin_count <= kSahBinsMax);
    return build_top_down(
        boxes, split_by_sah,
        {.leaf_objects_max = config.leaf_objects_max, .bin_count = config.bin_count});
}

std::uint32_t split_by_sah(const SplitNode& node) {
    if (node.objects.size() == 2) {
        return 1;
    }
    if (node.objects.size() == 3) {
        return part_three(node.objects);
    }
    const auto count = static_cast<std::uint32_t>(node.objects.size());
    const std::uint32_t bin_count = std::min(node.bin_count, std::max(count, 4U));
    const Binning binning(node.centres2, bin_count);
    std::array<std::array<SahBin, kSahBinsMax>, 3> bins;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const LaneBox empty;
        std::fill_n(bins[axis].begin(), bin_count, SahBin{empty.low, empty.high, 0});
    }
    const auto put = [](SahBin& bin, const LaneBox& box) {
        bin.low = low4(bin.low, box.low);
        bin.high = high4(bin.high, box.high);
        ++bin.count;
    };
    for (const BuildObject& object : node.objects) {
        const Binning::Bins at = binning.bins_of(object.centre2());
        // By name: a loop would send the lanes through memory.
        put(bins[0][static_cast<std::uint32_t>(at[0])], object.box);
        put(bins[1][static_cast<std::uint32_t>(at[1])], object.box);
        put(bins[2][static_cast<std::uint32_t>(at[2])], object.box);
    }
    SahPlane best;
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        sweep_bins(std::span(bins[axis]).first(bin_count), axis, best);
    }
    return best.bin == 0 ? 0 : partition_at(node.objects, binning, best);
}

}  // namespace terrane
