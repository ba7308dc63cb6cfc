// Percentiles of any number of measurements in fixed memory: counts in buckets that grow with the
// value (as in HdrHistogram, by Gil Tene). An octave has kBucketsPerOctave equal buckets, so a
// percentile is exact to 1 / kBucketsPerOctave of its value; the largest value is kept as it is.
#pragma once

#include <cstdint>
#include <vector>

namespace terrane {

inline constexpr int kBucketsPerOctave = 128;
/// Smaller values count as this: a microsecond where values are milliseconds.
inline constexpr double kHistogramMin = 0.001;
inline constexpr int kHistogramOctaves = 48;

class Histogram {
  public:
    /// Negative and not-a-number count as 0. Cost: ~10 ns.
    void add(double value);
    void merge(const Histogram& other);

    std::uint64_t count() const { return count_; }
    /// The smallest value that at least `percent` of all values do not exceed (its bucket's upper
    /// end, never above max()). 0 if there are none.
    double percentile(double percent) const;
    double max() const { return max_; }

  private:
    std::vector<std::uint64_t> buckets_;  ///< made at the first value
    std::uint64_t count_ = 0;
    double max_ = 0.0;
};

}  // namespace terrane
