// The scan with Highway. This file is compiled once for each kind of processor (foreach_target);
// the same operations in the same order as the scalar twin, so the same answers.
#include "shared/terrain/flat_scan.h"

#include <cstring>

// x86-64 without SSE4, SSE4, AVX2; wider vectors gain nothing over groups of eight.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shared/terrain/flat_scan_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace terrane::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, 32>;
using Floats = hn::CappedTag<float, kScanGroup>;

void scan_box(const ScanRows& rows, const ScanBox& box, std::uint64_t* met) {
    const Bytes bytes;
    const std::size_t count = rows.quad_count;
    const std::size_t lanes = hn::Lanes(bytes);
    const std::uint8_t* row = rows.quads;
    const auto low_x = hn::Set(bytes, box.low[0]);
    const auto low_y = hn::Set(bytes, box.low[1]);
    const auto low_z = hn::Set(bytes, box.low[2]);
    const auto high_x = hn::Set(bytes, box.high[0]);
    const auto high_y = hn::Set(bytes, box.high[1]);
    const auto high_z = hn::Set(bytes, box.high[2]);
    const auto zero = hn::Zero(bytes);
    const auto load = [&](std::size_t axis, std::size_t i)
                          HWY_ATTR { return hn::LoadU(bytes, row + axis * count + i); };
    met[(count - 1) / 64] = 0;
    auto* bits = reinterpret_cast<std::uint8_t*>(met);
    for (std::size_t i = 0; i < count; i += lanes) {
        // a <= b exactly if a - b, cut off at zero, is zero.
        const auto x =
            hn::Or(hn::SaturatedSub(load(0, i), high_x), hn::SaturatedSub(low_x, load(3, i)));
        const auto y =
            hn::Or(hn::SaturatedSub(load(1, i), high_y), hn::SaturatedSub(low_y, load(4, i)));
        const auto z =
            hn::Or(hn::SaturatedSub(load(2, i), high_z), hn::SaturatedSub(low_z, load(5, i)));
        const auto beyond = hn::Or(x, hn::Or(y, z));
        hn::StoreMaskBits(bytes, hn::Eq(beyond, zero), bits + i / 8);
    }
    // Lanes beyond the last quad looked at other rows.
    if (count % 64 != 0) {
        met[count / 64] &= (std::uint64_t{1} << (count % 64)) - 1;
    }
}

/// Which of the (at most eight) bounds from `i` on the ray passes, a bit each, and where it enters.
HWY_INLINE std::uint32_t pass(const std::uint8_t* rows, std::size_t count, std::size_t i,
                              const ScanRay& ray, float* enters) {
    const Floats floats;
    const hn::Rebind<std::uint8_t, Floats> bytes;
    const hn::Rebind<std::int32_t, Floats> ints;
    const auto load = [&](std::size_t row, std::size_t at) HWY_ATTR {
        return hn::ConvertTo(floats,
                             hn::PromoteTo(ints, hn::LoadU(bytes, rows + row * count + at)));
    };
    std::uint32_t met = 0;
    for (std::size_t lane = 0; lane < kScanGroup; lane += hn::Lanes(floats)) {
        auto enter = hn::Set(floats, ray.enter);
        auto leave = hn::Set(floats, ray.leave);
        const auto cut = [&](std::size_t axis) HWY_ATTR {
            const auto inverse = hn::Set(floats, ray.inverse[axis]);
            const auto near =
                hn::Add(load(ray.near_row[axis], i + lane), hn::Set(floats, ray.near_shift[axis]));
            const auto far =
                hn::Add(load(ray.far_row[axis], i + lane), hn::Set(floats, ray.far_shift[axis]));
            enter = hn::Max(enter, hn::Mul(near, inverse));
            leave = hn::Min(leave, hn::Mul(far, inverse));
        };
        cut(0);
        cut(1);
        cut(2);
        hn::StoreU(enter, floats, enters + lane);
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(floats, hn::Le(enter, leave), bits);
        met |= static_cast<std::uint32_t>(bits[0]) << lane;
    }
    return count - i < kScanGroup ? met & ((1U << (count - i)) - 1) : met;
}

std::uint32_t scan_ray(const ScanRows& rows, const ScanRay& ray, ScanHit* out) {
    const std::size_t group_count = rows.group_count();
    std::uint32_t found = 0;
    float enters[kScanGroup];
    for (std::size_t first = 0; first < group_count; first += kScanGroup) {
        std::uint32_t groups = pass(rows.groups, group_count, first, ray, enters);
        for (; groups != 0; groups &= groups - 1) {
            const std::size_t group = first + static_cast<std::size_t>(__builtin_ctz(groups));
            const std::size_t quad = group * kScanGroup;
            std::uint32_t quads = pass(rows.quads, rows.quad_count, quad, ray, enters);
            for (; quads != 0; quads &= quads - 1) {
                const auto lane = static_cast<std::uint32_t>(__builtin_ctz(quads));
                out[found++] = {static_cast<std::uint32_t>(quad) + lane, enters[lane]};
            }
        }
    }
    return found;
}

}  // namespace

FlatScan make_scan() {
    return {scan_box, scan_ray};
}

}  // namespace terrane::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace terrane {

HWY_EXPORT(make_scan);

const FlatScan& simd_scan() {
    static const FlatScan scan = HWY_DYNAMIC_DISPATCH(make_scan)();
    return scan;
}

}  // namespace terrane
#endif
