#include "shared/bvh/builders.h"

#include "shared/bvh/build_hlbvh.h"
#include "shared/bvh/build_lbvh.h"
#include "shared/bvh/build_mean.h"
#include "shared/bvh/build_median.h"
#include "shared/bvh/build_ploc.h"
#include "shared/bvh/build_sah.h"
#include "shared/bvh/build_splatter.h"

namespace terrane {

std::string_view name_of(BvhBuilder builder) {
    switch (builder) {
        case BvhBuilder::median:
            return "median";
        case BvhBuilder::splatter:
            return "splatter";
        case BvhBuilder::mean:
            return "mean";
        case BvhBuilder::sah:
            return "sah";
        case BvhBuilder::lbvh:
            return "lbvh";
        case BvhBuilder::hlbvh:
            return "hlbvh";
        case BvhBuilder::ploc:
            return "ploc";
    }
    return "";
}

Result<BvhBuilder> builder_named(std::string_view name) {
    std::string names;
    for (const BvhBuilder builder : kBvhBuilders) {
        if (name_of(builder) == name) {
            return builder;
        }
        names += names.empty() ? "" : ", ";
        names += name_of(builder);
    }
    return fail("no tree builder is called '{}'; there are {}", name, names);
}

Bvh build_bvh(std::span<const Aabb> boxes, const BuildConfig& config) {
    const std::uint32_t leaf = config.leaf_objects_max;
    switch (config.builder) {
        case BvhBuilder::median:
            return build_median(boxes, {leaf});
        case BvhBuilder::splatter:
            return build_splatter(boxes, {leaf});
        case BvhBuilder::mean:
            return build_mean(boxes, {leaf});
        case BvhBuilder::sah:
            return build_sah(boxes, {leaf, config.bin_count});
        case BvhBuilder::lbvh:
            return build_lbvh(boxes, {leaf, config.code, config.pool});
        case BvhBuilder::hlbvh:
            return build_hlbvh(boxes, {.leaf_objects_max = leaf,
                                       .code = config.code,
                                       .bin_count = config.bin_count,
                                       .pool = config.pool});
        case BvhBuilder::ploc:
            return build_ploc(boxes, {leaf, config.ploc_radius, config.code});
    }
    return {};
}

SplitRule split_rule_of(BvhBuilder builder) {
    switch (builder) {
        case BvhBuilder::median:
            return split_by_median;
        case BvhBuilder::splatter:
            return split_by_splatter;
        case BvhBuilder::mean:
            return split_by_mean;
        case BvhBuilder::sah:
            return split_by_sah;
        default:
            return nullptr;
    }
}

}  // namespace terrane
