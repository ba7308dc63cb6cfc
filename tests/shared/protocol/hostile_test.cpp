// Bytes made to hurt: bombs of shared offsets, every prefix, every flipped bit, vtables made by
// hand, odd addresses. Run under the address and undefined behaviour sanitizers too: "refused or
// harmless" is theirs to judge; that what is accepted makes sense is the fuzz targets'
// (tests/fuzz).
#include <cstring>

#include <doctest/doctest.h>

#include "shared/protocol/messages.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/shared/protocol/sample_messages.h"

namespace terrane {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

bool is_accepted(const SampleMessage& sample, std::span<const std::uint8_t> frame) {
    // A vector of its own size: a read past the end is a sanitizer's finding.
    const Bytes copy(frame.begin(), frame.end());
    return sample.is_to_server ? fuzz_to_server(copy) : fuzz_to_client(copy);
}

std::string refusal_to_client(const Bytes& frame) {
    AlignedBytes scratch;
    const auto message = verify_to_client(frame, scratch);
    return message ? "" : message.error().message;
}

/// A State whose `enters` are `count` times the same table with the same name.
Bytes state_with_shared_enters(std::size_t count, std::size_t name_bytes) {
    FlatBufferBuilder builder;
    const auto name = builder.CreateString(std::string(name_bytes, 'n'));
    const auto enter = wire::CreateNodeEnter(builder, 1, 1, 1, 1, name);
    const auto enters = builder.CreateVector(std::vector<Offset<wire::NodeEnter>>(count, enter));
    const wire::OwnState own = to_wire(sample_player(), 0, 0);
    return finish_message(builder, wire::ToClientMessage::State,
                          wire::CreateState(builder, 1, 1, &own, enters).Union());
}

TEST_CASE("T13 T14 messages: shared tables are refused by the table cap") {
    CHECK(refusal_to_client(state_with_shared_enters(kEntersPerStateMax, 4)) == "");
    CHECK(refusal_to_client(state_with_shared_enters(kEntersPerStateMax + 1, 4))
              .starts_with("State.enters:"));
    // 510 tables and the two around them are the verifier's most.
    CHECK(refusal_to_client(state_with_shared_enters(510, 4)).starts_with("State.enters:"));
    CHECK(refusal_to_client(state_with_shared_enters(511, 4)).starts_with("frame:"));
    CHECK(refusal_to_client(state_with_shared_enters(19000, 4)).starts_with("frame:"));
}

TEST_CASE("T16 messages: many references to one long string are refused before any copy") {
    CHECK(
        refusal_to_client(state_with_shared_enters(200, 30000)).starts_with("State.enters.name:"));
    FlatBufferBuilder builder;
    const auto name = builder.CreateString(std::string(30000, 'n'));
    const Bytes hello = finish_message(builder, wire::ToServerMessage::Hello,
                                       wire::CreateHello(builder, 1, name, 8, name).Union());
    AlignedBytes scratch;
    const auto message = verify_to_server(hello, scratch);
    REQUIRE_FALSE(message.has_value());
    CHECK(message.error().message.starts_with("Hello.name:"));
}

TEST_CASE("T20 messages: a frame at any address gives the same answer") {
    for (const SampleMessage& sample : sample_messages()) {
        CAPTURE(sample.name);
        for (std::size_t offset = 0; offset < 16; ++offset) {
            Bytes room(offset + sample.frame.size());
            std::copy(sample.frame.begin(), sample.frame.end(),
                      room.begin() + static_cast<std::ptrdiff_t>(offset));
            const auto frame = std::span<const std::uint8_t>(room).subspan(offset);
            CHECK((sample.is_to_server ? fuzz_to_server(frame) : fuzz_to_client(frame)));
        }
    }
}

TEST_CASE("T22 messages: every prefix is refused") {
    for (const SampleMessage& sample : sample_messages()) {
        CAPTURE(sample.name);
        for (std::size_t size = 0; size < sample.frame.size(); ++size) {
            CAPTURE(size);
            CHECK_FALSE(is_accepted(sample, std::span(sample.frame).first(size)));
            // And with a length prefix that fits what is left.
            if (size >= 12) {
                Bytes cut(sample.frame.begin(),
                          sample.frame.begin() + static_cast<std::ptrdiff_t>(size));
                const auto length = static_cast<std::uint32_t>(size - kFramePrefixBytes);
                std::memcpy(cut.data(), &length, sizeof(length));
                (void)is_accepted(sample, cut);
            }
        }
        Bytes longer = sample.frame;
        longer.push_back(0);
        CHECK_FALSE(is_accepted(sample, longer));
    }
}

TEST_CASE("T22 messages: every single flipped bit is refused or still makes sense") {
    for (const SampleMessage& sample : sample_messages()) {
        CAPTURE(sample.name);
        Bytes frame = sample.frame;
        std::size_t refused = 0;
        for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
            frame[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
            refused += is_accepted(sample, frame) ? 0U : 1U;
            frame[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        }
        CHECK(refused >= 64);  // the length and the identifier at least
        CHECK(frame == sample.frame);
    }
}

TEST_CASE("T23 messages: offsets and vtables made by hand are refused or read harmlessly") {
    for (const SampleMessage& sample : sample_messages()) {
        CAPTURE(sample.name);
        const auto size = static_cast<std::uint32_t>(sample.frame.size());
        for (std::size_t at = 4; at + 2 <= sample.frame.size(); at += 2) {
            const auto here = static_cast<std::uint32_t>(at);
            for (const std::uint32_t value :
                 {0U, 1U, 2U, 3U, 4U, 5U, here, 0U - here, size - here, size - here - 1, size - 1,
                  size, 0x7FFFU, 0x8000U, 0xFFFFU, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU}) {
                Bytes frame = sample.frame;
                std::memcpy(frame.data() + at, &value, 2);
                (void)is_accepted(sample, frame);
                if (at % 4 == 0 && at + 4 <= frame.size()) {
                    std::memcpy(frame.data() + at, &value, 4);
                    (void)is_accepted(sample, frame);
                }
            }
        }
    }
}

TEST_CASE("messages: random bytes behind a good header never crash") {
    for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
        Random random(seed);
        Bytes frame(12 + random.below(120));
        for (std::uint8_t& byte : frame) {
            byte = static_cast<std::uint8_t>(random.below(random.below(2) == 0 ? 256 : 24));
        }
        const auto length = static_cast<std::uint32_t>(frame.size() - kFramePrefixBytes);
        std::memcpy(frame.data(), &length, sizeof(length));
        std::memcpy(frame.data() + 8, wire::ToServerIdentifier(), 4);
        (void)fuzz_to_server(frame);
        std::memcpy(frame.data() + 8, wire::ToClientIdentifier(), 4);
        (void)fuzz_to_client(frame);
    }
}

}  // namespace
}  // namespace terrane
