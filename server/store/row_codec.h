// Rows of the store as bytes, and the checksum that every row carries: XXH3-64 over the bytes,
// seeded with table and key, so that a good row under a wrong key is found out too. SQLite's own
// integrity check sees almost no rot inside blobs.
//
// Records, little endian, first byte = version 1, of players 2:
//   player  u8 version | u64 id | 3 x f32 position | 3 x f32 velocity | u16 yaw | i16 pitch |
//           u64 vehicle | u8 seat (both not in version 1)
//   body    u8 version | 3 x f32 position | 4 x f32 rotation | 3 x f32 linear velocity |
//           3 x f32 angular velocity | u8 asleep | kind, the rest of the record
//   props   u8 version | u64 removed, a bit for each prop of the chunk
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/store.h"

namespace terrane {

inline constexpr std::uint8_t kRecordVersion = 1;
inline constexpr std::uint8_t kPlayerRecordVersion = 2;
/// Of a body that is a piece.
inline constexpr std::uint8_t kPieceRecordVersion = 2;
inline constexpr std::size_t kStoredNameBytesMax = 255;

enum class StoreTable : std::uint8_t { meta = 1, chunks = 2, players = 3, bodies = 4, props = 5 };

std::int64_t checksum(StoreTable table, std::uint64_t key, std::span<const std::uint8_t> bytes);
std::int64_t checksum(StoreTable table, std::string_view key, std::span<const std::uint8_t> bytes);

/// Row key: Morton order, 21 bits an axis, so that chunks near each other lie on near pages.
std::int64_t chunk_key(const ChunkCoord& coord);

std::vector<std::uint8_t> encode_player(const StoredPlayer& player);
/// nullopt: another version, length or a number that is not finite.
std::optional<StoredPlayer> decode_player(std::string_view name,
                                          std::span<const std::uint8_t> record);
std::vector<std::uint8_t> encode_body(const StoredBody& body);
std::optional<StoredBody> decode_body(std::uint64_t id, std::span<const std::uint8_t> record);
std::vector<std::uint8_t> encode_props(const StoredProps& props);
/// nullopt: another version or length, or nothing removed.
std::optional<std::uint64_t> decode_props(std::span<const std::uint8_t> record);

/// generator | brush | seed | last tick | starts, all u64, then
/// u16 count | settings: key, value | u16 count | materials; a text is u16 length | bytes; then
/// u8 has spawn point | 3 x f32 spawn point, both absent in files of earlier versions.
struct StoreMeta {
    StoreVersions versions;
    std::uint64_t last_tick = 0;
    std::uint64_t start_count = 0;
    std::optional<StoredPoint> spawn_point;
};
std::vector<std::uint8_t> encode_meta(const StoreMeta& meta);
std::optional<StoreMeta> decode_meta(std::span<const std::uint8_t> record);

}  // namespace terrane
