#include "server/store/row_codec.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "shared/core/assert.h"

namespace terrane {
namespace {

static_assert(std::endian::native == std::endian::little, "records are written as they lie");

class RecordWriter {
  public:
    template <typename T>
    RecordWriter& put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::size_t at = bytes_.size();
        bytes_.resize(at + sizeof(T));
        std::memcpy(bytes_.data() + at, &value, sizeof(T));
        return *this;
    }
    RecordWriter& put_text(std::string_view text) {
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        return *this;
    }
    std::vector<std::uint8_t> take() { return std::move(bytes_); }

  private:
    std::vector<std::uint8_t> bytes_;
};

/// Reads past the end yield zeros and make the record bad.
class RecordReader {
  public:
    explicit RecordReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    template <typename T>
    void get(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (bytes_.size() < sizeof(T)) {
            is_good_ = false;
            return;
        }
        std::memcpy(&value, bytes_.data(), sizeof(T));
        bytes_ = bytes_.subspan(sizeof(T));
    }
    template <std::size_t Count>
    void get_finite(float (&values)[Count]) {
        get(values);
        for (const float value : values) {
            is_good_ = is_good_ && std::isfinite(value);
        }
    }
    std::string rest() {
        const std::span<const std::uint8_t> left = bytes_;
        bytes_ = {};
        return {left.begin(), left.end()};
    }
    void require(bool condition) { is_good_ = is_good_ && condition; }
    bool is_good_to_the_end() const { return is_good_ && bytes_.empty(); }

  private:
    std::span<const std::uint8_t> bytes_;
    bool is_good_ = true;
};

/// Puts two zero bits between the low 21 bits of `x`.
constexpr std::uint64_t spread_bits(std::uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffffULL;
    x = (x | x << 16) & 0x001f0000ff0000ffULL;
    x = (x | x << 8) & 0x100f00f00f00f00fULL;
    x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
    x = (x | x << 2) & 0x1249249249249249ULL;
    return x;
}

std::uint64_t seed_of(StoreTable table, std::uint64_t key) {
    return mix_bits(key * 8 + static_cast<std::uint64_t>(table));
}

}  // namespace

std::int64_t checksum(StoreTable table, std::uint64_t key, std::span<const std::uint8_t> bytes) {
    return static_cast<std::int64_t>(
        XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed_of(table, key)));
}

std::int64_t checksum(StoreTable table, std::string_view key, std::span<const std::uint8_t> bytes) {
    return checksum(table, XXH3_64bits(key.data(), key.size()), bytes);
}

std::int64_t chunk_key(const ChunkCoord& coord) {
    constexpr std::int32_t kHalf = 1 << 20;
    const auto part = [](std::int32_t v) {
        TERRANE_ASSERT(v >= -kHalf && v < kHalf);
        return spread_bits(static_cast<std::uint64_t>(std::int64_t{v} + kHalf));
    };
    return static_cast<std::int64_t>(part(coord.x) | part(coord.z) << 1 | part(coord.y) << 2);
}

std::vector<std::uint8_t> encode_player(const StoredPlayer& player) {
    return RecordWriter()
        .put(kRecordVersion)
        .put(player.id)
        .put(player.position)
        .put(player.velocity)
        .put(player.yaw)
        .put(player.pitch)
        .take();
}

std::optional<StoredPlayer> decode_player(std::string_view name,
                                          std::span<const std::uint8_t> record) {
    StoredPlayer player;
    player.name = name;
    std::uint8_t version = 0;
    RecordReader reader(record);
    reader.get(version);
    reader.require(version == kRecordVersion);
    reader.get(player.id);
    reader.get_finite(player.position);
    reader.get_finite(player.velocity);
    reader.get(player.yaw);
    reader.get(player.pitch);
    return reader.is_good_to_the_end() ? std::optional(player) : std::nullopt;
}

std::vector<std::uint8_t> encode_body(const StoredBody& body) {
    return RecordWriter()
        .put(kRecordVersion)
        .put(body.position)
        .put(body.rotation)
        .put(body.linear_velocity)
        .put(body.angular_velocity)
        .put(static_cast<std::uint8_t>(body.is_asleep ? 1 : 0))
        .put_text(body.kind)
        .take();
}

std::optional<StoredBody> decode_body(std::uint64_t id, std::span<const std::uint8_t> record) {
    StoredBody body;
    body.id = id;
    std::uint8_t version = 0;
    std::uint8_t asleep = 0;
    RecordReader reader(record);
    reader.get(version);
    reader.require(version == kRecordVersion);
    reader.get_finite(body.position);
    reader.get_finite(body.rotation);
    reader.get_finite(body.linear_velocity);
    reader.get_finite(body.angular_velocity);
    reader.get(asleep);
    reader.require(asleep <= 1);
    body.is_asleep = asleep == 1;
    body.kind = reader.rest();
    reader.require(!body.kind.empty() && body.kind.size() <= kStoredNameBytesMax);
    return reader.is_good_to_the_end() ? std::optional(body) : std::nullopt;
}

std::vector<std::uint8_t> encode_meta(const StoreMeta& meta) {
    return RecordWriter()
        .put(static_cast<std::uint64_t>(meta.versions.generator))
        .put(static_cast<std::uint64_t>(meta.versions.brush))
        .put(meta.versions.seed)
        .put(meta.last_tick)
        .put(meta.next_entity)
        .put(meta.start_count)
        .take();
}

std::optional<StoreMeta> decode_meta(std::span<const std::uint8_t> record) {
    StoreMeta meta;
    std::uint64_t generator = 0;
    std::uint64_t brush = 0;
    RecordReader reader(record);
    reader.get(generator);
    reader.get(brush);
    reader.get(meta.versions.seed);
    reader.get(meta.last_tick);
    reader.get(meta.next_entity);
    reader.get(meta.start_count);
    meta.versions.generator = static_cast<std::uint32_t>(generator);
    meta.versions.brush = static_cast<std::uint32_t>(brush);
    return reader.is_good_to_the_end() ? std::optional(meta) : std::nullopt;
}

}  // namespace terrane
