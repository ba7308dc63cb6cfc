#include "shared/bvh/morton.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "shared/bvh/sorted_keys.h"
#include "tests/shared/bvh/query_scenes.h"

namespace terrane {
namespace {

std::uint64_t interleave(std::array<std::uint64_t, 3> values, int axes, int bits) {
    std::uint64_t code = 0;
    for (int bit = 0; bit < bits; ++bit) {
        for (int axis = 0; axis < axes; ++axis) {
            code |= (values[static_cast<std::size_t>(axis)] >> bit & 1U) << (bit * axes + axis);
        }
    }
    return code;
}

TEST_CASE("B3 morton: the bits are spread as by interleaving one at a time") {
    Random random(41);
    for (int i = 0; i < 20'000; ++i) {
        const auto x = static_cast<std::uint32_t>(random.next());
        const auto y = static_cast<std::uint32_t>(random.next());
        const auto z = static_cast<std::uint32_t>(random.next()) & 0x1FFFFFU;
        REQUIRE(morton_2d(x, y) == interleave({x, y, 0}, 2, 32));
        REQUIRE(morton_3d(x & 0x1FFFFFU, y & 0x1FFFFFU, z) ==
                interleave({x & 0x1FFFFFU, y & 0x1FFFFFU, z}, 3, 21));
    }
    CHECK(morton_2d(2, 2) == 0b1100);
    CHECK(morton_2d(3, 2) == 0b1101);
    CHECK(spread_bits_by_1(0x10000) == 0x100000000ULL);
}

TEST_CASE("B3 morton: codes have the bits they say and follow the place") {
    Random random(42);
    const QueryScene scene = flat_scene(500, random);
    for (const MortonCode code :
         {MortonCode::bits_30, MortonCode::bits_63, MortonCode::by_length}) {
        const MortonCoder coder(scene.boxes, code);
        std::uint64_t most = 0;
        for (const Aabb& box : scene.boxes) {
            most |= coder.code_of(box);
        }
        // The bit of outliers is free.
        const int bits = bit_count_of(code) - (code == MortonCode::by_length ? 1 : 0);
        CHECK((most >> bits) == 0);
        CHECK((most >> (bits - 1)) == 1);
    }
    // A row of boxes along x: by length, the order of the codes is the order of the row.
    std::vector<Aabb> row;
    for (int i = 0; i < 1000; ++i) {
        const Vec3 at(static_cast<float>(i), 0.5F, 0.0F);
        row.push_back({at, at + Vec3(0.5F, 0.0F, 0.25F)});
    }
    const std::vector<SortedKey> keys = sorted_keys(row, MortonCode::by_length);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        REQUIRE(keys[i].object == i);
    }
}

TEST_CASE("B13 morton: one far outlier does not take the bits of the others") {
    Random random(43);
    std::vector<Aabb> boxes = flat_scene(2000, random).boxes;
    boxes.push_back({Vec3(1e6F), Vec3(1e6F + 1.0F)});
    const std::vector<SortedKey> keys = sorted_keys(boxes, MortonCode::by_length);
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < keys.size(); ++i) {
        distinct += keys[i].code != keys[i - 1].code ? 1U : 0U;
    }
    CHECK(distinct > 1900);
    CHECK(keys.back().object == 2000);
}

TEST_CASE("B3 sorted_keys: the order of a stable sort, for any number of threads") {
    Random random(44);
    std::vector<Aabb> boxes = flat_scene(50'000, random).boxes;
    for (std::size_t i = 0; i < boxes.size(); i += 3) {
        boxes[i] = boxes[i / 2];  // equal codes
    }
    boxes[17] = {};
    for (const MortonCode code :
         {MortonCode::bits_30, MortonCode::bits_63, MortonCode::by_length}) {
        const MortonCoder coder(boxes, code);
        std::vector<SortedKey> slow;
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            if (is_usable_box(boxes[i])) {
                slow.push_back({coder.code_of(boxes[i]), i});
            }
        }
        std::ranges::stable_sort(slow, {}, &SortedKey::code);
        for (const unsigned threads : {0U, 1U, 2U, 3U}) {
            WorkerPool pool(threads);
            const std::vector<SortedKey> keys = sorted_keys(boxes, code, &pool);
            REQUIRE(keys.size() == slow.size());
            bool is_same = true;
            for (std::size_t i = 0; i < keys.size(); ++i) {
                is_same = is_same && keys[i].object == slow[i].object;
            }
            CHECK(is_same);
        }
    }
}

}  // namespace
}  // namespace terrane
