#include <doctest/doctest.h>

#include <map>
#include <set>

#include "server/replication/node_slots.h"
#include "shared/core/random.h"

using namespace terrane;

TEST_CASE("node_slots: random comings and goings never give two nodes one slot") {
    NodeSlots slots;
    Random random(17);
    std::map<EntityId, NodeSlot> in_view;
    std::map<std::uint16_t, int> last_generation;
    for (int step = 0; step < 20000; ++step) {
        const EntityId entity = 1 + random.below(6000);
        if (in_view.contains(entity)) {
            const NodeSlot freed = slots.exit(entity);
            CHECK(freed.slot == in_view[entity].slot);
            in_view.erase(entity);
            CHECK(slots.find(entity) == nullptr);
        } else if (in_view.size() < NodeSlots::kSlotsMax) {
            REQUIRE(slots.enter(entity));
            in_view[entity] = *slots.find(entity);
        }
    }
    std::set<std::uint16_t> used;
    for (const auto& [entity, slot] : in_view) {
        CHECK(used.insert(slots.find(entity)->slot).second);
    }
}

TEST_CASE("node_slots: full is refused; a reused slot has another generation") {
    NodeSlots slots;
    for (EntityId entity = 1; entity <= NodeSlots::kSlotsMax; ++entity) {
        REQUIRE(slots.enter(entity));
    }
    CHECK_FALSE(slots.enter(99999));
    const NodeSlot freed = slots.exit(5);
    REQUIRE(slots.enter(99999));
    CHECK(slots.find(99999)->slot == freed.slot);
    CHECK(slots.find(99999)->generation != freed.generation);
}
