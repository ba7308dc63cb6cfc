// The gate for bytes from the wire: a frame goes in, a message that may be read without further
// thought about memory comes out. Three steps:
//   1 length and alignment: a frame that does not start at a multiple of 8 is copied to one that
//   does 2 the FlatBuffers verifier with our limits (its defaults let 1.2 KB burn 50 ms) 3 our own
//   checks of every field, since the verifier knows nothing of meaning: it passes NaN,
//     enum 250, a union without its value, absent structs, thousands of references to one string
// What only the world or the session can judge (reach, known materials, sizes of brushes, whether a
// name is free) is left to them, with a reason for the player. Errors name the field.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schemas/to_client_generated.h"
#include "schemas/to_server_generated.h"
#include "shared/core/result.h"
#include "shared/protocol/framing.h"

namespace terrane {

/// `frame` with its prefix. The message lies in `frame` or in `scratch` and lives as long as both
/// stay as they are. Cost: microseconds for any input. Thread: any, one scratch each.
Result<const wire::ToServer*> verify_to_server(std::span<const std::uint8_t> frame,
                                               AlignedBytes& scratch);
Result<const wire::ToClient*> verify_to_client(std::span<const std::uint8_t> frame,
                                               AlignedBytes& scratch);

/// 1 to kNameBytesMax bytes of ASCII letters, digits, '_' and '-'.
bool is_valid_name(std::string_view name);

}  // namespace terrane
