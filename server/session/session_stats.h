// Counters of everything that sessions did or were refused, since the start.
#pragma once

#include <array>
#include <cstdint>

#include "schemas/types_generated.h"

namespace terrane {

inline constexpr std::size_t kLeaveReasonCount = 13;
static_assert(static_cast<std::size_t>(wire::LeaveReason::MAX) + 1 == kLeaveReasonCount);

struct SessionStats {
    std::uint64_t opened = 0;
    std::uint64_t admitted = 0;
    std::array<std::uint64_t, kLeaveReasonCount> left{};  ///< by LeaveReason
    std::uint64_t messages = 0;
    std::uint64_t inputs = 0;            ///< became commands
    std::uint64_t inputs_duplicate = 0;  ///< tick not newer than the last
    std::uint64_t inputs_missing = 0;    ///< ticks that a gap left out
    std::uint64_t inputs_over_rate = 0;
    std::uint64_t inputs_overflowed = 0;  ///< pushed out of a full queue
    std::uint64_t edits = 0;              ///< went on to the world
    std::uint64_t edits_duplicate = 0;
    std::uint64_t edits_over_rate = 0;
    std::uint64_t hash_requests = 0;
    std::uint64_t hash_requests_over_rate = 0;
    std::uint64_t lines = 0;  ///< of chat
    std::uint64_t lines_over_rate = 0;
};

}  // namespace terrane
