// A small zone for tests: 4 x 3 x 4 chunks, flat rock up to y = 0, air above.
// Materials and kinds as in config/, fewer of them.
#pragma once

#include <vector>

#include "server/world/step_world.h"
#include "shared/voxel/write_voxels.h"

namespace terrane::test {

inline constexpr MaterialId kRock = 2;
inline constexpr MaterialId kDirt = 3;

inline constexpr std::uint8_t kPineKind = 4;

inline WorldConfig small_config() {
    WorldConfig config;
    config.bounds = {{-2, -1, -2}, {2, 2, 2}};
    config.materials = {{"air", 0, 0, 0, 0, false},
                        {"water", 0, 0, 1, 0, false},
                        {"rock", 0.5F, 0.5F, 0.5F, 0.8F, true},
                        {"dirt", 0.4F, 0.3F, 0.2F, 0.8F, true},
                        {"bedrock", 0.1F, 0.1F, 0.1F, 0.8F, false}};
    BodyKind player;
    player.name = "player";
    player.shape = BodyShape::player;
    BodyKind crate;
    crate.name = "crate";
    BodyKind ball;
    ball.name = "ball";
    ball.shape = BodyShape::sphere;
    ball.half_extents = Vec3(0.3F);
    BodyKind boat;
    boat.name = "boat";
    boat.half_extents = {0.75F, 0.35F, 1.8F};
    boat.mass_kg = 260.0F;
    boat.ballast_m = 0.15F;
    boat.seats = {{0.0F, -0.2F, -0.9F}, {0.0F, -0.2F, 0.9F}};
    boat.thrust_n = 1500.0F;
    BodyKind pine;
    pine.name = "pine";
    pine.shape = BodyShape::cylinder;
    pine.half_extents = {0.22F, 3.0F, 0.22F};
    pine.density_kg_m3 = 600.0F;
    pine.is_static = true;
    BodyKind piece;
    piece.name = "piece";
    piece.shape = BodyShape::piece;
    piece.half_extents = Vec3(0.0F);
    config.kinds = {player, crate, ball, boat, pine, piece};
    return config;
}

/// Rock below y = 0, air from there on.
inline Chunk flat_chunk(const ChunkCoord& coord) {
    return uniform_chunk(coord.y < 0 ? Voxel{kRock, kFullOccupancy} : kAirVoxel);
}

/// Every chunk of the bounds, ascending.
inline std::vector<Command> flat_chunks(const GridBounds& bounds) {
    std::vector<Command> commands;
    for (std::int32_t y = bounds.min.y; y < bounds.max.y; ++y) {
        for (std::int32_t z = bounds.min.z; z < bounds.max.z; ++z) {
            for (std::int32_t x = bounds.min.x; x < bounds.max.x; ++x) {
                commands.emplace_back(ChunkCommand{{x, y, z}, flat_chunk({x, y, z})});
            }
        }
    }
    return commands;
}

struct SmallWorld {
    World world;
    StepResult result;

    explicit SmallWorld(const WorldConfig& config = small_config()) : world(config) {
        world.next_entity = 1000;  // tests give players small ids
        step(flat_chunks(world.config.bounds));
    }

    /// Before the world steps, as if it had always been so.
    void put(const VoxelBox& box, const Voxel& voxel) {
        std::vector<PlacedVoxel> placed;
        for_each_voxel(box, [&](const VoxelCoord& v) { placed.push_back({v, voxel}); });
        write_voxels(world.grid, std::move(placed));
        world.terrain.voxels_changed(box);
    }
    void step(const std::vector<Command>& commands = {}) { step_world(world, commands, result); }
    void steps(int count) {
        for (int i = 0; i < count; ++i) {
            step();
        }
    }
    Player& join(EntityId id, const Vec3& foot, const std::string& name = "p") {
        PlayerState state;
        state.position = foot;
        step({JoinCommand{id, name, true, state}});
        return world.players.at(id);
    }
    /// One input with one edit in it.
    void edit(EntityId player, const Brush& brush, std::uint32_t edit_id = 1,
              const PlayerControls& controls = {}) {
        InputCommand input;
        input.player = player;
        input.client_tick = world.players.at(player).applied_input + 1;
        input.controls = controls;
        input.edits = {{edit_id, brush}};
        step({input});
    }
};

}  // namespace terrane::test
