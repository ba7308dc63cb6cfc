// Rows about what an edit cuts off: finding it, and making a body of it.
#include <memory>
#include <vector>

#include "shared/core/random.h"
#include "shared/terrain/loose_pieces.h"
#include "shared/voxel/piece_parts.h"
#include "tests/bench/bench_row.h"
#include "tests/bench/terrain_scene.h"
#include "tests/shared/voxel/piece_samples.h"

namespace terrane::bench {
namespace {

/// A18: parts and weights of craggy rocks.
std::optional<Work> make_bodies(std::size_t voxel_count) {
    auto rocks = std::make_shared<std::vector<VoxelPiece>>();
    Random random(18);
    for (int i = 0; i < 8; ++i) {
        rocks->push_back(test::craggy_piece(voxel_count, random));
    }
    auto densities = std::make_shared<std::vector<float>>(256, 2000.0F);
    Work work;
    work.operations = static_cast<double>(rocks->size());
    work.ours = [rocks, densities] {
        std::uint64_t corners = 0;
        for (const VoxelPiece& rock : *rocks) {
            for (const PiecePart& part : piece_parts(rock)) {
                corners += part.corners.size();
            }
            corners += weigh_piece(rock, *densities).mass_kg > 0.0F ? 1U : 0U;
        }
        return corners;
    };
    return work;
}

/// A18: digs all over the surface of open ground, a find each; nothing comes loose.
std::optional<Work> flood_digs() {
    const TerrainScene& scene = terrain_scene();
    auto boxes = std::make_shared<std::vector<VoxelBox>>();
    Random random(19);
    for (int i = 0; i < 2000; ++i) {
        const VoxelCoord at = voxel_at(surface_point(scene, random));
        boxes->push_back(grow({at, at}, i % 3));
    }
    auto loose = std::make_shared<LoosePieces>();
    Work work;
    work.operations = static_cast<double>(boxes->size());
    work.ours = [&scene, boxes, loose] {
        std::vector<LoosePiece> pieces;
        std::uint64_t cost_voxels = 0;
        for (const VoxelBox& box : *boxes) {
            loose->note_removed(box);
            loose->find({scene.grid, &scene.terrain.masks(), {}}, {.voxels_max = 512}, pieces);
            cost_voxels += loose->cost_voxels();
        }
        return cost_voxels + pieces.size();
    };
    return work;
}

}  // namespace

void add_piece_rows(std::vector<BenchRow>& rows) {
    rows.push_back({"A18.flood.dig", "", "us", Goal::value, 7, 2, flood_digs});
    rows.push_back({"A18.piece.parts.512", "", "us", Goal::value, 1500, 1000,
                    [] { return make_bodies(512); }});
    rows.push_back({"A18.piece.parts.4096", "", "us", Goal::value, 8000, 6000,
                    [] { return make_bodies(4096); }});
}

}  // namespace terrane::bench
