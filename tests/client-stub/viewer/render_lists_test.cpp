#include "client-stub/viewer/render_lists.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "shared/core/random.h"

using namespace terrane;

namespace {

std::vector<std::uint32_t> indices_of(const RenderLists& lists, RenderListId list) {
    std::vector<std::uint32_t> indices;
    for (const RenderItem& item : lists.items(list)) {
        indices.push_back(item.index);
    }
    return indices;
}

}  // namespace

TEST_CASE("C9 render_lists: solid front to back, translucent back to front, others as added") {
    RenderLists lists;
    const std::array<float, 5> distances{7.0F, 1.0F, 9.0F, 1.0F, 3.0F};
    for (std::uint32_t i = 0; i < distances.size(); ++i) {
        for (const RenderListId list :
             {RenderListId::solid, RenderListId::translucent, RenderListId::user_0}) {
            lists.add(list, {nullptr, i, distances[i]});
        }
    }
    lists.sort();
    CHECK(indices_of(lists, RenderListId::solid) == std::vector<std::uint32_t>{1, 3, 4, 0, 2});
    CHECK(indices_of(lists, RenderListId::translucent) ==
          std::vector<std::uint32_t>{2, 0, 4, 1, 3});
    CHECK(indices_of(lists, RenderListId::user_0) == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
    lists.clear();
    CHECK(lists.items(RenderListId::solid).empty());
}

TEST_CASE("C9 render_lists: random distances come out ordered and complete") {
    constexpr std::uint64_t kSeed = 99;
    INFO("seed ", kSeed);
    Random random(kSeed);
    RenderLists lists;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        lists.add(RenderListId::solid, {nullptr, i, random.range(0.0F, 50.0F)});
        lists.add(RenderListId::translucent, {nullptr, i, random.range(0.0F, 50.0F)});
    }
    lists.sort();
    CHECK(std::ranges::is_sorted(lists.items(RenderListId::solid), std::ranges::less{},
                                 &RenderItem::distance_m));
    CHECK(std::ranges::is_sorted(lists.items(RenderListId::translucent), std::ranges::greater{},
                                 &RenderItem::distance_m));
    auto indices = indices_of(lists, RenderListId::translucent);
    std::ranges::sort(indices);
    CHECK(indices.size() == 2000);
    CHECK(std::ranges::adjacent_find(indices) == indices.end());
}

TEST_CASE(
    "C9 render_lists: the sky follows the solid things, water comes later, the order can be set") {
    RenderLists lists;
    const auto place = [&](RenderListId list) {
        return std::ranges::find(lists.order(), list) - lists.order().begin();
    };
    CHECK(place(RenderListId::solid) < place(RenderListId::sky_box));
    CHECK(place(RenderListId::sky_box) < place(RenderListId::translucent));
    CHECK(place(RenderListId::translucent) < place(RenderListId::user_9));
    const std::array<RenderListId, 2> order{RenderListId::user_3, RenderListId::solid};
    lists.set_order(order);
    CHECK(place(RenderListId::user_3) == 0);
    CHECK(place(RenderListId::solid) == 1);
    CHECK(lists.order().size() == 2);
}
