#include "shared/terrain/flat_collider.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "shared/terrain/flat_layout.h"

namespace terrane {
std::size_t memory_bytes(const FlatCollider& collider) {
    return sizeof(FlatCollider) +
           (collider.quad_count == 0 ? 0 : Layout(collider.quad_count, collider.vertex_count).size);
}

namespace {

/// Both triangles of a quad, written one by one where they are wanted. A corner is written as four
/// floats, the last of them overwritten by what comes next: half of a gather's time was spent on
/// putting single floats together.
class QuadWriter {
  public:
    QuadWriter(const std::array<std::uint64_t, 4>& corners, const Placement& placement,
               const BrickCoord& brick)
        : corners_(&corners),
          brick_(&brick),
          places_{placement.place(corners[0]), placement.place(corners[1]),
                  placement.place(corners[2]), placement.place(corners[3])} {}
    /// Of corners (0, b, c).
    void write(std::size_t b, std::size_t c, std::uint32_t index, std::uint8_t* to) const {
        static_assert(offsetof(TerrainTriangle, b) == 12 && offsetof(TerrainTriangle, c) == 24 &&
                      offsetof(TerrainTriangle, brick) == 36);
        std::memcpy(to, &places_[0], sizeof(Float4));
        std::memcpy(to + offsetof(TerrainTriangle, b), &places_[b], sizeof(Float4));
        std::memcpy(to + offsetof(TerrainTriangle, c), &places_[c], sizeof(Float4));
        std::memcpy(to + offsetof(TerrainTriangle, brick), brick_, sizeof(BrickCoord));
        std::memcpy(to + offsetof(TerrainTriangle, index), &index, sizeof index);
        to[offsetof(TerrainTriangle, material)] = material_of(
            material_at((*corners_)[0]), material_at((*corners_)[b]), material_at((*corners_)[c]));
    }

  private:
    const std::array<std::uint64_t, 4>* corners_;
    const BrickCoord* brick_;
    std::array<Float4, 4> places_;
};

// ---- boxes ----

/// The box in the collider's units: a vertex is above its low side exactly if its units are.
struct UnitBox {
    Short8 low;  ///< twice x, y, z and a lane that passes
    Short8 high;
    ScanBox scan;
    bool is_near = true;
};

UnitBox unit_box(const FlatCollider& collider, const Placement& placement, const Aabb& box) {
    constexpr double kFar = 0x1p40;
    UnitBox units;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto i = static_cast<int>(axis);
        // Exact: a float times 256 fits a double, and so does its whole part.
        const double low = std::clamp(static_cast<double>(box.min[i]) * kUnits, -kFar, kFar);
        const double high = std::clamp(static_cast<double>(box.max[i]) * kUnits, -kFar, kFar);
        auto first = static_cast<std::int64_t>(low);
        first += static_cast<double>(first) < low ? 1 : 0;
        auto last = static_cast<std::int64_t>(high);
        last -= static_cast<double>(last) > high ? 1 : 0;
        constexpr std::int64_t kMost = 0x7fff;
        first = std::clamp(first - placement.shift(axis), -kMost, kMost);
        last = std::clamp(last - placement.shift(axis), -kMost, kMost);
        units.low[axis] = units.low[axis + 4] = static_cast<std::int16_t>(first);
        units.high[axis] = units.high[axis + 4] = static_cast<std::int16_t>(last);
        const std::int64_t first_step = first >> kUnitShift;
        const std::int64_t last_step = last >> kUnitShift;
        units.is_near =
            units.is_near && first_step <= collider.high[axis] && last_step >= collider.low[axis];
        units.scan.low[axis] =
            static_cast<std::uint8_t>(std::clamp<std::int64_t>(first_step, 0, 255));
        units.scan.high[axis] =
            static_cast<std::uint8_t>(std::clamp<std::int64_t>(last_step, 0, 255));
    }
    units.low[3] = units.low[7] = -0x8000;
    units.high[3] = units.high[7] = 0x7fff;
    return units;
}

bool has_nan(const Aabb& box) {
    return box.min != box.min || box.max != box.max;
}

}  // namespace

TerrainTriangle triangle_at(const FlatCollider& collider, const BrickCoord& brick,
                            std::uint32_t triangle) {
    const QuadReader reader(collider);
    const std::uint32_t quad = triangle / 2;
    const std::array<std::uint64_t, 4> corners = reader.corners(quad);
    const std::size_t which = (triangle & 1U) ^ reader.swapped(quad);
    TerrainTriangle made;
    QuadWriter(corners, Placement(brick), brick)
        .write(1 + which, 2 + which, triangle, reinterpret_cast<std::uint8_t*>(&made));
    return made;
}

namespace {

/// Triangles on their way into the vector. Both of a quad are written whether the box meets them or
/// not, and the next ones over those that it does not meet: no branch to mispredict.
class TriangleBuffer {
  public:
    explicit TriangleBuffer(std::vector<TerrainTriangle>& out) : out_(&out) {}

    void add(const QuadWriter& quad, std::uint32_t index, std::size_t swapped,
             std::size_t met_first, std::size_t met_second) {
        if (count_ > kRoom) {
            flush();
        }
        // The second place that is free is the third's if that is not met.
        const std::size_t first = (swapped & met_second) | ((met_first ^ 1U) << 1);
        const std::size_t second = ((swapped ^ 1U) & met_first) | ((met_second ^ 1U) << 1);
        quad.write(1, 2, index + static_cast<std::uint32_t>(swapped), at(first));
        quad.write(2, 3, index + 1 - static_cast<std::uint32_t>(swapped), at(second));
        count_ += met_first + met_second;
    }
    void flush() {
        const auto* triangles = reinterpret_cast<const TerrainTriangle*>(bytes_);
        out_->insert(out_->end(), triangles, triangles + count_);
        count_ = 0;
    }

  private:
    static constexpr std::size_t kRoom = 61;  ///< and three more for what is written but not met

    std::uint8_t* at(std::size_t i) { return bytes_ + (count_ + i) * sizeof(TerrainTriangle); }

    std::vector<TerrainTriangle>* out_;
    std::size_t count_ = 0;
    alignas(TerrainTriangle) std::uint8_t bytes_[(kRoom + 4) * sizeof(TerrainTriangle)];
};

}  // namespace

void gather(const FlatCollider& collider, const BrickCoord& brick, const Aabb& box,
            std::vector<TerrainTriangle>& out) {
    if (collider.quad_count == 0 || has_nan(box)) {
        return;
    }
    const Placement placement(brick);
    const UnitBox units = unit_box(collider, placement, box);
    if (!units.is_near) {
        return;
    }
    const QuadReader reader(collider);
    std::array<std::uint64_t, kScanWords> met;
    collider.scan->box(reader.rows(collider), units.scan, met.data());
    TriangleBuffer buffer(out);
    for (std::uint32_t word = 0; 64 * word < collider.quad_count; ++word) {
        const std::uint64_t swapped = reader.swapped_word(word);
        for (std::uint64_t bits = met[word]; bits != 0; bits &= bits - 1) {
            const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
            const std::uint32_t quad = 64 * word + bit;
            const std::array<std::uint64_t, 4> corners = reader.corners(quad);
            // Both triangles at once: the lower lanes are (0, 1, 2), the upper (0, 2, 3).
            const Short8 a = pair(corners[0], corners[0]);
            const Short8 b = pair(corners[1], corners[2]);
            const Short8 c = pair(corners[2], corners[3]);
            const auto beyond = std::bit_cast<Word2>((min8(a, min8(b, c)) > units.high) |
                                                     (max8(a, max8(b, c)) < units.low));
            buffer.add(QuadWriter(corners, placement, brick), 2 * quad, (swapped >> bit) & 1U,
                       beyond[0] == 0 ? 1U : 0U, beyond[1] == 0 ? 1U : 0U);
        }
    }
    buffer.flush();
}

}  // namespace terrane
