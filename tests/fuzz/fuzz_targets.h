// What is fuzzed: each function takes any bytes and asserts what must hold for all of them. What
// the gate of messages.h lets through is read to its last field and must make sense.
#pragma once

#include <cstdint>
#include <span>

namespace terrane {

/// true: the bytes were accepted.
bool fuzz_to_server(std::span<const std::uint8_t> frame);
bool fuzz_to_client(std::span<const std::uint8_t> frame);
/// First byte: seed of the cuts. The rest is a stream, read whole and read in pieces.
bool fuzz_frame_reader(std::span<const std::uint8_t> input);
bool fuzz_chunk_blob(std::span<const std::uint8_t> blob);
bool fuzz_piece(std::span<const std::uint8_t> bytes);

}  // namespace terrane
