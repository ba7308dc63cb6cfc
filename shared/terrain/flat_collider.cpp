#include "shared/terrain/flat_collider.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "shared/core/assert.h"
#include "shared/terrain/flat_layout.h"

namespace terrane {
namespace {

Short8 min8(Short8 a, Short8 b) {
    return a < b ? a : b;
}
Short8 max8(Short8 a, Short8 b) {
    return a > b ? a : b;
}
Short8 pair(std::uint64_t low, std::uint64_t high) {
    return std::bit_cast<Short8>(Word2{low, high});
}

// ---- building ----

struct Corners {
    std::array<std::uint16_t, 4> index;
    bool is_swapped;
};

/// A quad of the mesh: triangles (a, b, c), (a, c, d), or (a, c, b), (a, d, c) if it faces the
/// other way; the latter are (0, 2, 3), (0, 1, 2) of (a, d, c, b).
Corners corners_of(const std::uint16_t* index) {
    const bool is_swapped = index[5] == index[1];
    TERRANE_DEBUG_ASSERT(index[0] == index[3] && (is_swapped || index[2] == index[4]));
    if (is_swapped) {
        return {{index[0], index[4], index[1], index[2]}, true};
    }
    return {{index[0], index[1], index[2], index[5]}, false};
}

/// Bounds in steps while they grow: low in the first lanes, high in the others.
struct Bounds {
    Short8 low;
    Short8 high;

    Bounds() : low(Short8{} + std::int16_t{0x7fff}), high(Short8{} - std::int16_t{0x7fff}) {}
    void add(const Bounds& other) {
        low = min8(low, other.low);
        high = max8(high, other.high);
    }
    void write(std::uint8_t* rows, std::size_t count, std::size_t i) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            rows[axis * count + i] = static_cast<std::uint8_t>(low[axis]);
            rows[(axis + 3) * count + i] = static_cast<std::uint8_t>(high[axis]);
        }
    }
};

std::uint64_t pack_vertex(const Vec3& position, MaterialId material) {
    const auto units = [](float metres) {
        return static_cast<std::uint64_t>(
            static_cast<std::int32_t>((metres + 0.5F) * static_cast<float>(kUnits)));
    };
    return units(position.x) | (units(position.y) << 16) | (units(position.z) << 32) |
           (std::uint64_t{material} << 48);
}

}  // namespace

void build_flat(const BrickMesh& mesh, const FlatScan& scan, FlatCollider& collider) {
    const std::size_t quads = mesh.indices.size() / 6;
    const std::size_t vertex_count = mesh.positions.size();
    TERRANE_ASSERT(quads <= kScanQuadsMax && vertex_count <= kVerticesMax);
    collider = {};
    collider.scan = &scan;
    if (quads == 0) {
        return;
    }
    const Layout layout(quads, vertex_count);
    collider.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(layout.size);
    collider.quad_count = static_cast<std::uint16_t>(quads);
    collider.vertex_count = static_cast<std::uint16_t>(vertex_count);
    std::uint8_t* bytes = collider.bytes.get();
    std::array<std::uint64_t, kVerticesMax> vertices;
    for (std::size_t i = 0; i < vertex_count; ++i) {
        vertices[i] = pack_vertex(mesh.positions[i], mesh.materials[i]);
        // The byte too much is overwritten by the next one, or is the spare one at the end.
        std::memcpy(bytes + layout.vertices + kVertexBytes * i, &vertices[i], 8);
    }
    std::memset(bytes + layout.swapped, 0, (quads + 7) / 8);
    const std::size_t group_count = (quads + kScanGroup - 1) / kScanGroup;
    Bounds all;
    Bounds group;
    for (std::size_t q = 0; q < quads; ++q) {
        const Corners quad = corners_of(&mesh.indices[6 * q]);
        bytes[layout.swapped + q / 8] |=
            static_cast<std::uint8_t>((quad.is_swapped ? 1U : 0U) << (q % 8));
        if (layout.is_wide) {
            std::memcpy(bytes + layout.corners + 8 * q, quad.index.data(), 8);
        } else {
            for (std::size_t i = 0; i < 4; ++i) {
                bytes[layout.corners + 4 * q + i] = static_cast<std::uint8_t>(quad.index[i]);
            }
        }
        const Short8 even = pair(vertices[quad.index[0]], vertices[quad.index[1]]);
        const Short8 odd = pair(vertices[quad.index[2]], vertices[quad.index[3]]);
        const auto low = std::bit_cast<Word2>(min8(even, odd));
        const auto high = std::bit_cast<Word2>(max8(even, odd));
        Bounds bounds;
        bounds.low = min8(pair(low[0], 0), pair(low[1], 0)) >> kUnitShift;
        bounds.high = max8(pair(high[0], 0), pair(high[1], 0)) >> kUnitShift;
        bounds.write(bytes, quads, q);
        group.add(bounds);
        if ((q + 1) % kScanGroup == 0 || q + 1 == quads) {
            group.write(bytes + layout.groups, group_count, q / kScanGroup);
            all.add(group);
            group = {};
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        collider.low[axis] = static_cast<std::uint8_t>(all.low[axis]);
        collider.high[axis] = static_cast<std::uint8_t>(all.high[axis]);
    }
}

std::size_t memory_bytes(const FlatCollider& collider) {
    return sizeof(FlatCollider) +
           (collider.quad_count == 0 ? 0 : Layout(collider.quad_count, collider.vertex_count).size);
}

namespace {

/// Triangle `which` (0: corners 0 1 2, 1: corners 0 2 3) of a quad.
TerrainTriangle make_triangle(const std::array<std::uint64_t, 4>& corners, std::uint32_t which,
                              const Placement& placement, const BrickCoord& brick,
                              std::uint32_t index) {
    const std::uint64_t a = corners[0];
    const std::uint64_t b = corners[1 + which];
    const std::uint64_t c = corners[2 + which];
    return {placement.place(a),
            placement.place(b),
            placement.place(c),
            brick,
            index,
            material_of(material_at(a), material_at(b), material_at(c))};
}

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
    return make_triangle(reader.corners(quad), (triangle & 1U) ^ reader.swapped(quad),
                         Placement(brick), brick, triangle);
}

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
    for (std::uint32_t word = 0; 64 * word < collider.quad_count; ++word) {
        for (std::uint64_t bits = met[word]; bits != 0; bits &= bits - 1) {
            const std::uint32_t quad =
                64 * word + static_cast<std::uint32_t>(std::countr_zero(bits));
            const std::array<std::uint64_t, 4> corners = reader.corners(quad);
            // Both triangles at once: the lower lanes are (0, 1, 2), the upper (0, 2, 3).
            const Short8 a = pair(corners[0], corners[0]);
            const Short8 b = pair(corners[1], corners[2]);
            const Short8 c = pair(corners[2], corners[3]);
            const auto beyond = std::bit_cast<Word2>((min8(a, min8(b, c)) > units.high) |
                                                     (max8(a, max8(b, c)) < units.low));
            const std::uint32_t first = reader.swapped(quad);
            if (beyond[first] == 0) {
                out.push_back(make_triangle(corners, first, placement, brick, 2 * quad));
            }
            if (beyond[1 - first] == 0) {
                out.push_back(make_triangle(corners, 1 - first, placement, brick, 2 * quad + 1));
            }
        }
    }
}

}  // namespace terrane
