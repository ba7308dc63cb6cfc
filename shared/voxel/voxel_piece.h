// A piece: a small voxel grid that is no longer terrain. It was cut off from the ground and is a
// body now; it travels and is stored as voxels, and both sides mesh and weigh it themselves.
//
// The piece's frame: metres, origin at the low corner of voxel (0, 0, 0), axes as in zone space at
// the moment it was cut off, so that zone place = box.min + place in the piece. Every voxel is air
// or solid, at least one is a core voxel (else nothing could be seen or touched).
//
// Mass, centre and inertia come from integer sums for each material, so that they depend on no
// order and are the same bits on every machine; a voxel's mass is spread evenly over its cube,
// however full it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/core/result.h"
#include "shared/math/vec.h"
#include "shared/voxel/coords.h"
#include "shared/voxel/material.h"

namespace terrane {

inline constexpr std::uint8_t kPieceFormatVersion = 1;
/// Voxels a side, at most.
inline constexpr std::int32_t kPieceSizeMax = 64;

/// Voxels x fastest, then z, then y; size.x * size.y * size.z of them, each side
/// 1 .. kPieceSizeMax. 2 bytes a voxel.
struct VoxelPiece {
    VoxelCoord size;
    std::vector<Voxel> voxels;

    friend bool operator==(const VoxelPiece&, const VoxelPiece&) = default;
};

inline VoxelBox voxel_box(const VoxelPiece& piece) {
    return {{0, 0, 0}, piece.size - VoxelCoord{1, 1, 1}};
}
/// `v` must lie in the piece.
inline std::size_t index_in_piece(const VoxelPiece& piece, const VoxelCoord& v) {
    return static_cast<std::size_t>((v.y * piece.size.z + v.z) * piece.size.x + v.x);
}
/// Air outside.
inline Voxel voxel_of(const VoxelPiece& piece, const VoxelCoord& v) {
    return contains(voxel_box(piece), v) ? piece.voxels[index_in_piece(piece, v)] : kAirVoxel;
}

/// Air of `size`, to be filled in.
VoxelPiece empty_piece(const VoxelCoord& size);
/// Sizes, voxel count and voxels as described above; materials below `material_count`.
bool is_valid(const VoxelPiece& piece, std::size_t material_count);
/// Voxels that are not air.
std::size_t solid_count(const VoxelPiece& piece);

struct PieceLimits {
    std::size_t voxels_max = 4096;     ///< voxels that are not air
    std::size_t material_count = 256;  ///< materials are below it
};
/// No piece of so many solid voxels takes more bytes.
constexpr std::size_t piece_bytes_max(std::size_t voxels_max) {
    return 4 + 3 * voxels_max + 3 * (voxels_max + 1);
}

/// For wire and disk; the layout stands in voxel_piece.cpp. The piece must be valid. Equal pieces
/// give equal bytes.
std::vector<std::uint8_t> encode_piece(const VoxelPiece& piece);
/// Any bytes are safe input. Accepts what encode_piece writes and nothing else: what is decoded
/// encodes to the same bytes. Allocates at most kPieceSizeMax^3 voxels.
Result<VoxelPiece> decode_piece(std::span<const std::uint8_t> bytes, const PieceLimits& limits);

/// Inertia tensor: symmetric, kg m2.
struct PieceInertia {
    float xx = 0.0F;
    float yy = 0.0F;
    float zz = 0.0F;
    float xy = 0.0F;  ///< the tensor's entry, -sum(m x y)
    float yz = 0.0F;
    float zx = 0.0F;

    friend bool operator==(const PieceInertia&, const PieceInertia&) = default;
};

struct PieceMass {
    float volume_m3 = 0.0F;  ///< sum of the occupancies
    float mass_kg = 0.0F;
    Vec3 centre{0.0F};     ///< of mass, piece frame
    PieceInertia inertia;  ///< about the centre, along the piece's axes

    friend bool operator==(const PieceMass&, const PieceMass&) = default;
};

/// `density_kg_m3` by MaterialId, positive, one for every material of the piece at least.
/// Cost: some 2 ns a voxel of the box.
PieceMass weigh_piece(const VoxelPiece& piece, std::span<const float> density_kg_m3);

/// A tensor turned to its principal axes, which is what rigid bodies want.
struct PrincipalInertia {
    Vec3 moments{0.0F};        ///< kg m2, about the turned x, y and z
    Quat axes{1.0F, 0, 0, 0};  ///< turns principal axes into the piece's
};
/// By Jacobi's rotations with + - * / and sqrt only. A tensor that is diagonal stays as it is.
PrincipalInertia principal_inertia(const PieceInertia& inertia);

}  // namespace terrane
