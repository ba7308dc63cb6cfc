// Pieces: what edits cut off from the ground, as bodies made of voxels.
//
//   phase 4   after the tick's edits: what is loose (shared/terrain/loose_pieces.h) leaves the grid
//             in operations of the zone's own and becomes a body where it hung
//   settle    the zone keeps at most debris.bodies_max of them, and debris.bodies_per_chunk_max
//             with their middle in one chunk: for one more, the piece that has slept and is the
//             oldest of those becomes ground again, voxel by voxel at its pose; if it does not fit
//             (touches no rock, more than a quarter of it in rock, in somebody's way, where nothing
//             is simulated) it is removed. If none sleeps the new one is refused: it hangs until
//             the next edit beside it.
//
// A piece's position is its centre of mass; its own frame is that of its voxels (voxel_piece.h),
// moved there. Everything of it follows from the voxels, here and on a client.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "server/world/step_world.h"
#include "shared/scene/solid.h"
#include "shared/shape/piece_shape.h"
#include "shared/voxel/voxel_piece.h"

namespace terrane {

struct CutPiece {
    VoxelPiece voxels;
    std::vector<std::uint8_t> bytes;  ///< encode_piece(voxels): for wire and disk
    PieceShape shape;
    SolidParts solid_parts;  ///< for scene queries
};

/// `voxels` must be valid for the world's materials.
std::shared_ptr<const CutPiece> make_cut_piece(const World& world, VoxelPiece voxels);
/// nullptr if the physics refuses it (limit, not finite) or the world has no kind for pieces. `id`
/// 0 takes a new one.
Body* add_piece(World& world, EntityId id, std::shared_ptr<const CutPiece> piece,
                const BodyState& state);

/// Of an edit that took core voxels: what may be loose now is looked for by cut_loose_pieces.
void note_removed(World& world, std::span<const AppliedOp> ops);
/// Cuts loose what may be (at most WorldConfig.debris allows a tick, the rest waits) and settles
/// what is too much. Appends what changed in the grid to `changed`.
void cut_loose_pieces(World& world, StepResult& result, std::vector<VoxelBox>& changed);

}  // namespace terrane
