// The builders by the names that configuration uses.
#pragma once

#include <span>
#include <string_view>

#include "shared/bvh/bvh.h"
#include "shared/bvh/morton.h"
#include "shared/bvh/top_down.h"
#include "shared/core/result.h"
#include "shared/core/worker_pool.h"

namespace terrane {

enum class BvhBuilder : std::uint8_t { median, splatter, mean, sah, lbvh, hlbvh, ploc };

inline constexpr BvhBuilder kBvhBuilders[] = {
    BvhBuilder::median, BvhBuilder::splatter, BvhBuilder::mean, BvhBuilder::sah,
    BvhBuilder::lbvh,   BvhBuilder::hlbvh,    BvhBuilder::ploc};

std::string_view name_of(BvhBuilder builder);
/// A wrong name's error lists the right ones.
Result<BvhBuilder> builder_named(std::string_view name);

struct BuildConfig {
    BvhBuilder builder = BvhBuilder::sah;
    std::uint32_t leaf_objects_max = 4;
    std::uint32_t bin_count = 16;             ///< sah, hlbvh
    std::uint32_t ploc_radius = 10;           ///< ploc
    MortonCode code = MortonCode::by_length;  ///< lbvh, hlbvh, ploc
    WorkerPool* pool = nullptr;               ///< lbvh, hlbvh
};

Bvh build_bvh(std::span<const Aabb> boxes, const BuildConfig& config = {});

/// The rule of a top-down builder, for a build in steps; nullptr for the others, which build at
/// once.
SplitRule split_rule_of(BvhBuilder builder);

}  // namespace terrane
