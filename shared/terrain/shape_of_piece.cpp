#include "shared/terrain/shape_of_piece.h"

#include <utility>

#include "shared/voxel/piece_parts.h"

namespace terrane {

PieceShape shape_of_piece(const VoxelPiece& voxels, const PieceMass& mass) {
    const PrincipalInertia inertia = principal_inertia(mass.inertia);
    PieceShape shape;
    shape.centre = mass.centre;
    shape.mass_kg = mass.mass_kg;
    shape.volume_m3 = mass.volume_m3;
    shape.moments = inertia.moments;
    shape.axes = inertia.axes;
    for (PiecePart& part : piece_parts(voxels)) {
        for (Vec3& corner : part.corners) {
            corner -= mass.centre;
        }
        shape.parts.push_back(shape_part(std::move(part.corners)));
    }
    return shape;
}

}  // namespace terrane
