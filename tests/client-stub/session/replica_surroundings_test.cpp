#include <doctest/doctest.h>

#include "tests/client-stub/session/replica_feed.h"

namespace terrane::test {
namespace {

constexpr std::uint8_t kPineKind = 3;

PropPlacement pine(std::uint8_t index, std::int16_t x = 160) {
    return {.index = index, .kind = kPineKind, .yaw = 16384, .x = x, .y = 16, .z = 8};
}

Bytes chunk_with(const ChunkCoord& c, const std::vector<PropPlacement>& props) {
    return encode_chunk(c, encode_chunk(rock()), props);
}

std::vector<int> indices_of(const Feed& feed, const ChunkCoord& c) {
    std::vector<int> indices;
    const auto found = feed.replica.props().find(c);
    if (found != feed.replica.props().end()) {
        for (const ReplicaProp& prop : found->second) {
            indices.push_back(prop.index);
        }
    }
    return indices;
}

TEST_CASE("replica_surroundings: props come with their chunk, go one by one and with it") {
    Feed feed;
    REQUIRE(feed.take(chunk_with({1, 0, 0}, {pine(7), pine(2, 0), pine(63, 512)})));
    CHECK(indices_of(feed, {1, 0, 0}) == std::vector{2, 7, 63});
    // 10 m into the chunk at x = 32, the foot at 1 m, the middle 3 m above.
    const ReplicaProp& prop = feed.replica.props().at({1, 0, 0})[1];
    CHECK(prop.pose.position == Vec3(42, 4, 0.5F));
    CHECK(glm::length(prop.pose.rotation * Vec3(1, 0, 0) - Vec3(0, 0, -1)) < 1e-6F);

    REQUIRE(feed.take(encode_props_gone({1, 0, 0}, std::vector<std::uint8_t>{7, 9})));
    CHECK(indices_of(feed, {1, 0, 0}) == std::vector{2, 63});
    REQUIRE(feed.take(encode_props_gone({0, 0, 0}, std::vector<std::uint8_t>{1})));  // not here
    REQUIRE(feed.take(chunk_with({1, 0, 0}, {pine(5)})));  // whole again: what stands now
    CHECK(indices_of(feed, {1, 0, 0}) == std::vector{5});
    REQUIRE(feed.take(encode_props_gone({1, 0, 0}, std::vector<std::uint8_t>{5})));
    CHECK(feed.replica.props().empty());

    REQUIRE(feed.take(chunk_with({1, 0, 0}, {pine(5)})));
    REQUIRE(feed.take(encode_forget(std::vector<ChunkCoord>{{1, 0, 0}})));
    CHECK(feed.replica.props().empty());
}

TEST_CASE("replica_surroundings: props that cannot be are refused, and the chunk with them") {
    const auto refusal = [](const PropPlacement& prop) {
        Feed feed;
        const std::string message = message_of(feed.take(chunk_with(kHome, {prop})));
        CHECK(feed.replica.grid().chunk_count() == 0);
        return message;
    };
    CHECK(refusal({.kind = 1}) == "Chunk.props.kind of (0, 0, 0): 1 is no static kind");
    CHECK(refusal({.kind = 99}) == "Chunk.props.kind of (0, 0, 0): 99 is no static kind");
    CHECK(refusal(pine(4, -1)) == "Chunk.props of (0, 0, 0): 4 stands outside of its chunk");
    CHECK(refusal(pine(4, 513)) == "Chunk.props of (0, 0, 0): 4 stands outside of its chunk");
    Feed feed;
    CHECK(message_of(feed.take(chunk_with(kHome, {pine(4), pine(4, 3)}))) ==
          "Chunk.props.index of (0, 0, 0): 4 twice");
}

TEST_CASE("replica_surroundings: the time of day runs from what the zone said last") {
    Feed feed;  // its Welcome says: midnight, and time stands still
    CHECK(feed.replica.day_fraction(1e6) == 0.0F);
    REQUIRE(feed.take(encode_sky_changed(wire::Sky{100, 0.5F, 10.0F})));
    CHECK(feed.replica.day_fraction(100) == 0.5F);
    CHECK(feed.replica.day_fraction(140) == doctest::Approx(0.7));
}

}  // namespace
}  // namespace terrane::test
