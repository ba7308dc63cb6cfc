#include "shared/terrain/flat_scan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "shared/core/random.h"

namespace terrane {
namespace {

/// Random bounds as a collider would hold them.
struct RandomRows {
    std::vector<std::uint8_t> bytes;
    std::uint32_t count;

    RandomRows(Random& random, std::uint32_t quads) : count(quads) {
        const std::uint32_t groups = rows().group_count();
        bytes.assign(6 * std::size_t{count} + 6 * std::size_t{groups} + kScanOverread, 77);
        for (std::uint32_t i = 0; i < count; ++i) {
            for (std::uint32_t axis = 0; axis < 3; ++axis) {
                const auto low = static_cast<std::uint8_t>(random.between(0, 128));
                const auto high = static_cast<std::uint8_t>(low + random.between(0, 16));
                bytes[axis * count + i] = low;
                bytes[(axis + 3) * count + i] = high;
                std::uint8_t* group = &bytes[6 * std::size_t{count} + i / kScanGroup];
                std::uint8_t& group_low = group[axis * groups];
                std::uint8_t& group_high = group[(axis + 3) * groups];
                const bool is_first = i % kScanGroup == 0;
                group_low = is_first ? low : std::min(group_low, low);
                group_high = is_first ? high : std::max(group_high, high);
            }
        }
    }
    ScanRows rows() const { return {bytes.data(), bytes.data() + 6 * std::size_t{count}, count}; }
};

std::uint32_t random_count(Random& random, int i) {
    constexpr std::array<std::uint32_t, 12> kEdges{1,  7,  8,  9,   31,  32,
                                                   33, 63, 64, 255, 512, kScanQuadsMax};
    return i % 4 == 0 ? kEdges[random.below(kEdges.size())] : 1 + random.below(200);
}

/// Integers stay exact in floats here, so what the ray passes can be said without margins.
ScanRay random_scan_ray(Random& random) {
    ScanRay ray;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto from = static_cast<float>(random.between(-20, 160));
        const float speed = random.below(4) == 0 ? 0x1p-60F : random.range(0.01F, 1.0F);
        const bool is_forward = random.below(2) == 0;
        ray.inverse[axis] = (is_forward ? 1.0F : -1.0F) / speed;
        ray.near_row[axis] = static_cast<std::uint8_t>(is_forward ? axis : axis + 3);
        ray.far_row[axis] = static_cast<std::uint8_t>(is_forward ? axis + 3 : axis);
        ray.near_shift[axis] = is_forward ? -0.25F - from : 1.25F - from;
        ray.far_shift[axis] = is_forward ? 1.25F - from : -0.25F - from;
    }
    ray.enter = -0.25F;
    ray.leave = random.range(0.0F, 200.0F);
    return ray;
}

}  // namespace

TEST_CASE("A22 flat_scan: SIMD and scalar name the same quads for boxes, those that meet") {
    Random random(22);
    std::size_t met_count = 0;
    for (int i = 0; i < 20000; ++i) {
        const RandomRows made(random, random_count(random, i));
        const ScanRows rows = made.rows();
        ScanBox box;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.low[axis] = static_cast<std::uint8_t>(random.between(0, 255));
            box.high[axis] = static_cast<std::uint8_t>(
                std::min(255, box.low[axis] + random.between(-4, i % 8 == 0 ? 255 : 48)));
        }
        const std::size_t words = (rows.quad_count + 63) / 64;
        std::array<std::uint64_t, kScanWords> scalar;
        std::array<std::uint64_t, kScanWords> simd;
        scalar.fill(~std::uint64_t{0});
        simd.fill(~std::uint64_t{0});
        scalar_scan().box(rows, box, scalar.data());
        simd_scan().box(rows, box, simd.data());
        CAPTURE(i);
        REQUIRE(std::equal(scalar.begin(), scalar.begin() + static_cast<std::ptrdiff_t>(words),
                           simd.begin()));
        for (std::size_t quad = 0; quad < 64 * words; ++quad) {
            bool is_met = quad < rows.quad_count;
            for (std::size_t axis = 0; is_met && axis < 3; ++axis) {
                is_met = rows.quads[axis * made.count + quad] <= box.high[axis] &&
                         rows.quads[(axis + 3) * made.count + quad] >= box.low[axis];
            }
            REQUIRE(((scalar[quad / 64] >> (quad % 64)) & 1U) == (is_met ? 1U : 0U));
            met_count += is_met ? 1U : 0U;
        }
    }
    CHECK(met_count > 5000);
}

TEST_CASE("A22 flat_scan: SIMD and scalar name the same quads for rays, ascending") {
    Random random(23);
    std::size_t found_count = 0;
    for (int i = 0; i < 40000; ++i) {
        const RandomRows made(random, random_count(random, i));
        const ScanRay ray = random_scan_ray(random);
        std::vector<ScanHit> scalar(made.count);
        std::vector<ScanHit> simd(made.count);
        scalar.resize(scalar_scan().ray(made.rows(), ray, scalar.data()));
        simd.resize(simd_scan().ray(made.rows(), ray, simd.data()));
        CAPTURE(i);
        REQUIRE(std::ranges::equal(scalar, simd, [](const ScanHit& a, const ScanHit& b) {
            return a.quad == b.quad && a.enter == b.enter;
        }));
        REQUIRE(std::ranges::is_sorted(simd, {}, &ScanHit::quad));
        found_count += simd.size();
    }
    CHECK(found_count > 5000);
}

TEST_CASE("A22 flat_scan: a ray's groups leave out no quad that it passes") {
    Random random(24);
    for (int i = 0; i < 20000; ++i) {
        const RandomRows made(random, random_count(random, i));
        const ScanRay ray = random_scan_ray(random);
        std::vector<ScanHit> found(made.count);
        found.resize(simd_scan().ray(made.rows(), ray, found.data()));
        std::size_t next = 0;
        for (std::uint32_t quad = 0; quad < made.count; ++quad) {
            float enter = ray.enter;
            float leave = ray.leave;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto row = [&](std::uint8_t which) {
                    return static_cast<float>(made.bytes[which * made.count + quad]);
                };
                enter = std::max(
                    enter, (row(ray.near_row[axis]) + ray.near_shift[axis]) * ray.inverse[axis]);
                leave = std::min(
                    leave, (row(ray.far_row[axis]) + ray.far_shift[axis]) * ray.inverse[axis]);
            }
            if (enter <= leave) {
                REQUIRE(next < found.size());
                REQUIRE(found[next].quad == quad);
                REQUIRE(found[next].enter == enter);
                ++next;
            }
        }
        REQUIRE(next == found.size());
    }
}

}  // namespace terrane
