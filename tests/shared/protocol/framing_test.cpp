#include "shared/protocol/framing.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "tests/shared/protocol/sample_messages.h"

namespace terrane {
namespace {

Bytes prefix(std::uint32_t length) {
    return {static_cast<std::uint8_t>(length), static_cast<std::uint8_t>(length >> 8),
            static_cast<std::uint8_t>(length >> 16), static_cast<std::uint8_t>(length >> 24)};
}

std::vector<Bytes> drain(FrameReader& reader, std::span<const std::uint8_t> bytes) {
    std::vector<Bytes> frames;
    for (;;) {
        const auto frame = reader.next(bytes);
        REQUIRE(frame.has_value());
        if (frame->empty()) {
            return frames;
        }
        frames.emplace_back(frame->begin(), frame->end());
    }
}

TEST_CASE("framing: a stream cut in two at every place gives the same frames") {
    Bytes stream;
    std::vector<Bytes> expected;
    for (const SampleMessage& sample : sample_messages()) {
        stream.insert(stream.end(), sample.frame.begin(), sample.frame.end());
        expected.push_back(sample.frame);
    }
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        FrameReader reader(kToClientBytesMax);
        std::vector<Bytes> frames = drain(reader, std::span(stream).first(cut));
        for (Bytes& frame : drain(reader, std::span(stream).subspan(cut))) {
            frames.push_back(std::move(frame));
        }
        REQUIRE(frames == expected);
        REQUIRE(reader.pending_bytes() == 0);
    }
}

TEST_CASE("framing: byte by byte, each frame starts at a multiple of 8") {
    FrameReader reader(kToServerBytesMax);
    const Bytes frame = sample_frame("input");
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < frame.size(); ++i) {
            auto one = std::span(frame).subspan(i, 1);
            const auto result = reader.next(one);
            REQUIRE(result.has_value());
            if (i + 1 < frame.size()) {
                REQUIRE(result->empty());
                REQUIRE(reader.pending_bytes() == i + 1);
            } else {
                REQUIRE(Bytes(result->begin(), result->end()) == frame);
                REQUIRE(reinterpret_cast<std::uintptr_t>(result->data()) % 8 == 0);
            }
        }
    }
}

TEST_CASE("T10 framing: lengths out of limits break the stream before anything is stored") {
    constexpr std::uint32_t kMax = 1000;
    for (const std::uint32_t length :
         {0U, 1U, 7U, kMax + 1, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU}) {
        CAPTURE(length);
        FrameReader reader(kMax);
        Bytes bytes = prefix(length);
        bytes.resize(200, 1);
        std::span<const std::uint8_t> input = bytes;
        CHECK_FALSE(reader.next(input).has_value());
        CHECK(reader.memory_bytes() < 64);
        const Bytes good = sample_frame("quit");
        input = good;
        CHECK_FALSE(reader.next(input).has_value());
    }
}

TEST_CASE("T10 framing: an announced maximum costs memory only as its bytes come") {
    FrameReader reader(kToServerBytesMax);
    Bytes bytes = prefix(kToServerBytesMax);
    std::span<const std::uint8_t> input = bytes;
    CHECK(reader.next(input)->empty());
    CHECK(reader.memory_bytes() < 64);
    const Bytes body(kToServerBytesMax, 9);
    input = std::span(body).first(100);
    CHECK(reader.next(input)->empty());
    CHECK(reader.memory_bytes() < 512);
    input = std::span(body).subspan(100);
    CHECK(reader.next(input)->size() == kFramePrefixBytes + kToServerBytesMax);
}

TEST_CASE(
    "framing: smallest and largest length are accepted, a new limit holds for the next frame") {
    FrameReader reader(100);
    for (const std::uint32_t length : {8U, 100U}) {
        Bytes bytes = prefix(length);
        bytes.resize(kFramePrefixBytes + length, 3);
        CHECK(drain(reader, bytes).size() == 1);
    }
    reader.set_limit(200);
    Bytes bytes = prefix(200);
    bytes.resize(kFramePrefixBytes + 200, 3);
    CHECK(drain(reader, bytes).size() == 1);
}

TEST_CASE("framing: random cuts against the frames that were written") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        std::vector<Bytes> expected;
        Bytes stream;
        for (int i = 0; i < 40; ++i) {
            const std::uint32_t length = 8 + random.below(300);
            Bytes frame = prefix(length);
            while (frame.size() < kFramePrefixBytes + length) {
                frame.push_back(static_cast<std::uint8_t>(random.next()));
            }
            stream.insert(stream.end(), frame.begin(), frame.end());
            expected.push_back(std::move(frame));
        }
        FrameReader reader(308);
        std::vector<Bytes> frames;
        for (std::size_t at = 0; at < stream.size();) {
            const std::size_t size = std::min<std::size_t>(stream.size() - at, random.below(500));
            for (Bytes& frame : drain(reader, std::span(stream).subspan(at, size))) {
                frames.push_back(std::move(frame));
            }
            at += size;
        }
        REQUIRE(frames == expected);
    }
}

TEST_CASE("framing: aligned bytes keep their content through growth and padding") {
    AlignedBytes bytes;
    const Bytes three{1, 2, 3};
    bytes.append(three);
    bytes.pad_to_word();
    CHECK(bytes.size() == 8);
    bytes.append(three);
    CHECK(bytes.size() == 11);
    CHECK(Bytes(bytes.span().begin(), bytes.span().end()) ==
          Bytes{1, 2, 3, 0, 0, 0, 0, 0, 1, 2, 3});
    bytes.clear();
    CHECK(bytes.size() == 0);
    CHECK(bytes.capacity() >= 11);
}

}  // namespace
}  // namespace terrane
