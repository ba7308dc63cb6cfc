#include "shared/voxel/chunk.h"

#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

#include "tests/shared/voxel/voxel_samples.h"

namespace terrane {

TEST_CASE("Plane: a write to a copy leaves the other untouched") {
    Plane first(3);
    first.writable()[7] = 9;
    Plane second = first;
    CHECK(second.bytes().data() == first.bytes().data());  // shared until the first write
    second.writable()[7] = 1;
    CHECK(first.at(7) == 9);
    CHECK(second.at(7) == 1);
    CHECK(second.at(8) == 3);
    const std::uint8_t* const own = second.bytes().data();
    second.writable()[8] = 2;
    CHECK(second.bytes().data() == own);  // alone: no second clone

    first = second;
    second = Plane(5);
    CHECK(first.at(7) == 1);
    CHECK(second.is_uniform());
    const std::uint8_t* const kept = first.bytes().data();
    Plane moved = std::move(first);
    CHECK(moved.writable().data() == kept);
}

TEST_CASE("Plane: uniform until another value is written, and again when all bytes are equal") {
    Plane plane(4);
    CHECK(plane.is_uniform());
    CHECK(plane.bytes().empty());
    CHECK(plane.at(kChunkVoxelCount - 1) == 4);
    for (const std::size_t index : {std::size_t{0}, std::size_t{kChunkVoxelCount - 1}}) {
        plane.writable()[index] = 5;
        plane.compact();
        CHECK_FALSE(plane.is_uniform());
        plane.writable()[index] = 4;
        plane.compact();
        CHECK(plane.is_uniform());
        CHECK(plane.uniform_value() == 4);
    }
    Chunk chunk = uniform_chunk({kWater, 200});
    set_voxel(chunk, 12, {kWater, 200});
    CHECK(chunk.is_uniform());
    CHECK(memory_bytes(chunk) == 0);
    set_voxel(chunk, 12, {kWater, 201});
    CHECK(chunk.material.is_uniform());
    CHECK(chunk.voxel(12) == Voxel{kWater, 201});
    CHECK(chunk.voxel(13) == Voxel{kWater, 200});
    CHECK(memory_bytes(chunk) >= kChunkVoxelCount);
    CHECK(memory_bytes(chunk) < kChunkVoxelCount + 64);
}

TEST_CASE("Plane: threads copy, write and drop a shared plane while its owner writes on") {
    Plane plane(1);
    plane.writable()[0] = 42;
    std::vector<std::jthread> threads;
    std::array<bool, 2> is_right{true, true};
    for (std::size_t t = 0; t < is_right.size(); ++t) {
        threads.emplace_back([snapshot = plane, t, &is_right] {
            for (int round = 0; round < 300; ++round) {
                Plane copy = snapshot;
                const Plane unwritten = copy;
                copy.writable()[0] = static_cast<std::uint8_t>(t);
                is_right[t] = is_right[t] && copy.at(0) == t && unwritten.at(0) == 42;
            }
        });
    }
    for (int round = 0; round < 300; ++round) {
        const Plane snapshot = plane;
        plane.writable()[0] = static_cast<std::uint8_t>(round);
    }
    threads.clear();
    CHECK(is_right[0]);
    CHECK(is_right[1]);
    CHECK(plane.at(0) == static_cast<std::uint8_t>(299));
}

TEST_CASE("hash_chunk: equal for equal voxels however stored, else different") {
    const Chunk uniform = uniform_chunk({5, 100});
    Chunk whole = uniform;
    whole.material.writable();
    whole.occupancy.writable();
    CHECK(hash_chunk(whole) == hash_chunk(uniform));
    // XXH3-64 of 32768 bytes 5, 32768 bytes 100, 4 bytes 0: part of the protocol.
    CHECK(hash_chunk(uniform) == 0x9A6D1A04B6187780ULL);

    Chunk other = uniform;
    other.revision = 1;
    CHECK(hash_chunk(other) != hash_chunk(uniform));
    other = uniform;
    set_voxel(other, kChunkVoxelCount - 1, {5, 101});
    CHECK(hash_chunk(other) != hash_chunk(uniform));
    other = uniform;
    set_voxel(other, 0, {6, 100});
    CHECK(hash_chunk(other) != hash_chunk(uniform));
    CHECK(hash_chunk(test::noise_chunk(1)) == hash_chunk(test::noise_chunk(1)));
}

}  // namespace terrane
