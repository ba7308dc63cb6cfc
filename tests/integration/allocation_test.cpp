#include <cstdlib>
#include <new>

#include <doctest/doctest.h>

#include "tests/support/virtual_zone.h"

using namespace terrane;
using namespace terrane::test;

namespace {

// Counts every allocation of this thread in this program.
thread_local std::size_t allocation_count = 0;

}  // namespace

// noinline: g++ would pair the malloc and free inside with the other operators of the program.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocation_count;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    std::abort();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocation_count;
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

TEST_CASE("zone: a warmed-up tick of an empty zone allocates nothing") {
    ZoneConfig config = test_zone_config();
    set_first_count(config, "crate", 12);
    set_first_count(config, "ball", 4);
    set_first_count(config, "stone", 4);
    VirtualZone zone(config);
    zone.join("guest");
    zone.clients.front()->quit(zone.clock.now());
    zone.ticks(20 * 30);  // everything has come to rest, the guest is gone
    REQUIRE(zone.zone->world().players.empty());
    REQUIRE(zone.zone->world().bodies.size() == 20);

    REQUIRE(allocation_count > 1000);  // the counter counts
    const std::size_t before = allocation_count;
    for (int i = 0; i < 40; ++i) {
        zone.zone->run_tick();
    }
    CHECK(allocation_count - before == 0);
}
