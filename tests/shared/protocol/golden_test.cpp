// The schema's bytes of protocol version 1. A failing case means that old and new programs no
// longer understand each other: add fields at the end of tables, never touch structs or enums, or
// raise kProtocolVersion. TERRANE_WRITE_GOLDEN=1 rewrites the files, which are also the fuzzers'
// seeds.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "shared/protocol/messages.h"
#include "tests/shared/protocol/sample_messages.h"

namespace terrane {
namespace {

std::filesystem::path golden_path(const SampleMessage& sample) {
    return std::filesystem::path(TERRANE_CORPUS_DIR) /
           (sample.is_to_server ? "to_server" : "to_client") / (sample.name + ".bin");
}

Bytes read_golden(const SampleMessage& sample) {
    std::ifstream file(golden_path(sample), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_CASE("T89 messages: every type has its golden bytes") {
    std::size_t to_server = 0;
    std::size_t to_client = 0;
    for (const SampleMessage& sample : sample_messages()) {
        CAPTURE(sample.name);
        if (std::getenv("TERRANE_WRITE_GOLDEN") != nullptr) {
            std::ofstream file(golden_path(sample), std::ios::binary);
            file.write(reinterpret_cast<const char*>(sample.frame.data()),
                       static_cast<std::streamsize>(sample.frame.size()));
        }
        CHECK(read_golden(sample) == sample.frame);
        (sample.is_to_server ? to_server : to_client) += 1;
    }
    // One more Input; NONE is the enum's zero.
    CHECK(to_server == static_cast<std::size_t>(wire::ToServerMessage::MAX) + 1);
    CHECK(to_client == static_cast<std::size_t>(wire::ToClientMessage::MAX));
}

TEST_CASE("T89 messages: golden bytes still read as the values they were made from") {
    AlignedBytes scratch;
    for (const SampleMessage& sample : sample_messages()) {
        const Bytes golden = read_golden(sample);
        CAPTURE(sample.name);
        if (sample.name == "input") {
            const auto message = verify_to_server(golden, scratch);
            REQUIRE(message.has_value());
            const wire::Input& input = *(*message)->message_as_Input();
            CHECK(input.tick() == 12345);
            CHECK(from_wire(*input.controls()).yaw == 54321);
            REQUIRE(input.edits()->size() == 2);
            CHECK(from_wire(*input.edits()->Get(1)) == sample_edits()[1].brush);
        }
        if (sample.name == "state") {
            const auto message = verify_to_client(golden, scratch);
            REQUIRE(message.has_value());
            const wire::State& state = *(*message)->message_as_State();
            CHECK(state.applied_input() == 70);
            CHECK(from_wire(*state.own()).position == sample_player().position);
            CHECK(state.enters()->Get(0)->name()->str() == "Ada");
            CHECK(state.enters()->Get(1)->name() == nullptr);
            CHECK(position_of(*state.nodes()->Get(1)) == Vec3{-4.5F, 60.0F, 7.0F});
        }
        if (sample.name == "welcome") {
            const auto message = verify_to_client(golden, scratch);
            REQUIRE(message.has_value());
            const wire::Welcome& welcome = *(*message)->message_as_Welcome();
            CHECK(welcome.protocol_version() == kProtocolVersion);
            CHECK(welcome.player_id() == 0x0102030405060708);
            CHECK(welcome.materials()->Get(2)->name()->str() == "stone");
            CHECK(from_wire(*welcome.motion()).eye_height_m == 1.62F);
        }
    }
}

}  // namespace
}  // namespace terrane
