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

void set_bit(std::vector<std::uint64_t>& bits, std::uint32_t index) {
    bits[index / 64] |= std::uint64_t{1} << (index % 64);
}
bool has_bit(const std::vector<std::uint64_t>& bits, std::uint32_t index) {
    return (bits[index / 64] >> (index % 64) & 1U) != 0;
}
void fit_bits(std::vector<std::uint64_t>& bits, std::uint32_t count) {
    if (bits.size() < (std::size_t{count} + 63) / 64) {
        bits.resize((std::size_t{count} + 63) / 64, 0);
    }
}
/// Appends the bits' indices, ascending, and clears them.
void take_bits(std::vector<std::uint64_t>& bits, std::vector<std::uint32_t>& indices) {
    for (std::size_t word = 0; word < bits.size(); ++word) {
        for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
            indices.push_back(static_cast<std::uint32_t>(word * 64) +
                              static_cast<std::uint32_t>(std::countr_zero(left)));
        }
        bits[word] = 0;
    }
}

}  // namespace

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
    starts_.assign(static_cast<std::size_t>(side_ * side_) + 1, 0);
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
            return starts_[static_cast<std::size_t>((row & mask_) * side_ + x)];
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

/// Calls take(object, distance squared) for all within the radius.
template <typename Take>
void InterestGrid::for_each_near(const Vec3& at, float radius_m, const Take& take) const {
    if (!(radius_m >= 0.0F) || !is_finite(at)) {
        return;
    }
    const float radius_squared = std::min(radius_m * radius_m, std::numeric_limits<float>::max());
    const Float4 limit = spread(radius_squared);
    const Float4 x = spread(at.x);
    const Float4 y = spread(at.y);
    const Float4 z = spread(at.z);
    for_each_run(at, std::min(radius_m, 1e18F), [&](std::uint32_t first, std::uint32_t end) {
        for (std::uint32_t i = first; i < end; i += 4) {
            const Float4 dx = load_four(xs_.data() + i) - x;
            const Float4 dy = load_four(ys_.data() + i) - y;
            const Float4 dz = load_four(zs_.data() + i) - z;
            const Float4 squared = dx * dx + dy * dy + dz * dz;
            if (!is_any(squared <= limit)) {
                continue;
            }
            const std::uint32_t lanes = std::min(end - i, 4U);
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                if (squared[lane] <= radius_squared) {
                    take(ids_[i + lane], squared[lane]);
                }
            }
        }
    });
}

void InterestGrid::find_near(const Vec3& at, float radius_m, std::vector<std::uint32_t>& objects,
                             InterestScratch& scratch) const {
    fit_bits(scratch.near, position_count_);
    for_each_near(at, radius_m,
                  [&](std::uint32_t object, float) { set_bit(scratch.near, object); });
    take_bits(scratch.near, objects);
}

void InterestGrid::find_near_by_cell(const Vec3& at, float radius_m,
                                     std::vector<std::uint32_t>& objects) const {
    for_each_near(at, radius_m, [&](std::uint32_t object, float) { objects.push_back(object); });
}

void InterestGrid::update_known(const Vec3& at, float enter_m, float leave_m,
                                std::vector<std::uint32_t>& known,
                                std::vector<std::uint32_t>& entered,
                                std::vector<std::uint32_t>& left, InterestScratch& scratch) const {
    fit_bits(scratch.near, position_count_);
    fit_bits(scratch.known, position_count_);
    for (const std::uint32_t object : known) {
        if (object < position_count_) {
            set_bit(scratch.known, object);
        }
    }
    const float enter_squared = enter_m * enter_m;
    const auto first_entered = static_cast<std::ptrdiff_t>(entered.size());
    for_each_near(at, std::max(enter_m, leave_m), [&](std::uint32_t object, float squared) {
        const bool is_known = has_bit(scratch.known, object);
        if (is_known || squared <= enter_squared) {
            set_bit(scratch.near, object);
            if (!is_known) {
                entered.push_back(object);
            }
        }
    });
    std::sort(entered.begin() + first_entered, entered.end());
    for (const std::uint32_t object : known) {
        const bool is_there = object < position_count_;
        if (!is_there || !has_bit(scratch.near, object)) {
            left.push_back(object);
        }
        if (is_there) {
            scratch.known[object / 64] = 0;
        }
    }
    known.clear();
    take_bits(scratch.near, known);
}

std::size_t InterestGrid::memory_bytes() const {
    return cells_.capacity() * 4 + starts_.capacity() * 4 + ids_.capacity() * 16;
}

}  // namespace terrane
