#include "server/world/view_offsets.h"

#include <algorithm>
#include <array>
#include <vector>

#include "shared/core/assert.h"

namespace terrane {
namespace {

std::int32_t length2(const ChunkCoord& c) {
    return c.x * c.x + c.y * c.y + c.z * c.z;
}

std::vector<ChunkCoord> make_offsets(std::int32_t radius) {
    std::vector<ChunkCoord> offsets;
    for (std::int32_t y = -radius; y <= radius; ++y) {
        for (std::int32_t z = -radius; z <= radius; ++z) {
            for (std::int32_t x = -radius; x <= radius; ++x) {
                const ChunkCoord offset{x, y, z};
                if (length2(offset) <= radius * radius) {
                    offsets.push_back(offset);
                }
            }
        }
    }
    std::sort(offsets.begin(), offsets.end(), [](const ChunkCoord& a, const ChunkCoord& b) {
        return length2(a) != length2(b) ? length2(a) < length2(b) : a < b;
    });
    return offsets;
}

}  // namespace

std::span<const ChunkCoord> view_offsets(std::uint32_t radius) {
    TERRANE_ASSERT(radius <= kViewRadiusMax);
    static const auto kLists = [] {
        std::array<std::vector<ChunkCoord>, kViewRadiusMax + 1> lists;
        for (std::uint32_t r = 0; r <= kViewRadiusMax; ++r) {
            lists[r] = make_offsets(static_cast<std::int32_t>(r));
        }
        return lists;
    }();
    return kLists[radius];
}

}  // namespace terrane
