#include "server/world/chunk_tickets.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "server/world/view_offsets.h"
#include "shared/core/random.h"

using namespace terrane;

namespace {

const GridBounds kBounds{{-10, -2, -10}, {10, 3, 10}};
constexpr std::int32_t kSimulated = 2;

std::int32_t length2(const ChunkCoord& c) {
    return c.x * c.x + c.y * c.y + c.z * c.z;
}

template <typename Visit>
void each_chunk(const Visit& visit) {
    for (std::int32_t y = kBounds.min.y; y < kBounds.max.y; ++y) {
        for (std::int32_t z = kBounds.min.z; z < kBounds.max.z; ++z) {
            for (std::int32_t x = kBounds.min.x; x < kBounds.max.x; ++x) {
                visit(ChunkCoord{x, y, z});
            }
        }
    }
}

struct Viewer {
    ChunkCoord centre;
    std::int32_t view = 0;
};

}  // namespace

TEST_CASE("A25 chunk_tickets: players who come, walk, jump and go: counts equal the distances") {
    ChunkTickets tickets(kBounds, {});
    std::map<EntityId, Viewer> viewers;
    Random random(8);
    for (int step = 0; step < 300; ++step) {
        const EntityId player = 1 + random.below(4);
        const auto found = viewers.find(player);
        if (found != viewers.end() && random.below(6) == 0) {
            tickets.forget_player(player);
            viewers.erase(found);
        } else if (found != viewers.end() && random.below(3) > 0) {
            found->second.centre.x += random.between(-1, 1);
            found->second.centre.z += random.between(-1, 1);
            tickets.set_player(player, found->second.centre,
                               static_cast<std::uint32_t>(found->second.view));
        } else {
            const Viewer viewer{
                {random.between(-12, 12), random.between(-4, 4), random.between(-12, 12)},
                random.between(kSimulated, 5)};
            viewers[player] = viewer;
            tickets.set_player(player, viewer.centre, static_cast<std::uint32_t>(viewer.view));
        }
        each_chunk([&](const ChunkCoord& c) {
            const auto is_near = [&](const auto& radius_of) {
                return std::any_of(viewers.begin(), viewers.end(), [&](const auto& viewer) {
                    const std::int32_t radius = radius_of(viewer.second);
                    return length2(c - viewer.second.centre) <= radius * radius;
                });
            };
            REQUIRE(tickets.is_view_wanted(c) == is_near([](const Viewer& v) { return v.view; }));
            REQUIRE(tickets.is_view_kept(c, 1) ==
                    is_near([](const Viewer& v) { return v.view + 1; }));
            REQUIRE(tickets.is_simulation_wanted(c, 1) ==
                    is_near([](const Viewer&) { return kSimulated; }));
            REQUIRE(tickets.is_simulation_kept(c, 1) ==
                    is_near([](const Viewer&) { return kSimulated + 1; }));
        });
    }
}

TEST_CASE("A25 chunk_tickets: who gains and who loses is told, and nothing of who stands still") {
    ChunkTickets tickets(kBounds, {});
    tickets.set_player(1, {0, 0, 0}, 4);
    const std::set<ChunkCoord> gained(tickets.gained().begin(), tickets.gained().end());
    each_chunk([&](const ChunkCoord& c) {
        CHECK(gained.contains(c) == (length2(c) <= kSimulated * kSimulated));
    });
    CHECK(tickets.lost().empty());
    tickets.clear_changes();
    tickets.set_player(1, {0, 0, 0}, 4);
    tickets.set_player(2, {0, 0, 0}, 3);  // the first one has all that already
    CHECK(tickets.gained().empty());
    tickets.forget_player(2);
    CHECK(tickets.lost().empty());
    tickets.set_player(1, {1, 0, 0}, 4);
    for (const ChunkCoord& c : tickets.lost()) {
        CHECK((!tickets.is_simulation_kept(c, 1) || !tickets.is_view_kept(c, 1)));
    }
    const std::size_t lost = tickets.lost().size();
    CHECK(lost > 0);
    tickets.forget_player(1);
    const std::vector<ChunkCoord> all(tickets.lost().begin(), tickets.lost().end());
    tickets.clear_changes();
    for (const ChunkCoord& c : all) {
        tickets.forget_idle(c, 1);
    }
    CHECK(tickets.count() == 0);
    CHECK(tickets.player_count() == 0);
}

TEST_CASE("A25 chunk_tickets: a place keeps whole columns, and only while it is held") {
    ChunkTickets tickets(kBounds, {});
    tickets.hold_columns({2, 0, 3}, 1);
    tickets.hold_columns({3, 0, 3}, 1);
    tickets.release_columns({2, 0, 3}, 1);
    each_chunk([&](const ChunkCoord& c) {
        const bool is_held = std::abs(c.x - 3) <= 1 && std::abs(c.z - 3) <= 1;
        CHECK(tickets.is_simulation_wanted(c, 1) == is_held);
        CHECK(tickets.is_view_kept(c, 1) == is_held);
    });
}

TEST_CASE("A25 chunk_tickets: a body's wish lasts for the linger, boxes outside are no wish") {
    ChunkTickets tickets(kBounds, {.simulated_chunks = 2, .linger_ticks = 40});
    std::vector<ChunkCoord> wished;
    const std::vector<Aabb> boxes{{Vec3(31.0F, 1.0F, 1.0F), Vec3(33.0F, 2.0F, 2.0F)},
                                  {Vec3(30.0F, 1.0F, 1.0F), Vec3(31.0F, 2.0F, 2.0F)},
                                  {Vec3(1e9F), Vec3(2e9F)},
                                  {Vec3(NAN), Vec3(NAN)},
                                  {Vec3(319.0F, 1.0F, 1.0F), Vec3(1e30F, 2.0F, 2.0F)}};
    tickets.wish(boxes, 100, wished);
    CHECK(wished == std::vector<ChunkCoord>{{0, 0, 0}, {1, 0, 0}, {9, 0, 0}});
    CHECK(tickets.is_simulation_wanted({1, 0, 0}, 100));
    CHECK(tickets.is_view_kept({1, 0, 0}, 140));
    CHECK_FALSE(tickets.is_view_kept({1, 0, 0}, 141));
    CHECK_FALSE(tickets.is_view_wanted({1, 0, 0}));  // nothing is generated for its sake
    tickets.forget_idle({1, 0, 0}, 140);
    CHECK(tickets.count() == 3);
    tickets.forget_idle({1, 0, 0}, 141);
    CHECK(tickets.count() == 2);
}

TEST_CASE("chunk_tickets: the walk takes players in turn, nearest first, each chunk of them once") {
    ChunkTickets tickets(kBounds, {});
    tickets.set_player(1, {-5, 0, 0}, 3);
    tickets.set_player(2, {5, 0, 0}, 3);
    std::vector<ChunkCoord> order;
    std::size_t room = 20;
    const auto visit = [&](const ChunkCoord& c) {
        if (room == 0) {
            return false;
        }
        --room;
        order.push_back(c);
        return true;
    };
    tickets.walk(visit);
    REQUIRE(order.size() == 20);
    const auto of_first =
        std::count_if(order.begin(), order.end(), [](const ChunkCoord& c) { return c.x < 0; });
    CHECK(of_first >= 8);
    CHECK(of_first <= 12);
    CHECK(order[0] == ChunkCoord{-5, 0, 0});
    CHECK(tickets.waiting_count() > 0);
    while (tickets.waiting_count() > 0) {
        room = 7;
        tickets.walk(visit);
    }
    const std::set<ChunkCoord> once(order.begin(), order.end());
    CHECK(once.size() == order.size());
    std::size_t expected = 0;
    each_chunk([&](const ChunkCoord& c) { expected += tickets.is_view_wanted(c) ? 1U : 0U; });
    CHECK(order.size() == expected);
    room = 100;
    tickets.walk(visit);
    CHECK(room == 100);
}

TEST_CASE("view_offsets: a ball of chunks, each once, nearest first") {
    for (std::uint32_t radius = 0; radius <= 8; ++radius) {
        const auto offsets = view_offsets(radius);
        CHECK(offsets[0] == ChunkCoord{0, 0, 0});
        std::set<ChunkCoord> seen;
        std::int32_t last = 0;
        for (const ChunkCoord& c : offsets) {
            const std::int32_t d2 = length2(c);
            CHECK(d2 >= last);
            CHECK(d2 <= static_cast<std::int32_t>(radius * radius));
            CHECK(seen.insert(c).second);
            last = d2;
        }
    }
    CHECK(view_offsets(8).size() == 2109);
}
