#include "client-stub/bots/histogram.h"

#include <algorithm>
#include <cmath>

namespace terrane {
namespace {

constexpr std::size_t kBucketCount = std::size_t{kHistogramOctaves} * kBucketsPerOctave;

std::size_t bucket_of(double value) {
    if (!(value > kHistogramMin)) {
        return 0;
    }
    int exponent = 0;
    const double fraction = std::frexp(value / kHistogramMin, &exponent);  // in [0.5, 1)
    const auto within = static_cast<std::size_t>((fraction - 0.5) * 2.0 * kBucketsPerOctave);
    const std::size_t bucket = static_cast<std::size_t>(exponent - 1) * kBucketsPerOctave + within;
    return std::min(bucket, kBucketCount - 1);
}

double upper_end(std::size_t bucket) {
    const auto octave = static_cast<int>(bucket / kBucketsPerOctave);
    const double within = static_cast<double>(bucket % kBucketsPerOctave + 1) / kBucketsPerOctave;
    return std::ldexp(kHistogramMin * (1.0 + within), octave);
}

}  // namespace

void Histogram::add(double value) {
    if (!(value > 0.0)) {
        value = 0.0;
    }
    if (buckets_.empty()) {
        buckets_.resize(kBucketCount);
    }
    ++buckets_[bucket_of(value)];
    ++count_;
    max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
    if (other.count_ == 0) {
        return;
    }
    buckets_.resize(kBucketCount);
    for (std::size_t i = 0; i < kBucketCount; ++i) {
        buckets_[i] += other.buckets_[i];
    }
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
}

double Histogram::percentile(double percent) const {
    if (count_ == 0) {
        return 0.0;
    }
    const double wanted = std::ceil(percent / 100.0 * static_cast<double>(count_));
    const std::uint64_t rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < kBucketCount; ++i) {
        passed += buckets_[i];
        if (passed >= rank) {
            return std::min(upper_end(i), max_);
        }
    }
    return max_;
}

}  // namespace terrane
