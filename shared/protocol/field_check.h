// Keeps the first thing that is wrong with a message, with the name of its field. Private to the
// room: verify_to_server.cpp and verify_to_client.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

#include <flatbuffers/flatbuffers.h>

#include "schemas/types_generated.h"
#include "shared/core/result.h"
#include "shared/protocol/framing.h"
#include "shared/protocol/limits.h"

namespace terrane {

class FieldCheck {
  public:
    bool is_ok() const { return !error_.has_value(); }
    const Error& error() const { return *error_; }

    template <typename... Args>
    void refuse(fmt::format_string<Args...> format, Args&&... args) {
        if (is_ok()) {
            error_ = Error{fmt::format(format, std::forward<Args>(args)...)};
        }
    }
    /// NaN and infinities are outside every range.
    template <typename T>
    void range(std::string_view field, T value, T low, T high) {
        if (!(value >= low && value <= high)) {
            refuse("{}: {}, must be {} to {}", field, value, low, high);
        }
    }
    /// Closed enums whose values run without gaps.
    template <typename Enum>
    void known(std::string_view field, Enum value, Enum first = Enum::MIN) {
        using Number = std::underlying_type_t<Enum>;
        range<unsigned>(field, static_cast<Number>(value), static_cast<Number>(first),
                        static_cast<Number>(Enum::MAX));
    }
    /// false if it is absent: do not go on to read it.
    bool present(std::string_view field, const void* value) {
        if (value == nullptr) {
            refuse("{}: missing", field);
        }
        return value != nullptr;
    }
    /// Absent counts as empty. false if it is too long or too short: do not walk it.
    template <typename Sequence>
    bool count(std::string_view field, const Sequence* sequence, std::size_t least,
               std::size_t most) {
        const std::size_t size = sequence == nullptr ? 0 : sequence->size();
        range<std::size_t>(field, size, least, most);
        return size >= least && size <= most;
    }
    void chunk(std::string_view field, const wire::ChunkPos& position) {
        for (const std::int32_t axis : {position.x(), position.y(), position.z()}) {
            range(field, axis, -kChunkCoordMax, kChunkCoordMax);
        }
    }

  private:
    std::optional<Error> error_;
};

/// Text that people will read: at most `bytes_max` bytes of UTF-8 without control characters, which
/// could forge lines in a log or a terminal. Absent counts as empty.
void check_line(std::string_view field, const flatbuffers::String* text, std::size_t bytes_max,
                FieldCheck& check);

/// Steps 1 and 2 of messages.h; nullptr and the reason in `check` if the frame is refused.
template <typename Root>
const Root* verify_structure(std::span<const std::uint8_t> frame, AlignedBytes& scratch,
                             const char* identifier, std::size_t bytes_max, FieldCheck& check) {
    if (frame.size() < kFramePrefixBytes + kMessageBytesMin ||
        frame.size() > kFramePrefixBytes + bytes_max) {
        check.refuse("frame: {} bytes, must be {} to {}", frame.size(),
                     kFramePrefixBytes + kMessageBytesMin, kFramePrefixBytes + bytes_max);
        return nullptr;
    }
    if (reinterpret_cast<std::uintptr_t>(frame.data()) % alignof(std::uint64_t) != 0) {
        scratch.clear();
        scratch.append(frame);
        frame = scratch.span();
    }
    flatbuffers::Verifier::Options options;
    options.max_depth = kVerifierDepthMax;
    options.max_tables = kVerifierTablesMax;
    options.check_nested_flatbuffers = false;  // none in our schemas: their counters restart
    flatbuffers::Verifier verifier(frame.data(), frame.size(), options);
    if (!verifier.VerifySizePrefixedBuffer<Root>(identifier)) {
        check.refuse("frame: no {} message of at most {} tables", identifier, kVerifierTablesMax);
        return nullptr;
    }
    return flatbuffers::GetSizePrefixedRoot<Root>(frame.data());
}

}  // namespace terrane
