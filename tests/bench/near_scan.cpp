#include "tests/bench/near_scan.h"

#include <bit>
#include <cstring>
#include <limits>

namespace terrane::bench {

void NearScan::update(std::span<const Vec3> positions) {
    // Up to eight that are never near.
    const std::size_t padded = (positions.size() + 7) / 8 * 8;
    for (std::vector<float>* axis : {&xs_, &ys_, &zs_}) {
        axis->assign(padded, std::numeric_limits<float>::infinity());
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
        xs_[i] = positions[i].x;
        ys_[i] = positions[i].y;
        zs_[i] = positions[i].z;
    }
}

#ifdef __x86_64__
bool has_near_scan() {
    return __builtin_cpu_supports("avx2");
}

using Float8 = float __attribute__((vector_size(32)));
using Int8 = std::int32_t __attribute__((vector_size(32)));

__attribute__((target("avx2"))) void NearScan::find_near(
    const Vec3& at, float radius_m, std::vector<std::uint32_t>& objects) const {
    const float limit = radius_m * radius_m;
    const Vec3 from = at;
    const float* xs = xs_.data();
    const float* ys = ys_.data();
    const float* zs = zs_.data();
    const std::size_t count = xs_.size();
    for (std::size_t i = 0; i < count; i += 8) {
        Float8 x;
        Float8 y;
        Float8 z;
        std::memcpy(&x, xs + i, sizeof x);
        std::memcpy(&y, ys + i, sizeof y);
        std::memcpy(&z, zs + i, sizeof z);
        x -= from.x;
        y -= from.y;
        z -= from.z;
        const Int8 is_near = x * x + y * y + z * z <= limit;
        auto met = static_cast<unsigned>(__builtin_ia32_movmskps256((Float8)is_near));
        for (; met != 0; met &= met - 1) {
            objects.push_back(static_cast<std::uint32_t>(i) +
                              static_cast<std::uint32_t>(std::countr_zero(met)));
        }
    }
}
#else
bool has_near_scan() {
    return false;
}

void NearScan::find_near(const Vec3&, float, std::vector<std::uint32_t>&) const {}
#endif

}  // namespace terrane::bench
