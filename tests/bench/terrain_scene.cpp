#include "tests/bench/terrain_scene.h"

#include <memory>

#include "shared/voxel/terrain_generator.h"

namespace terrane::bench {
namespace {

constexpr GridBounds kSceneBounds{{-4, -2, -4}, {4, 4, 4}};

}  // namespace

TerrainScene::TerrainScene() : grid(kSceneBounds), terrain(grid, {std::size_t{1} << 30}) {
    const GeneratorConfig generator;
    const GridBounds& bounds = grid.bounds();
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t z = bounds.min.z; z < bounds.max.z; ++z) {
            for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
                grid.insert({x, y, z}, generate_chunk(generator, bounds, {x, y, z}));
            }
        }
    }
    for (const ChunkCoord& chunk : grid.sorted_coords()) {
        terrain.chunk_arrived(chunk);
    }
    const BrickCoord first = brick_of(voxel_box(bounds).min);
    const BrickCoord last = brick_of(voxel_box(bounds).max);
    for (std::int32_t y = first.y; y <= last.y; ++y) {
        for (std::int32_t z = first.z; z <= last.z; ++z) {
            for (std::int32_t x = first.x; x <= last.x; ++x) {
                const BrickCoord brick{x, y, z};
                if (terrain.masks().fill(brick) != BrickFill::mixed) {
                    continue;
                }
                mixed.push_back(brick);
                SurfaceBrick surface{brick, {}};
                mesh_brick(copy_brick_box(grid, brick), surface.mesh);
                if (!surface.mesh.indices.empty()) {
                    triangle_count += surface.mesh.indices.size() / 3;
                    surfaces.push_back(std::move(surface));
                }
            }
        }
    }
}

TerrainScene& terrain_scene() {
    static const std::unique_ptr<TerrainScene> scene = std::make_unique<TerrainScene>();
    return *scene;
}

Vec3 surface_point(const TerrainScene& scene, Random& random) {
    const SurfaceBrick& surface =
        scene.surfaces[random.below(static_cast<std::uint32_t>(scene.surfaces.size()))];
    const auto count = static_cast<std::uint32_t>(surface.mesh.positions.size());
    return surface.mesh.positions[random.below(count)] + corner_of(origin_of(surface.brick));
}

}  // namespace terrane::bench
