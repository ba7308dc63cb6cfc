#include "client-stub/bots/bot.h"

#include <doctest/doctest.h>

#include "tests/client-stub/bots/tiny_zone.h"

namespace terrane::test {
namespace {

using namespace std::chrono_literals;

/// Bots in a tiny zone, in time that only moves when told.
struct Playground {
    TinyZone zone;
    ChunkCache cache;
    SwarmRecord record;
    std::vector<std::unique_ptr<Bot>> bots;
    Nanoseconds now{0};

    void add(BehaviourKind kind, bool is_verifying = false) {
        BotConfig config;
        config.index = static_cast<std::uint32_t>(bots.size());
        config.seed = 4;
        config.behaviour = {.kind = kind, .edits_per_s = 4.0F};
        config.is_verifying = is_verifying;
        config.verify_period = 2s;
        ClientSessionConfig session;
        session.name = fmt::format("bot-{}", bots.size());
        session.replica.cache = &cache;
        bots.push_back(std::make_unique<Bot>(config, zone.connect(), session, now, record));
    }
    /// Inputs leave at 0 ms of a tick, the zone's answers are read at 20 ms.
    void run(int ticks) {
        for (int i = 0; i < ticks; ++i) {
            for (const auto& bot : bots) {
                bot->tick(now);
            }
            zone.tick();
            for (const auto& bot : bots) {
                bot->receive(now + 20ms);
            }
            now += 50ms;
        }
    }
    std::uint64_t sum(std::uint64_t SessionCounters::* counter) const {
        std::uint64_t all = 0;
        for (const auto& bot : bots) {
            all += bot->session().counters().*counter;
        }
        return all;
    }
    const ReplicaCounters& replica(std::size_t bot) const {
        return bots[bot]->session().replica()->counters();
    }
};

TEST_CASE("bot: bots dig and build, see each other's edits, and agree with the zone") {
    Playground ground;
    ground.add(BehaviourKind::mixed, true);
    ground.add(BehaviourKind::dig, true);
    ground.add(BehaviourKind::build, true);
    ground.add(BehaviourKind::walk, true);
    ground.run(200);
    CHECK(ground.record.join_ms.count() == 4);
    CHECK(ground.record.playable_ms.count() == 4);
    CHECK(ground.record.playable_ms.max() == doctest::Approx(20.0));
    CHECK(ground.record.snapshot_interval_ms.percentile(50) == doctest::Approx(50).epsilon(0.01));
    CHECK(ground.zone.edits_applied > 80);
    CHECK(ground.sum(&SessionCounters::edits_applied) == ground.zone.edits_applied);
    // The bots' eyes agree with the zone's: hardly anything is refused.
    CHECK(ground.zone.edits_refused * 20 < ground.zone.edits_applied);
    CHECK(ground.sum(&SessionCounters::edits_refused) == ground.zone.edits_refused);
    // Each operation of a claimed edit was seen by the three others, 20 ms after it was sent.
    CHECK(ground.record.sightings.delays_ms().count() >= 3 * ground.zone.edits_applied);
    CHECK(ground.record.sightings.delays_ms().max() == doctest::Approx(20.0));
    for (const auto& bot : ground.bots) {
        bot->settle();
        bot->check(ground.now);
    }
    ground.run(3);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(ground.bots[i]->is_checked());
        CHECK(ground.replica(i).divergences() == 0);
        CHECK(ground.replica(i).hashes_equal >= 4 * 48);  // sweeps every 2 s, and the last one
    }
    CHECK(ground.cache.hits() > ground.cache.misses());
    const std::uint64_t applied = ground.zone.edits_applied;
    ground.run(20);
    CHECK(ground.zone.edits_applied == applied);  // settled bots do not edit
    for (const auto& bot : ground.bots) {
        bot->quit(ground.now);
    }
    ground.run(2);
    for (const auto& bot : ground.bots) {
        CHECK(bot->is_left());
        CHECK_FALSE(bot->is_dropped());
    }
}

TEST_CASE("bot: a zone whose voxels differ is found out") {
    Playground ground;
    ground.add(BehaviourKind::idle, true);
    ground.run(1);
    SUBCASE("one changed voxel") {
        ground.zone.corrupt({0, 0, 0});
    }
    SUBCASE("wrong hashes") {
        ground.zone.is_lying = true;
    }
    ground.bots[0]->check(ground.now);
    ground.run(2);
    CHECK(ground.bots[0]->is_checked());
    CHECK(ground.replica(0).divergences() == (ground.zone.is_lying ? 48 : 1));
}

TEST_CASE("bot: hashes that never come leave the check open") {
    Playground ground;
    ground.add(BehaviourKind::idle, true);
    ground.run(1);
    ground.zone.is_silent = true;
    ground.bots[0]->settle();  // no sweep but the last
    ground.bots[0]->check(ground.now);
    ground.run(50);
    CHECK_FALSE(ground.bots[0]->is_checked());
}

TEST_CASE("bot: one that is sent away was dropped, one that is not let in never joined") {
    Playground ground;
    ground.add(BehaviourKind::idle);
    ground.run(2);
    ground.zone.kick(0);
    ground.zone.is_closed = true;
    ground.add(BehaviourKind::idle);
    ground.run(3);
    CHECK(ground.bots[0]->is_dropped());
    CHECK(ground.bots[0]->session().leave_text() == "the zone ended the session: kicked (test)");
    CHECK(ground.bots[0]->connected_s(ground.now) == doctest::Approx(0.1));
    CHECK_FALSE(ground.bots[1]->has_joined());
    CHECK_FALSE(ground.bots[1]->is_dropped());
    CHECK(ground.bots[1]->is_left());
    CHECK(ground.record.join_ms.count() == 1);
}

TEST_CASE("bot: hash requests keep their distance and their size") {
    Playground ground;
    ground.add(BehaviourKind::idle, true);
    ground.run(1);
    std::uint64_t last = ground.sum(&SessionCounters::hash_requests);
    int most_in_a_second = 0;
    std::vector<int> requests;
    for (int tick = 0; tick < 200; ++tick) {
        ground.bots[0]->check(ground.now);  // as often as it can
        ground.run(1);
        const std::uint64_t now = ground.sum(&SessionCounters::hash_requests);
        requests.push_back(static_cast<int>(now - last));
        last = now;
        int in_a_second = 0;
        for (std::size_t i = requests.size() < 20 ? 0 : requests.size() - 20; i < requests.size();
             ++i) {
            in_a_second += requests[i];
        }
        most_in_a_second = std::max(most_in_a_second, in_a_second);
    }
    CHECK(most_in_a_second == 4);
}

}  // namespace
}  // namespace terrane::test
