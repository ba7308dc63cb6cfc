// Brute force as the peer of the interest grid: every object's distance, eight at a time by AVX2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/vec.h"

namespace terrane::bench {

class NearScan {
  public:
    void update(std::span<const Vec3> positions);
    /// Appends the objects at most `radius_m` from `at`, ascending.
    void find_near(const Vec3& at, float radius_m, std::vector<std::uint32_t>& objects) const;

  private:
    std::vector<float> xs_;
    std::vector<float> ys_;
    std::vector<float> zs_;
};

/// Has this machine AVX2?
bool has_near_scan();

}  // namespace terrane::bench
