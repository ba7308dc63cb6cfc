#include "server/store/row_codec.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
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
    RecordWriter& put_bytes(std::span<const std::uint8_t> bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return *this;
    }
    RecordWriter& put_count(std::size_t count) {
        TERRANE_ASSERT(count <= std::numeric_limits<std::uint16_t>::max());
        return put(static_cast<std::uint16_t>(count));
    }
    RecordWriter& put_sized_text(std::string_view text) {
        return put_count(text.size()).put_text(text);
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
    std::string sized_text() {
        std::uint16_t size = 0;
        get(size);
        require(size <= bytes_.size());
        const std::span<const std::uint8_t> text = bytes_.first(is_good_ ? size : 0);
        bytes_ = bytes_.subspan(text.size());
        return {text.begin(), text.end()};
    }
    void require(bool condition) { is_good_ = is_good_ && condition; }
    bool is_good() const { return is_good_; }
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
        .put(kPlayerRecordVersion)
        .put(player.id)
        .put(player.position)
        .put(player.velocity)
        .put(player.yaw)
        .put(player.pitch)
        .put(player.vehicle)
        .put(player.seat)
        .take();
}

std::optional<StoredPlayer> decode_player(std::string_view name,
                                          std::span<const std::uint8_t> record) {
    StoredPlayer player;
    player.name = name;
    std::uint8_t version = 0;
    RecordReader reader(record);
    reader.get(version);
    reader.require(version >= 1 && version <= kPlayerRecordVersion);
    reader.get(player.id);
    reader.get_finite(player.position);
    reader.get_finite(player.velocity);
    reader.get(player.yaw);
    reader.get(player.pitch);
    if (version >= 2) {
        reader.get(player.vehicle);
        reader.get(player.seat);
    }
    return reader.is_good_to_the_end() ? std::optional(player) : std::nullopt;
}

/// A piece's record has its voxels at the end; any other body's ends with its kind.
std::vector<std::uint8_t> encode_body(const StoredBody& body) {
    RecordWriter writer;
    writer.put(body.piece.empty() ? kRecordVersion : kPieceRecordVersion)
        .put(body.position)
        .put(body.rotation)
        .put(body.linear_velocity)
        .put(body.angular_velocity)
        .put(static_cast<std::uint8_t>(body.is_asleep ? 1 : 0));
    return body.piece.empty() ? writer.put_text(body.kind).take()
                              : writer.put_sized_text(body.kind).put_bytes(body.piece).take();
}

std::optional<StoredBody> decode_body(std::uint64_t id, std::span<const std::uint8_t> record) {
    StoredBody body;
    body.id = id;
    std::uint8_t version = 0;
    std::uint8_t asleep = 0;
    RecordReader reader(record);
    reader.get(version);
    reader.require(version == kRecordVersion || version == kPieceRecordVersion);
    reader.get_finite(body.position);
    reader.get_finite(body.rotation);
    reader.get_finite(body.linear_velocity);
    reader.get_finite(body.angular_velocity);
    reader.get(asleep);
    reader.require(asleep <= 1);
    body.is_asleep = asleep == 1;
    if (version == kPieceRecordVersion) {
        body.kind = reader.sized_text();
        const std::string piece = reader.rest();
        body.piece.assign(piece.begin(), piece.end());
        reader.require(!body.piece.empty());
    } else {
        body.kind = reader.rest();
    }
    reader.require(!body.kind.empty() && body.kind.size() <= kStoredNameBytesMax);
    return reader.is_good_to_the_end() ? std::optional(body) : std::nullopt;
}

std::vector<std::uint8_t> encode_props(const StoredProps& props) {
    return RecordWriter().put(kRecordVersion).put(props.removed).take();
}

std::optional<std::uint64_t> decode_props(std::span<const std::uint8_t> record) {
    std::uint8_t version = 0;
    std::uint64_t removed = 0;
    RecordReader reader(record);
    reader.get(version);
    reader.require(version == kRecordVersion);
    reader.get(removed);
    reader.require(removed != 0);
    return reader.is_good_to_the_end() ? std::optional(removed) : std::nullopt;
}

std::vector<std::uint8_t> encode_meta(const StoreMeta& meta) {
    RecordWriter writer;
    writer.put(static_cast<std::uint64_t>(meta.versions.generator))
        .put(static_cast<std::uint64_t>(meta.versions.brush))
        .put(meta.versions.seed)
        .put(meta.last_tick)
        .put(meta.start_count)
        .put_count(meta.versions.settings.size());
    for (const StoreSetting& setting : meta.versions.settings) {
        writer.put_sized_text(setting.key).put_sized_text(setting.value);
    }
    writer.put_count(meta.versions.materials.size());
    for (const std::string& material : meta.versions.materials) {
        writer.put_sized_text(material);
    }
    writer.put(static_cast<std::uint8_t>(meta.spawn_point ? 1 : 0));
    writer.put(meta.spawn_point.value_or(StoredPoint{}).position);
    return writer.take();
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
    reader.get(meta.start_count);
    std::uint16_t setting_count = 0;
    reader.get(setting_count);
    for (std::uint16_t i = 0; i < setting_count && reader.is_good(); ++i) {
        std::string key = reader.sized_text();
        meta.versions.settings.push_back({std::move(key), reader.sized_text()});
    }
    std::uint16_t material_count = 0;
    reader.get(material_count);
    for (std::uint16_t i = 0; i < material_count && reader.is_good(); ++i) {
        meta.versions.materials.push_back(reader.sized_text());
    }
    if (!reader.is_good_to_the_end()) {
        std::uint8_t has_spawn_point = 0;
        StoredPoint point;
        reader.get(has_spawn_point);
        reader.get_finite(point.position);
        if (has_spawn_point != 0) {
            meta.spawn_point = point;
        }
    }
    meta.versions.generator = static_cast<std::uint32_t>(generator);
    meta.versions.brush = static_cast<std::uint32_t>(brush);
    return reader.is_good_to_the_end() ? std::optional(meta) : std::nullopt;
}

}  // namespace terrane
