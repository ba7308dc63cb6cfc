#include "server/store/row_codec.h"

#include <limits>
#include <set>

#include <doctest/doctest.h>

#include "tests/server/store/scratch_folder.h"

namespace terrane {
namespace {

TEST_CASE("row_codec: records round trip, and no other length is one") {
    for (std::uint64_t number = 0; number < 50; ++number) {
        const StoredPlayer player = make_player("p", number);
        std::vector<std::uint8_t> record = encode_player(player);
        REQUIRE(decode_player("p", record));
        CHECK(is_same(*decode_player("p", record), player));
        record.push_back(0);
        CHECK(!decode_player("p", record));
        const StoredBody body = make_body(number, number);
        const std::vector<std::uint8_t> bytes = encode_body(body);
        REQUIRE(decode_body(number, bytes));
        CHECK(is_same(*decode_body(number, bytes), body));
    }
    const std::vector<std::uint8_t> player = encode_player(make_player("p", 1));
    const std::vector<std::uint8_t> body = encode_body(make_body(1, 1));
    for (std::size_t size = 0; size < player.size(); ++size) {
        CHECK(!decode_player("p", std::span(player).first(size)));
    }
    for (std::size_t size = 0; size < body.size() - 3; ++size) {  // "log" may lose letters
        CHECK(!decode_body(1, std::span(body).first(size)));
    }
}

TEST_CASE("row_codec: the row of versions round trips, and no shorter or longer one is read") {
    StoreMeta meta;
    meta.versions = {3, 4, ~0ULL, {{"zone.seed", "1"}, {"", ""}}, {"air", "", "rock"}};
    meta.last_tick = 5;
    meta.start_count = 6;
    meta.spawn_point = StoredPoint{{1.0F, -2.5F, 3.0F}};
    std::vector<std::uint8_t> record = encode_meta(meta);
    CHECK(record.size() == 5 * 8 + 2 + (2 + 9 + 2 + 1) + (2 + 2) + 2 + (2 + 3) + 2 + (2 + 4) + 13);
    const auto read = decode_meta(record);
    REQUIRE(read);
    CHECK(read->versions.generator == 3);
    CHECK(read->versions.brush == 4);
    CHECK(read->versions.seed == ~0ULL);
    CHECK(read->versions.settings == meta.versions.settings);
    CHECK(read->versions.materials == meta.versions.materials);
    CHECK(read->last_tick == 5);
    CHECK(read->start_count == 6);
    REQUIRE(read->spawn_point);
    CHECK(read->spawn_point->position[1] == -2.5F);
    const std::size_t without_spawn_point = record.size() - 13;
    for (std::size_t size = 0; size < record.size(); ++size) {
        CHECK(decode_meta(std::span(record).first(size)).has_value() ==
              (size == without_spawn_point));
    }
    CHECK(!decode_meta(std::span(record).first(without_spawn_point))->spawn_point);
    record.push_back(0);
    CHECK(!decode_meta(record));
    CHECK(!decode_meta(std::vector<std::uint8_t>(200, 0xff)));
}

TEST_CASE("row_codec: golden bytes of every version") {
    StoredPlayer player;
    player.id = 0x0102030405060708ULL;
    player.position[0] = 1.0F;
    player.yaw = 0x1234;
    player.pitch = -2;
    player.vehicle = 0x99;
    player.seat = 3;
    std::vector<std::uint8_t> golden = {2, 8, 7, 6, 5, 4, 3, 2,    1,    0,    0,   0x80, 0x3f,
                                        0, 0, 0, 0, 0, 0, 0, 0,    0,    0,    0,   0,    0,
                                        0, 0, 0, 0, 0, 0, 0, 0x34, 0x12, 0xfe, 0xff};
    std::vector<std::uint8_t> first_version = golden;
    golden.insert(golden.end(), {0x99, 0, 0, 0, 0, 0, 0, 0, 3});
    CHECK(encode_player(player) == golden);
    first_version[0] = 1;
    REQUIRE(decode_player("p", first_version));
    CHECK(decode_player("p", first_version)->pitch == -2);
    CHECK(decode_player("p", first_version)->vehicle == 0);
    StoredBody body;
    body.kind = "log";
    body.is_asleep = true;
    const std::vector<std::uint8_t> bytes = encode_body(body);
    CHECK(bytes.size() == 1 + 13 * 4 + 1 + 3);
    CHECK(bytes[0] == 1);
    CHECK(bytes[53] == 1);
    CHECK(std::string(bytes.begin() + 54, bytes.end()) == "log");
    body.piece = {7, 8, 9};
    const std::vector<std::uint8_t> piece = encode_body(body);
    CHECK(piece[0] == 2);
    const std::vector<std::uint8_t> end = {3, 0, 'l', 'o', 'g', 7, 8, 9};
    CHECK(std::vector<std::uint8_t>(piece.begin() + 54, piece.end()) == end);
    CHECK(!decode_body(1, std::span(piece).first(piece.size() - 3)));  // a piece has voxels
    const std::vector<std::uint8_t> props = {1, 5, 0, 0, 0, 0, 0, 0, 0x80};
    CHECK(encode_props({{}, 0x8000000000000005ULL}) == props);
    CHECK(decode_props(props) == 0x8000000000000005ULL);
    CHECK(!decode_props(std::span(props).first(8)));
    CHECK(!decode_props(encode_props({{}, 0})));
}

TEST_CASE("row_codec: another version and numbers that are not finite are refused") {
    std::vector<std::uint8_t> record = encode_player(make_player("p", 1));
    record[0] = 3;
    CHECK(!decode_player("p", record));
    StoredPlayer player = make_player("p", 1);
    player.velocity[1] = std::numeric_limits<float>::quiet_NaN();
    CHECK(!decode_player("p", encode_player(player)));
    StoredBody body = make_body(1, 1);
    body.rotation[3] = std::numeric_limits<float>::infinity();
    CHECK(!decode_body(1, encode_body(body)));
    body = make_body(1, 1);
    body.kind.clear();
    CHECK(!decode_body(1, encode_body(body)));
}

TEST_CASE("row_codec: a checksum knows its table, its key and every bit") {
    const std::vector<std::uint8_t> bytes = make_blob(1);
    const std::int64_t sum = checksum(StoreTable::chunks, 7, bytes);
    CHECK(sum == checksum(StoreTable::chunks, 7, bytes));
    CHECK(sum != checksum(StoreTable::bodies, 7, bytes));
    CHECK(sum != checksum(StoreTable::chunks, 8, bytes));
    CHECK(checksum(StoreTable::players, "a", bytes) != checksum(StoreTable::players, "b", bytes));
    std::vector<std::uint8_t> spoiled = bytes;
    for (std::size_t bit = 0; bit < spoiled.size() * 8; ++bit) {
        spoiled[bit / 8] = static_cast<std::uint8_t>(spoiled[bit / 8] ^ (1U << (bit % 8)));
        CHECK(checksum(StoreTable::chunks, 7, spoiled) != sum);
        spoiled[bit / 8] = bytes[bit / 8];
    }
}

TEST_CASE("row_codec: chunk keys differ for every coordinate and keep neighbours near") {
    std::set<std::int64_t> keys;
    for (std::int32_t y = -8; y < 8; ++y) {
        for (std::int32_t z = -20; z < 20; ++z) {
            for (std::int32_t x = -20; x < 20; ++x) {
                keys.insert(chunk_key({x, y, z}));
            }
        }
    }
    CHECK(keys.size() == 16U * 40U * 40U);
    constexpr std::int32_t kEdge = 1 << 20;
    CHECK(chunk_key({-kEdge, -kEdge, -kEdge}) == 0);
    CHECK(chunk_key({kEdge - 1, kEdge - 1, kEdge - 1}) == std::numeric_limits<std::int64_t>::max());
    CHECK(chunk_key({1, 0, 0}) - chunk_key({0, 0, 0}) == 1);
    CHECK(chunk_key({0, 0, 1}) - chunk_key({0, 0, 0}) == 2);
    CHECK(chunk_key({0, 1, 0}) - chunk_key({0, 0, 0}) == 4);
}

}  // namespace
}  // namespace terrane
