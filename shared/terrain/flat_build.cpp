// Packs a flat collider: from a mesh here, straight from voxels in flat_from_voxels.cpp.
#include <cstring>

#include "shared/core/assert.h"
#include "shared/terrain/flat_layout.h"

namespace terrane {
namespace {

/// A quad of the mesh: triangles (a, b, c), (a, c, d), or (a, c, b), (a, d, c) if it faces the
/// other way; the latter are (0, 2, 3), (0, 1, 2) of (a, d, c, b).
FlatParts::Quad quad_of(const std::uint16_t* index) {
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
    FlatParts parts;
    parts.quad_count = mesh.indices.size() / 6;
    parts.vertex_count = mesh.positions.size();
    TERRANE_ASSERT(parts.quad_count <= kScanQuadsMax && parts.vertex_count <= kVerticesMax);
    for (std::size_t i = 0; i < parts.vertex_count; ++i) {
        parts.vertices[i] = pack_vertex(mesh.positions[i], mesh.materials[i]);
    }
    for (std::size_t q = 0; q < parts.quad_count; ++q) {
        parts.quads[q] = quad_of(&mesh.indices[6 * q]);
    }
    pack_flat(parts, scan, collider);
}

void pack_flat(const FlatParts& parts, const FlatScan& scan, FlatCollider& collider) {
    const std::size_t quads = parts.quad_count;
    collider = {};
    collider.scan = &scan;
    if (quads == 0) {
        return;
    }
    const Layout layout(quads, parts.vertex_count);
    collider.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(layout.size);
    collider.quad_count = static_cast<std::uint16_t>(quads);
    collider.vertex_count = static_cast<std::uint16_t>(parts.vertex_count);
    std::uint8_t* bytes = collider.bytes.get();
    for (std::size_t i = 0; i < parts.vertex_count; ++i) {
        // The byte too much is overwritten by the next one, or is the spare one at the end.
        std::memcpy(bytes + layout.vertices + kVertexBytes * i, &parts.vertices[i], 8);
    }
    std::memset(bytes + layout.swapped, 0, (quads + 7) / 8);
    const std::size_t group_count = (quads + kScanGroup - 1) / kScanGroup;
    Bounds all;
    Bounds group;
    for (std::size_t q = 0; q < quads; ++q) {
        const FlatParts::Quad& quad = parts.quads[q];
        bytes[layout.swapped + q / 8] |=
            static_cast<std::uint8_t>((quad.is_swapped ? 1U : 0U) << (q % 8));
        if (layout.is_wide) {
            std::memcpy(bytes + layout.corners + 8 * q, quad.index.data(), 8);
        } else {
            for (std::size_t i = 0; i < 4; ++i) {
                bytes[layout.corners + 4 * q + i] = static_cast<std::uint8_t>(quad.index[i]);
            }
        }
        const Short8 even = pair(parts.vertices[quad.index[0]], parts.vertices[quad.index[1]]);
        const Short8 odd = pair(parts.vertices[quad.index[2]], parts.vertices[quad.index[3]]);
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

}  // namespace terrane
