#include "shared/voxel/chunk_codec.h"

#include <doctest/doctest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <string>
#include <vector>

#include "tests/shared/voxel/voxel_samples.h"

namespace terrane {
namespace {

using Bytes = std::vector<std::uint8_t>;
using test::kMaterialCount;

constexpr std::size_t kPackingAt = 12;
constexpr std::size_t kBodyAt = 13;

/// Makes the checksum right again, as a hostile sender would.
void seal(Bytes& blob) {
    const auto sum = static_cast<std::uint32_t>(XXH3_64bits(blob.data() + 8, blob.size() - 8));
    for (std::size_t i = 0; i < 4; ++i) {
        blob[4 + i] = static_cast<std::uint8_t>(sum >> (8 * i));
    }
}

/// A stored grass plain with a stone on it, made by hand: part of the format's promise.
Chunk golden_chunk() {
    Chunk chunk;
    for (std::size_t i = 0; i < 1024; ++i) {
        set_voxel(chunk, i, {3, 255});
        set_voxel(chunk, 1024 + i, {4, static_cast<std::uint8_t>(100 + i % 3)});
    }
    set_voxel(chunk, 2048 + 77, {2, 200});
    set_voxel(chunk, kChunkVoxelCount - 1, {kWater, 224});
    chunk.revision = 0x01020304;
    return chunk;
}

/// What decoding says of a blob once its checksum is right.
std::string error_of(Bytes blob, std::size_t material_count = kMaterialCount) {
    seal(blob);
    const auto decoded = decode_chunk(blob, material_count);
    return decoded ? "decoded" : decoded.error().message;
}

/// A run-split blob whose zstd frame holds `content` as it is and claims `claimed` bytes.
Bytes frame_blob(const Bytes& content, std::uint32_t claimed) {
    Bytes blob = encode_chunk(golden_chunk());
    blob.resize(kBodyAt);
    // zstd's magic; descriptor: one segment, 4 bytes of content size.
    const std::array<std::uint8_t, 5> header{0x28, 0xB5, 0x2F, 0xFD, 0xA0};
    blob.insert(blob.end(), header.begin(), header.end());
    for (int i = 0; i < 4; ++i) {
        blob.push_back(static_cast<std::uint8_t>(claimed >> (8 * i)));
    }
    // One block: bit 0 the last, bits 1-2 raw = 0, then its size.
    const std::uint32_t block = 1U | static_cast<std::uint32_t>(content.size()) << 3;
    for (int i = 0; i < 3; ++i) {
        blob.push_back(static_cast<std::uint8_t>(block >> (8 * i)));
    }
    blob.insert(blob.end(), content.begin(), content.end());
    return blob;
}

std::vector<Bytes> sample_blobs() {
    return {encode_chunk(uniform_chunk({2, 255})), encode_chunk(golden_chunk()),
            encode_chunk(test::patchy_chunk(5, 20))};
}

}  // namespace

TEST_CASE("chunk codec: version 1 of a uniform chunk, byte for byte") {
    Chunk chunk = uniform_chunk({kWater, 255});
    chunk.revision = 0x0A0B0C0D;
    const Bytes golden{0x54, 0x43, 0x01, 0x02, 0xD3, 0x8B, 0xC1, 0xF6,
                       0x0D, 0x0C, 0x0B, 0x0A, 0x00, 0x01, 0xFF};
    CHECK(encode_chunk(chunk) == golden);
    CHECK(golden.size() <= 24);
    const auto decoded = decode_chunk(golden, kMaterialCount);
    REQUIRE(decoded.has_value());
    CHECK(decoded->is_uniform());
    CHECK(test::are_equal(*decoded, chunk));
}

TEST_CASE("chunk codec: a stored run-split blob of version 1 decodes for ever") {
    // zstd may pack the same runs into other bytes one day, so only decoding is pinned.
    const Bytes stored{0x54, 0x43, 0x01, 0x02, 0x08, 0xC5, 0x02, 0x16, 0x04, 0x03, 0x02,
                       0x01, 0x01, 0x28, 0xB5, 0x2F, 0xFD, 0x60, 0x15, 0x03, 0xFD, 0x00,
                       0x00, 0xC0, 0x06, 0x00, 0x03, 0x04, 0x00, 0x02, 0x00, 0x01, 0x80,
                       0x10, 0x81, 0x10, 0x9A, 0x01, 0x03, 0xE2, 0xDE, 0x03, 0x03, 0x64,
                       0x65, 0x66, 0xC8, 0xE0, 0x01, 0x00, 0xF4, 0x5B, 0xB9, 0x26};
    const auto decoded = decode_chunk(stored, kMaterialCount);
    REQUIRE(decoded.has_value());
    CHECK(test::are_equal(*decoded, golden_chunk()));
}

TEST_CASE("chunk codec: a raw blob is header and planes") {
    const Chunk chunk = test::noise_chunk(3, 256);
    const Bytes blob = encode_chunk(chunk);
    REQUIRE(blob.size() == kBodyAt + 2 * kChunkVoxelCount);
    CHECK(blob[kPackingAt] == 2);
    bool is_equal = true;
    for (std::size_t i = 0; i < kChunkVoxelCount; ++i) {
        is_equal &=
            chunk.voxel(i) == Voxel{blob[kBodyAt + i], blob[kBodyAt + kChunkVoxelCount + i]};
    }
    CHECK(is_equal);
    CHECK(test::are_equal(*decode_chunk(blob, 256), chunk));
    CHECK_FALSE(decode_chunk(blob, 255).has_value());
    CHECK(XXH3_64bits(blob.data(), blob.size()) == 0xCA1285880B80AC34ULL);
}

TEST_CASE("chunk codec: every chunk comes back as it was and fits the bound") {
    constexpr std::uint64_t kSeed = 61;
    CAPTURE(kSeed);
    for (std::uint64_t i = 0; i < 40; ++i) {
        CAPTURE(i);
        const Chunk chunk = i < 8 ? test::noise_chunk(kSeed + i)
                                  : test::patchy_chunk(kSeed + i, static_cast<int>(i * i));
        const Bytes blob = encode_chunk(chunk);
        CHECK(blob.size() <= kChunkBlobBytesMax);
        const auto decoded = decode_chunk(blob, kMaterialCount);
        REQUIRE(decoded.has_value());
        CHECK(test::are_equal(*decoded, chunk));
        CHECK(hash_chunk(*decoded) == hash_chunk(chunk));
    }
}

TEST_CASE("chunk codec: patterns of single voxels pack small") {
    Chunk chunk;
    for (std::size_t i = 0; i < kChunkVoxelCount; ++i) {
        set_voxel(chunk, i, i % 2 == 0 ? kAirVoxel : Voxel{2, 255});
    }
    const Bytes blob = encode_chunk(chunk);
    CHECK(blob.size() < 200);
    CHECK(test::are_equal(*decode_chunk(blob, kMaterialCount), chunk));
}

TEST_CASE("chunk codec: equal chunks give equal blobs however their planes are stored") {
    Chunk uniform = uniform_chunk({3, 90});
    Chunk whole = uniform;
    whole.material.writable();
    whole.occupancy.writable();
    CHECK(encode_chunk(whole) == encode_chunk(uniform));
    CHECK(decode_chunk(encode_chunk(whole), kMaterialCount)->is_uniform());
    set_voxel(uniform, 9, {3, 91});
    Chunk half = uniform;
    half.material.writable();
    CHECK(encode_chunk(half) == encode_chunk(uniform));
}

TEST_CASE("chunk codec: no prefix, extension or flipped bit decodes") {
    for (const Bytes& blob : sample_blobs()) {
        CAPTURE(blob.size());
        int decoded = 0;
        for (std::size_t length = 0; length < blob.size(); ++length) {
            decoded += decode_chunk(std::span(blob).first(length), kMaterialCount).has_value();
        }
        for (std::size_t bit = 0; bit < blob.size() * 8; ++bit) {
            Bytes flipped = blob;
            flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
            decoded += decode_chunk(flipped, kMaterialCount).has_value();
        }
        Bytes longer = blob;
        longer.push_back(0);
        decoded += decode_chunk(longer, kMaterialCount).has_value();
        CHECK(decoded == 0);
    }
    CHECK_FALSE(decode_chunk(Bytes(kChunkBlobBytesMax + 1), kMaterialCount).has_value());
}

TEST_CASE("chunk codec: sealed lies never crash and never make a voxel that cannot be") {
    constexpr std::uint64_t kSeed = 67;
    CAPTURE(kSeed);
    Random random(kSeed);
    int decoded_count = 0;
    for (const Bytes& blob : sample_blobs()) {
        for (int round = 0; round < 4000; ++round) {
            Bytes lie = blob;
            for (std::uint32_t i = random.below(3) + 1; i > 0; --i) {
                const std::uint32_t at =
                    random.between(0, 1) == 0
                        ? random.below(static_cast<std::uint32_t>(lie.size()))
                        : 8 + random.below(24) % (static_cast<std::uint32_t>(lie.size()) - 8);
                lie[at] = static_cast<std::uint8_t>(random.next());
            }
            if (random.below(8) == 0) {
                lie.resize(kBodyAt + random.below(static_cast<std::uint32_t>(lie.size() + 9)));
            }
            seal(lie);
            const auto decoded = decode_chunk(lie, kMaterialCount);
            if (!decoded) {
                CHECK_FALSE(decoded.error().message.empty());
                continue;
            }
            ++decoded_count;
            bool is_valid = true;
            for (std::size_t i = 0; i < kChunkVoxelCount; ++i) {
                const Voxel voxel = decoded->voxel(i);
                is_valid &= voxel.material < kMaterialCount &&
                            (voxel.material == kAir) == (voxel.occupancy == 0);
            }
            CHECK(is_valid);
        }
    }
    CHECK(decoded_count > 0);
}

TEST_CASE("chunk codec: values that cannot be are refused with their reason") {
    const Bytes uniform = encode_chunk(uniform_chunk({7, 255}));
    CHECK(error_of(uniform) == "decoded");
    CHECK(error_of(uniform, 7) == "chunk blob: material 7 and occupancy 255");
    Bytes blob = uniform;
    blob[kBodyAt] = kAir;
    CHECK(error_of(blob) == "chunk blob: material 0 and occupancy 255");
    blob = uniform;
    blob[2] = 2;
    CHECK(error_of(blob) == "chunk blob: version 2 with 2 planes, not 1 with 2");
    blob = uniform;
    blob[kPackingAt] = 3;
    CHECK(error_of(blob) == "chunk blob: unknown packing 3");
    blob = uniform;
    blob.push_back(0);
    CHECK(error_of(blob) == "chunk blob: uniform chunk of 3 bytes, not 2");
    blob = encode_chunk(golden_chunk());
    blob.push_back(0);
    CHECK(error_of(blob) == "chunk blob: bytes are missing or left over after the frame");
    CHECK(error_of(encode_chunk(golden_chunk()), 4) ==
          "chunk blob: run at voxel 1024 has material 4 of 4");
    blob = encode_chunk(test::noise_chunk(3, 256));
    blob[kBodyAt] = kAir;
    blob[kBodyAt + kChunkVoxelCount] = 1;
    CHECK(error_of(blob, 256) == "chunk blob: voxel 0 has material 0 and occupancy 1");
    blob.pop_back();
    CHECK(error_of(blob, 256) == "chunk blob: raw planes of 65535 bytes, not 65536");
}

TEST_CASE("chunk codec: a frame that claims too much is refused before it is unpacked") {
    CHECK(error_of(frame_blob({}, 0x7FFFFFFF))
              .starts_with("chunk blob: frame has no content size, or one above"));
    CHECK(error_of(frame_blob(Bytes(9), 98307))
              .starts_with("chunk blob: frame has no content size, or one above"));
    // A claim within the limit that the content does not keep.
    CHECK(error_of(frame_blob(Bytes(9), 98306)).starts_with("chunk blob: zstd: "));
}

TEST_CASE("chunk codec: run lists that do not make a chunk are refused") {
    const auto error_of_runs = [](const Bytes& runs) {
        return error_of(frame_blob(runs, static_cast<std::uint32_t>(runs.size())));
    };
    // 1 run of 32768 full voxels, varint 65536.
    CHECK(error_of_runs({1, 0, 2, 0x80, 0x80, 0x04}) == "decoded");
    CHECK(error_of_runs({1}) == "chunk blob: run list is cut short");
    CHECK(error_of_runs({9, 9, 2}) == "chunk blob: run list is cut short");
    CHECK(error_of_runs({1, 0, 2, 0x80, 0x80, 0x04, 7}) ==
          "chunk blob: runs make 32768 voxels, 1 of 0 occupancies");
    CHECK(error_of_runs({1, 0, 2, 0xFE, 0xFF, 0x03}) ==
          "chunk blob: runs make 32767 voxels, 0 of 0 occupancies");
    CHECK(error_of_runs({1, 0, 2, 0x82, 0x80, 0x04}) ==
          "chunk blob: run at voxel 0 has a bad length");
    CHECK(error_of_runs({2, 0, 2, 3, 0x80, 0x80, 0x04, 0x00}) ==
          "chunk blob: run at voxel 32768 has a bad length");
    CHECK(error_of_runs({2, 0, 2, 3, 0x80, 0x80}) == "chunk blob: run at voxel 0 has a bad length");
    CHECK(error_of_runs({1, 0, 2, 0x80, 0x80, 0x80, 0x80}) ==
          "chunk blob: run at voxel 0 has a bad length");
    // The first voxel partial, the rest (32767) full: of air, of rock, of rock at 0, at 255, cut.
    CHECK(error_of_runs({2, 0, 0, 2, 0x03, 0xFE, 0xFF, 0x03, 9}) ==
          "chunk blob: run at voxel 0 has material 0 of 8");
    CHECK(error_of_runs({2, 0, 2, 2, 0x03, 0xFE, 0xFF, 0x03, 9}) == "decoded");
    CHECK(error_of_runs({2, 0, 2, 2, 0x03, 0xFE, 0xFF, 0x03, 0}) ==
          "chunk blob: a partial occupancy is 0 or 255");
    CHECK(error_of_runs({2, 0, 2, 2, 0x03, 0xFE, 0xFF, 0x03, 255}) ==
          "chunk blob: a partial occupancy is 0 or 255");
    CHECK(error_of_runs({2, 0, 2, 2, 0x03, 0xFE, 0xFF, 0x03}) ==
          "chunk blob: runs make 32768 voxels, 0 of 1 occupancies");
}

}  // namespace terrane
