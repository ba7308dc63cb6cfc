#include "tests/bench/near_scan.h"

#include <bit>
#include <limits>

#ifdef __x86_64__
#include <immintrin.h>
#endif

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

__attribute__((target("avx2"))) void NearScan::find_near(
    const Vec3& at, float radius_m, std::vector<std::uint32_t>& objects) const {
    const __m256 x = _mm256_set1_ps(at.x);
    const __m256 y = _mm256_set1_ps(at.y);
    const __m256 z = _mm256_set1_ps(at.z);
    const __m256 limit = _mm256_set1_ps(radius_m * radius_m);
    for (std::size_t i = 0; i < xs_.size(); i += 8) {
        const __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(xs_.data() + i), x);
        const __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(ys_.data() + i), y);
        const __m256 dz = _mm256_sub_ps(_mm256_loadu_ps(zs_.data() + i), z);
        const __m256 squared = _mm256_add_ps(
            _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), _mm256_mul_ps(dz, dz));
        auto met =
            static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ)));
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
