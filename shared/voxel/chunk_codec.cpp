// Format version 1, all numbers little-endian:
//
//    0   "TC"          magic
//    2   u8            version = 1
//    3   u8            planes = 2 (material, occupancy)
//    4   u32           low 32 bits of XXH3-64 over the bytes from 8 to the end
//    8   u32           revision
//   12   u8            packing: 0 uniform, 1 runs, 2 raw
//   13   body          uniform: u8 material, u8 occupancy
//                      runs:    one zstd frame with its content size, nothing after it
//                      raw:     32768 bytes material, 32768 bytes occupancy
//
// What the frame of a run-split chunk holds, voxels in index_in_chunk order:
//
//   +-----+-------------------+-----------------------+---------------------------+
//   | u16 | material of run i | length of run i       | occupancies of the        |
//   |  n  | n bytes           | n varints, see below  | partial runs' voxels      |
//   +-----+-------------------+-----------------------+---------------------------+
//
// A run is voxels of one material and one class: air, full (255), or partial (1 .. 254). Its varint
// (7 bits a byte, low first) is length * 2 + (1 if partial). Like bytes lie together, which is why
// this beats zstd over the planes (3.0 -> 2.25 KB, the generator's mixed chunks). A chunk whose
// frame is not smaller than its planes is stored raw, which gives the bound. The encoder looks at
// voxels only, so equal chunks give equal blobs however their planes are stored.
#include "shared/voxel/chunk_codec.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "shared/core/assert.h"

namespace terrane {
namespace {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

enum class Packing : std::uint8_t { uniform = 0, runs = 1, raw = 2 };

constexpr std::uint8_t kMagic[2] = {'T', 'C'};
constexpr std::uint8_t kPlaneCount = 2;
constexpr std::size_t kChecksumAt = 4;
constexpr std::size_t kCheckedFrom = 8;
constexpr std::size_t kRevisionAt = 8;
constexpr std::size_t kPackingAt = 12;
constexpr std::size_t kBodyAt = 13;
constexpr std::size_t kVoxels = kChunkVoxelCount;
constexpr std::size_t kRawBytes = kBodyAt + 2 * kVoxels;
static_assert(kRawBytes <= kChunkBlobBytesMax);
/// Every voxel a run of its own: a material, a length and an occupancy each.
constexpr std::size_t kRunBytesMax = 2 + 3 * kVoxels;
constexpr int kZstdLevel = 3;

/// zstd's contexts cost 1 MB and 60 us to make, so each thread keeps one, and the bytes between
/// runs and frame.
struct CodecScratch {
    struct FreeContext {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    std::unique_ptr<ZSTD_CCtx, FreeContext> compress{ZSTD_createCCtx()};
    std::unique_ptr<ZSTD_DCtx, FreeContext> decompress{ZSTD_createDCtx()};
    Bytes runs = Bytes(kRunBytesMax);
    Bytes frame = Bytes(ZSTD_compressBound(kRunBytesMax));
};

CodecScratch& scratch() {
    thread_local CodecScratch of_this_thread;
    return of_this_thread;
}

void store_u32(std::uint8_t* to, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) {
        to[i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
}

std::uint32_t load_u32(const std::uint8_t* from) {
    return static_cast<std::uint32_t>(from[0]) | static_cast<std::uint32_t>(from[1]) << 8 |
           static_cast<std::uint32_t>(from[2]) << 16 | static_cast<std::uint32_t>(from[3]) << 24;
}

std::uint32_t checksum_of(ByteView blob) {
    return static_cast<std::uint32_t>(
        XXH3_64bits(blob.data() + kCheckedFrom, blob.size() - kCheckedFrom));
}

bool is_partial(std::uint8_t occupancy) {
    return occupancy != 0 && occupancy != kFullOccupancy;
}

bool is_valid_voxel(const Voxel& voxel, std::size_t material_count) {
    return voxel.material < material_count && (voxel.material == kAir) == (voxel.occupancy == 0);
}

/// Both planes as bytes, whole ones in place and uniform ones spread out.
class FlatPlane {
  public:
    explicit FlatPlane(const Plane& plane) {
        if (plane.is_uniform()) {
            spread_.assign(kVoxels, plane.uniform_value());
            bytes_ = spread_;
        } else {
            bytes_ = plane.bytes();
        }
    }
    ByteView bytes() const { return bytes_; }

  private:
    Bytes spread_;
    ByteView bytes_;
};

bool is_all_equal(ByteView bytes) {
    return std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

/// Writes the run-split form into `out` (kRunBytesMax bytes); returns its length.
std::size_t split_runs(ByteView material, ByteView occupancy, Bytes& out) {
    std::array<std::uint8_t, kVoxels> materials;
    std::array<std::uint8_t, kVoxels> lengths;  // a varint is never longer than its run
    std::array<std::uint8_t, kVoxels> partials;
    std::size_t run_count = 0;
    std::size_t length_bytes = 0;
    std::size_t partial_count = 0;
    for (std::size_t i = 0; i < kVoxels;) {
        const std::size_t start = i;
        const std::uint8_t kind = material[i];
        const bool partial = is_partial(occupancy[i]);
        if (partial) {
            while (i < kVoxels && material[i] == kind && is_partial(occupancy[i])) {
                partials[partial_count++] = occupancy[i++];
            }
        } else {
            const std::uint8_t level = occupancy[i];
            while (i < kVoxels && material[i] == kind && occupancy[i] == level) {
                ++i;
            }
        }
        materials[run_count++] = kind;
        std::size_t rest = (i - start) * 2 + (partial ? 1 : 0);
        for (; rest >= 0x80; rest >>= 7) {
            lengths[length_bytes++] = static_cast<std::uint8_t>(rest | 0x80);
        }
        lengths[length_bytes++] = static_cast<std::uint8_t>(rest);
    }
    out[0] = static_cast<std::uint8_t>(run_count);
    out[1] = static_cast<std::uint8_t>(run_count >> 8);
    auto end = std::copy_n(materials.begin(), run_count, out.begin() + 2);
    end = std::copy_n(lengths.begin(), length_bytes, end);
    end = std::copy_n(partials.begin(), partial_count, end);
    return static_cast<std::size_t>(end - out.begin());
}

/// The frame of the run-split chunk; empty if raw planes are not larger. In the thread's scratch.
ByteView pack_runs(ByteView material, ByteView occupancy) {
    CodecScratch& own = scratch();
    const std::size_t length = split_runs(material, occupancy, own.runs);
    const std::size_t packed =
        ZSTD_compressCCtx(own.compress.get(), own.frame.data(), own.frame.size(), own.runs.data(),
                          length, kZstdLevel);
    if (ZSTD_isError(packed) != 0 || packed >= 2 * kVoxels) {
        return {};
    }
    return ByteView{own.frame}.first(packed);
}

/// Walks the parts of a run-split chunk; every take checks what is left.
class RunReader {
  public:
    explicit RunReader(ByteView bytes) : rest_(bytes) {}

    std::optional<ByteView> take(std::size_t count) {
        if (count > rest_.size()) {
            return std::nullopt;
        }
        const ByteView taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }
    /// nullopt if it runs past the end or over 21 bits.
    std::optional<std::size_t> take_varint() {
        std::size_t value = 0;
        for (unsigned shift = 0; shift < 21; shift += 7) {
            const auto byte = take(1);
            if (!byte) {
                return std::nullopt;
            }
            value |= static_cast<std::size_t>((*byte)[0] & 0x7FU) << shift;
            if (((*byte)[0] & 0x80U) == 0) {
                return value;
            }
        }
        return std::nullopt;
    }
    ByteView rest() const { return rest_; }

  private:
    ByteView rest_;
};

struct PartialRun {
    std::size_t first;
    std::size_t length;
};

Result<void> join_runs(ByteView bytes, std::size_t material_count, Chunk& chunk) {
    RunReader reader(bytes);
    const auto count_bytes = reader.take(2);
    const std::size_t run_count =
        count_bytes ? (*count_bytes)[0] | static_cast<std::size_t>((*count_bytes)[1]) << 8 : 0;
    const auto materials = reader.take(run_count);
    if (!count_bytes || !materials) {
        return fail("chunk blob: run list is cut short");
    }
    const auto material = chunk.material.writable();
    const auto occupancy = chunk.occupancy.writable();
    std::vector<PartialRun> partial_runs;
    std::size_t partial_count = 0;
    std::size_t at = 0;
    for (const std::uint8_t kind : *materials) {
        const auto code = reader.take_varint();
        const std::size_t length = code.value_or(0) >> 1;
        const bool partial = (code.value_or(0) & 1) != 0;
        if (length == 0 || length > kVoxels - at) {
            return fail("chunk blob: run at voxel {} has a bad length", at);
        }
        if (kind >= material_count || (kind == kAir && partial)) {
            return fail("chunk blob: run at voxel {} has material {} of {}", at, kind,
                        material_count);
        }
        std::memset(material.data() + at, kind, length);
        if (partial) {
            partial_runs.push_back({at, length});
            partial_count += length;
        } else {
            std::memset(occupancy.data() + at, kind == kAir ? 0 : kFullOccupancy, length);
        }
        at += length;
    }
    const ByteView partials = reader.rest();
    if (at != kVoxels || partials.size() != partial_count) {
        return fail("chunk blob: runs make {} voxels, {} of {} occupancies", at, partials.size(),
                    partial_count);
    }
    if (!std::ranges::all_of(partials, is_partial)) {
        return fail("chunk blob: a partial occupancy is 0 or 255");
    }
    const std::uint8_t* from = partials.data();
    for (const PartialRun& run : partial_runs) {
        std::memcpy(occupancy.data() + run.first, from, run.length);
        from += run.length;
    }
    return {};
}

Result<void> unpack_runs(ByteView frame, std::size_t material_count, Chunk& chunk) {
    const unsigned long long length = ZSTD_getFrameContentSize(frame.data(), frame.size());
    // Also the two error values of that call, which are the largest numbers.
    if (length > kRunBytesMax) {
        return fail("chunk blob: frame has no content size, or one above {} bytes", kRunBytesMax);
    }
    if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
        return fail("chunk blob: bytes are missing or left over after the frame");
    }
    CodecScratch& own = scratch();
    const std::size_t unpacked = ZSTD_decompressDCtx(own.decompress.get(), own.runs.data(),
                                                     own.runs.size(), frame.data(), frame.size());
    if (ZSTD_isError(unpacked) != 0) {
        return fail("chunk blob: zstd: {}", ZSTD_getErrorName(unpacked));
    }
    return join_runs(ByteView{own.runs}.first(unpacked), material_count, chunk);
}

Result<void> unpack_raw(ByteView body, std::size_t material_count, Chunk& chunk) {
    if (body.size() != 2 * kVoxels) {
        return fail("chunk blob: raw planes of {} bytes, not {}", body.size(), 2 * kVoxels);
    }
    for (std::size_t i = 0; i < kVoxels; ++i) {
        if (!is_valid_voxel({body[i], body[kVoxels + i]}, material_count)) {
            return fail("chunk blob: voxel {} has material {} and occupancy {}", i, body[i],
                        body[kVoxels + i]);
        }
    }
    std::ranges::copy(body.first(kVoxels), chunk.material.writable().begin());
    std::ranges::copy(body.subspan(kVoxels), chunk.occupancy.writable().begin());
    return {};
}

Result<void> unpack_uniform(ByteView body, std::size_t material_count, Chunk& chunk) {
    if (body.size() != 2) {
        return fail("chunk blob: uniform chunk of {} bytes, not 2", body.size());
    }
    const Voxel voxel{body[0], body[1]};
    if (!is_valid_voxel(voxel, material_count)) {
        return fail("chunk blob: material {} and occupancy {}", voxel.material, voxel.occupancy);
    }
    chunk = uniform_chunk(voxel);
    return {};
}

Result<void> unpack_body(std::uint8_t packing, ByteView body, std::size_t material_count,
                         Chunk& chunk) {
    switch (static_cast<Packing>(packing)) {
        case Packing::uniform:
            return unpack_uniform(body, material_count, chunk);
        case Packing::runs:
            return unpack_runs(body, material_count, chunk);
        case Packing::raw:
            return unpack_raw(body, material_count, chunk);
    }
    return fail("chunk blob: unknown packing {}", packing);
}

}  // namespace

std::vector<std::uint8_t> encode_chunk(const Chunk& chunk) {
    Bytes blob(kBodyAt);
    const auto append = [&blob](ByteView bytes) {
        blob.insert(blob.end(), bytes.begin(), bytes.end());
    };
    const FlatPlane material(chunk.material);
    const FlatPlane occupancy(chunk.occupancy);
    Packing packing = Packing::uniform;
    if (is_all_equal(material.bytes()) && is_all_equal(occupancy.bytes())) {
        append(material.bytes().first(1));
        append(occupancy.bytes().first(1));
    } else if (const ByteView frame = pack_runs(material.bytes(), occupancy.bytes());
               !frame.empty()) {
        packing = Packing::runs;
        append(frame);
    } else {
        packing = Packing::raw;
        blob.reserve(kRawBytes);
        append(material.bytes());
        append(occupancy.bytes());
    }
    std::ranges::copy(kMagic, blob.begin());
    blob[2] = kChunkFormatVersion;
    blob[3] = kPlaneCount;
    store_u32(&blob[kRevisionAt], chunk.revision);
    blob[kPackingAt] = static_cast<std::uint8_t>(packing);
    store_u32(&blob[kChecksumAt], checksum_of(blob));
    TERRANE_ASSERT(blob.size() <= kChunkBlobBytesMax);
    return blob;
}

Result<Chunk> decode_chunk(std::span<const std::uint8_t> blob, std::size_t material_count) {
    if (blob.size() < kBodyAt || blob.size() > kChunkBlobBytesMax) {
        return fail("chunk blob: {} bytes, not {} .. {}", blob.size(), kBodyAt, kChunkBlobBytesMax);
    }
    if (!std::ranges::equal(blob.first(2), kMagic)) {
        return fail("chunk blob: does not start with \"TC\"");
    }
    if (blob[2] != kChunkFormatVersion || blob[3] != kPlaneCount) {
        return fail("chunk blob: version {} with {} planes, not {} with {}", blob[2], blob[3],
                    kChunkFormatVersion, kPlaneCount);
    }
    if (load_u32(&blob[kChecksumAt]) != checksum_of(blob)) {
        return fail("chunk blob: checksum does not match its bytes");
    }
    Chunk chunk;
    if (auto unpacked = unpack_body(blob[kPackingAt], blob.subspan(kBodyAt), material_count, chunk);
        !unpacked) {
        return std::unexpected(std::move(unpacked.error()));
    }
    chunk.material.compact();
    chunk.occupancy.compact();
    chunk.revision = load_u32(&blob[kRevisionAt]);
    return chunk;
}

}  // namespace terrane
