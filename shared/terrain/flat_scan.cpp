#include "shared/terrain/flat_scan.h"

#include <algorithm>

namespace terrane {
namespace {

void scan_box(const ScanRows& rows, const ScanBox& box, std::uint64_t* met) {
    const std::size_t count = rows.quad_count;
    std::fill(met, met + (count + 63) / 64, std::uint64_t{0});
    for (std::size_t i = 0; i < count; ++i) {
        bool is_met = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            is_met = is_met && rows.quads[axis * count + i] <= box.high[axis] &&
                     rows.quads[(axis + 3) * count + i] >= box.low[axis];
        }
        met[i / 64] |= std::uint64_t{is_met} << (i % 64);
    }
}

/// Where the ray is inside the bounds `i` of `rows`; empty if enter > leave.
struct Span {
    float enter;
    float leave;
};

Span pass(const std::uint8_t* rows, std::size_t count, std::size_t i, const ScanRay& ray) {
    Span span{ray.enter, ray.leave};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto near = static_cast<float>(rows[ray.near_row[axis] * count + i]);
        const auto far = static_cast<float>(rows[ray.far_row[axis] * count + i]);
        span.enter = std::max(span.enter, (near + ray.near_shift[axis]) * ray.inverse[axis]);
        span.leave = std::min(span.leave, (far + ray.far_shift[axis]) * ray.inverse[axis]);
    }
    return span;
}

std::uint32_t scan_ray(const ScanRows& rows, const ScanRay& ray, ScanHit* out) {
    std::uint32_t found = 0;
    for (std::uint32_t group = 0; group < rows.group_count(); ++group) {
        const Span around = pass(rows.groups, rows.group_count(), group, ray);
        if (around.enter > around.leave) {
            continue;
        }
        const std::uint32_t end = std::min(rows.quad_count, (group + 1) * kScanGroup);
        for (std::uint32_t quad = group * kScanGroup; quad < end; ++quad) {
            const Span span = pass(rows.quads, rows.quad_count, quad, ray);
            if (span.enter <= span.leave) {
                out[found++] = {quad, span.enter};
            }
        }
    }
    return found;
}

}  // namespace

const FlatScan& scalar_scan() {
    static constexpr FlatScan kScan{scan_box, scan_ray};
    return kScan;
}

#ifndef TERRANE_SIMD
const FlatScan& simd_scan() {
    return scalar_scan();
}
#endif

}  // namespace terrane
