#include "server/world/command.h"

#include <array>

#include "shared/core/assert.h"

namespace terrane {

const char* name_of(RejectReason reason) {
    static constexpr std::array<const char*, kRejectReasonCount> kNames{
        "none",         "too_far",   "no_sight", "out_of_zone", "not_loaded", "occupied",
        "bad_material", "bad_value", "rate",     "protected",   "stale"};
    const auto index = static_cast<std::size_t>(reason);
    TERRANE_ASSERT(index < kNames.size());
    return kNames[index];
}

}  // namespace terrane
