#include "shared/scene/interest_grid.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "shared/core/assert.h"
#include "shared/shape/float4.h"

namespace terrane {

namespace {

constexpr std::uint32_t kNoCell = ~0U;

Float4 load_four(const float* from) {
    Float4 lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

/// Bit i: lane i is at most the limit.
std::uint32_t lanes_up_to(Float4 lanes, Float4 limit) {
    const Int4 is_in = lanes <= limit;
#ifdef __SSE__
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps(std::bit_cast<Float4>(is_in)));
#else
    const Int4 bits = is_in & Int4{1, 2, 4, 8};
    return static_cast<std::uint32_t>(bits[0] | bits[1] | bits[2] | bits[3]);
#endif
}

void fit_words(InterestSet& set, std::uint32_t object_count) {
    set.words.resize(std::max(set.words.size(), (std::size_t{object_count} + 63) / 64), 0);
}
/// Adds those of four objects whose lanes' bits are set.
void add_four(InterestSet& set, const std::uint32_t* ids, std::uint32_t lanes) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
        const std::uint64_t is_in = lanes >> lane & 1U;
        set.words[ids[lane] / 64] |= is_in << (ids[lane] % 64);
    }
}
void append_word(std::uint64_t word, std::size_t index, std::vector<std::uint32_t>& objects) {
    for (; word != 0; word &= word - 1) {
        objects.push_back(static_cast<std::uint32_t>(index * 64) +
                          static_cast<std::uint32_t>(std::countr_zero(word)));
    }
}

}  // namespace

std::size_t InterestSet::count() const {
    std::size_t sum = 0;
    for (const std::uint64_t word : words) {
        sum += static_cast<std::size_t>(std::popcount(word));
    }
    return sum;
}

void InterestSet::list(std::vector<std::uint32_t>& objects) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
        append_word(words[i], i, objects);
    }
}

InterestGrid::InterestGrid(const InterestGridConfig& config)
    : cells_per_m_(1.0F / config.cell_m),
      cell_m_(config.cell_m),
      side_(static_cast<std::int32_t>(config.side_cells)),
      mask_(side_ - 1) {
    TERRANE_ASSERT(config.cell_m > 0.0F && std::has_single_bit(config.side_cells) &&
                   config.side_cells <= 4096);
    update({});
}

/// Beyond 2^29 cells all are one: places so far away are told apart by their distance only.
std::int32_t InterestGrid::cell_along(float metres) const {
    constexpr float kMost = 536870912.0F;
    const float cells = std::clamp(metres * cells_per_m_, -kMost, kMost);
    const auto towards_zero = static_cast<std::int32_t>(cells);
    return towards_zero - (static_cast<float>(towards_zero) > cells ? 1 : 0);
}

void InterestGrid::update(std::span<const Vec3> positions) {
    position_count_ = static_cast<std::uint32_t>(positions.size());
    cells_.resize(positions.size());
    starts_.assign(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_) + 1, 0);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Vec3& at = positions[i];
        if (!is_finite(at)) {
            cells_[i] = kNoCell;
            continue;
        }
        const std::int32_t x = cell_along(at.x) & mask_;
        const std::int32_t z = cell_along(at.z) & mask_;
        cells_[i] = static_cast<std::uint32_t>(z * side_ + x);
        ++starts_[cells_[i]];
    }
    std::uint32_t end = 0;
    for (std::uint32_t& start : starts_) {
        end += start;
        start = end;
    }
    xs_.assign(end + kPadding, 0.0F);
    ys_.assign(end + kPadding, 0.0F);
    zs_.assign(end + kPadding, 0.0F);
    ids_.assign(end + kPadding, 0);
    // From the last to the first: a cell's start moves down to its first object's place.
    for (std::size_t i = positions.size(); i-- > 0;) {
        if (cells_[i] != kNoCell) {
            const std::uint32_t place = --starts_[cells_[i]];
            xs_[place] = positions[i].x;
            ys_[place] = positions[i].y;
            zs_[place] = positions[i].z;
            ids_[place] = static_cast<std::uint32_t>(i);
        }
    }
}

/// Calls visit(first, end) for runs of objects that hold all within the radius, in cell order of
/// each row.
template <typename Visit>
void InterestGrid::for_each_run(const Vec3& at, float radius_m, const Visit& visit) const {
    // Rounding of a distance must not reach beyond the cells looked at.
    const float largest = std::max(std::abs(at.x), std::abs(at.z));
    const float reach = radius_m * (1.0F + 0x1p-20F) + largest * 0x1p-21F;
    const auto runs_of_row = [&](std::int32_t row, std::int32_t first_x, std::int32_t last_x) {
        const auto start = [&](std::int32_t x) {
            return starts_[static_cast<std::uint32_t>((row & mask_) * side_ + x)];
        };
        if (last_x - first_x >= side_ - 1) {
            visit(start(0), start(side_));
            return;
        }
        const std::int32_t first = first_x & mask_;
        const std::int32_t last = last_x & mask_;
        if (first <= last) {
            visit(start(first), start(last + 1));
        } else {
            visit(start(0), start(last + 1));
            visit(start(first), start(side_));
        }
    };
    const std::int32_t first_z = cell_along(at.z - reach);
    const std::int32_t last_z = cell_along(at.z + reach);
    if (last_z - first_z >= side_ - 1) {
        visit(0U, static_cast<std::uint32_t>(object_count()));
        return;
    }
    for (std::int32_t row = first_z; row <= last_z; ++row) {
        // How far from `at` the row's strip is, and half the circle's chord there.
        const float low = static_cast<float>(row) * cell_m_;
        const float away = std::max(
            std::max(low - at.z, at.z - (low + cell_m_)) - reach * 0x1p-20F - largest * 0x1p-21F,
            0.0F);
        const float half_chord = std::sqrt(std::max(reach * reach - away * away, 0.0F));
        const float wide = half_chord + reach * 0x1p-10F;
        runs_of_row(row, cell_along(at.x - wide), cell_along(at.x + wide));
    }
}

/// Calls take(place, distances squared, lanes that count) for runs of up to four objects; not all
/// of them are near.
template <typename Take>
void InterestGrid::for_each_four(const Vec3& at, float radius_m, const Take& take) const {
    const Float4 x = spread(at.x);
    const Float4 y = spread(at.y);
    const Float4 z = spread(at.z);
    for_each_run(at, std::min(radius_m, 1e18F), [&](std::uint32_t first, std::uint32_t end) {
        for (std::uint32_t i = first; i < end; i += 4) {
            const Float4 dx = load_four(xs_.data() + i) - x;
            const Float4 dy = load_four(ys_.data() + i) - y;
            const Float4 dz = load_four(zs_.data() + i) - z;
            const std::uint32_t lanes = end - i >= 4 ? 15U : (1U << (end - i)) - 1U;
            take(i, dx * dx + dy * dy + dz * dz, lanes);
        }
    });
}

namespace {

bool is_askable(const Vec3& at, float radius_m) {
    return radius_m >= 0.0F && is_finite(at);
}
Float4 squared_limit(float radius_m) {
    return spread(std::min(radius_m * radius_m, std::numeric_limits<float>::max()));
}

}  // namespace

void InterestGrid::find_near(const Vec3& at, float radius_m, std::vector<std::uint32_t>& objects,
                             InterestScratch& scratch) const {
    if (!is_askable(at, radius_m)) {
        return;
    }
    fit_words(scratch.near, position_count_);
    const Float4 limit = squared_limit(radius_m);
    for_each_four(at, radius_m, [&](std::uint32_t i, Float4 squared, std::uint32_t lanes) {
        if (const std::uint32_t met = lanes_up_to(squared, limit) & lanes; met != 0) {
            add_four(scratch.near, ids_.data() + i, met);
        }
    });
    for (std::size_t i = 0; i < scratch.near.words.size(); ++i) {
        append_word(scratch.near.words[i], i, objects);
        scratch.near.words[i] = 0;
    }
}

void InterestGrid::find_near_by_cell(const Vec3& at, float radius_m,
                                     std::vector<std::uint32_t>& objects) const {
    if (!is_askable(at, radius_m)) {
        return;
    }
    constexpr std::size_t kBatch = 256;
    std::array<std::uint32_t, kBatch + 4> batch;
    std::size_t count = 0;
    const auto put = [&] {
        objects.insert(objects.end(), batch.begin(),
                       batch.begin() + static_cast<std::ptrdiff_t>(count));
        count = 0;
    };
    const Float4 limit = squared_limit(radius_m);
    for_each_four(at, radius_m, [&](std::uint32_t i, Float4 squared, std::uint32_t lanes) {
        const std::uint32_t met = lanes_up_to(squared, limit) & lanes;
        for (std::size_t lane = 0; lane < 4; ++lane) {
            batch[count] = ids_[i + lane];
            count += met >> lane & 1U;
        }
        if (count >= kBatch) {
            put();
        }
    });
    put();
}

void InterestGrid::update_known(const Vec3& at, float enter_m, float leave_m, InterestSet& known,
                                std::vector<std::uint32_t>& entered,
                                std::vector<std::uint32_t>& left, InterestScratch& scratch) const {
    fit_words(scratch.near, position_count_);
    fit_words(scratch.kept, position_count_);
    fit_words(known, static_cast<std::uint32_t>(scratch.near.words.size() * 64));
    const float reach_m = std::max(enter_m, leave_m);
    if (is_askable(at, reach_m)) {
        const Float4 enter = squared_limit(std::max(enter_m, 0.0F));
        const Float4 leave = squared_limit(reach_m);
        for_each_four(at, reach_m, [&](std::uint32_t i, Float4 squared, std::uint32_t lanes) {
            const std::uint32_t near = lanes_up_to(squared, enter) & lanes;
            if (near != 0) {
                add_four(scratch.near, ids_.data() + i, near);
            }
            const std::uint32_t rim = lanes_up_to(squared, leave) & lanes & ~near;
            if (rim != 0) {
                add_four(scratch.kept, ids_.data() + i, rim);
            }
        });
    }
    for (std::size_t i = 0; i < known.words.size(); ++i) {
        const std::uint64_t before = known.words[i];
        std::uint64_t now = 0;
        if (i < scratch.near.words.size()) {
            now = scratch.near.words[i] | (before & scratch.kept.words[i]);
            scratch.near.words[i] = 0;
            scratch.kept.words[i] = 0;
        }
        known.words[i] = now;
        append_word(now & ~before, i, entered);
        append_word(before & ~now, i, left);
    }
}

std::size_t InterestGrid::memory_bytes() const {
    return cells_.capacity() * 4 + starts_.capacity() * 4 + ids_.capacity() * 16;
}

}  // namespace terrane
