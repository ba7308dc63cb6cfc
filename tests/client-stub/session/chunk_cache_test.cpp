#include "client-stub/session/chunk_cache.h"

#include <doctest/doctest.h>

#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

constexpr std::size_t kMaterials = 5;

Chunk dug_chunk(std::int32_t x) {
    Chunk chunk = uniform_chunk({kFirstSolid, kFullOccupancy});
    apply_op(chunk, {0, 0, 0}, clip_to_chunk(voxel_brush(BrushMode::dig, {x, 1, 1}), {0, 0, 0}));
    return chunk;
}

ChunkOp dig_at(std::int32_t x) {
    return clip_to_chunk(voxel_brush(BrushMode::dig, {x, 2, 2}), {0, 0, 0});
}

TEST_CASE("chunk_cache: equal blobs are decoded once and share their planes") {
    ChunkCache cache;
    const auto blob = encode_chunk(dug_chunk(1));
    const auto first = cache.decode(blob, kMaterials);
    const auto second = cache.decode(blob, kMaterials);
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    CHECK(first->material.bytes().data() == second->material.bytes().data());
    CHECK(cache.hits() == 1);
    CHECK(hash_chunk(*second) == hash_chunk(dug_chunk(1)));
    CHECK(hash_chunk(*cache.decode(encode_chunk(dug_chunk(2)), kMaterials)) ==
          hash_chunk(dug_chunk(2)));
}

TEST_CASE("chunk_cache: a bad blob fails every time") {
    ChunkCache cache;
    auto blob = encode_chunk(dug_chunk(1));
    blob.back() ^= 1;
    CHECK_FALSE(cache.decode(blob, kMaterials).has_value());
    CHECK_FALSE(cache.decode(blob, kMaterials).has_value());
    CHECK(cache.hits() == 0);
}

TEST_CASE("chunk_cache: the same operation on the same chunk is applied once") {
    ChunkCache cache;
    Chunk first = dug_chunk(1);
    Chunk second = dug_chunk(1);  // equal bytes in other memory
    const VoxelBox changed = cache.apply(first, {0, 0, 0}, dig_at(5));
    CHECK(cache.apply(second, {0, 0, 0}, dig_at(5)) == changed);
    CHECK(cache.hits() == 1);
    CHECK(second.revision == 2);
    CHECK(first.material.bytes().data() == second.material.bytes().data());
    Chunk expected = dug_chunk(1);
    apply_op(expected, {0, 0, 0}, dig_at(5));
    CHECK(hash_chunk(second) == hash_chunk(expected));
}

TEST_CASE("chunk_cache: a chunk that went astray is not given the others' result") {
    ChunkCache cache;
    Chunk good = dug_chunk(1);
    Chunk astray = dug_chunk(7);  // same revision, other voxels
    cache.apply(good, {0, 0, 0}, dig_at(5));
    cache.apply(astray, {0, 0, 0}, dig_at(5));
    CHECK(cache.hits() == 0);
    Chunk expected = dug_chunk(7);
    apply_op(expected, {0, 0, 0}, dig_at(5));
    CHECK(hash_chunk(astray) == hash_chunk(expected));
    CHECK(hash_chunk(astray) != hash_chunk(good));
}

TEST_CASE("chunk_cache: the oldest operations are forgotten when it is full") {
    ChunkCache cache;
    Chunk first = dug_chunk(1);
    const Chunk start = first;
    cache.apply(first, {0, 0, 0}, dig_at(5));
    Chunk walker = uniform_chunk(kAirVoxel);
    for (std::size_t i = 0; i < kCachedStepsMax; ++i) {
        const bool is_even = i % 2 == 0;
        const VoxelCoord v{static_cast<std::int32_t>(i / 2 % 32), 3, 3};
        cache.apply(walker, {0, 0, 0},
                    clip_to_chunk(voxel_brush(is_even ? BrushMode::place : BrushMode::dig, v,
                                              is_even ? kFirstSolid : kAir),
                                  {0, 0, 0}));
    }
    Chunk again = start;
    cache.apply(again, {0, 0, 0}, dig_at(5));
    CHECK(cache.hits() == 0);
    CHECK(hash_chunk(again) == hash_chunk(first));
}

}  // namespace
}  // namespace terrane
