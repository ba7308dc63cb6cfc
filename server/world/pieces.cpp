#include "server/world/pieces.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/world/solids.h"
#include "shared/terrain/shape_of_piece.h"
#include "shared/voxel/water_fill.h"
#include "shared/voxel/write_voxels.h"

namespace terrane {
namespace {

constexpr float kPieceFriction = 0.7F;
/// Making a body of a piece costs some time (piece_parts.h); the search goes on in the next tick.
constexpr std::size_t kCutsPerTick = 4;

bool cuts_pieces(const World& world) {
    return world.piece_kind != 0 && world.config.debris.piece_voxels_max != 0;
}

Solid solid_of(const CutPiece& piece) {
    Solid solid;
    solid.shape = BodyShape::piece;
    solid.half_extents = Vec3(0.0F);
    solid.parts = &piece.solid_parts;
    return solid;
}

ChunkCoord chunk_of_piece(const World& world, const Body& body) {
    return chunk_of(voxel_at(world.physics.state(body.handle).position));
}

/// What lies in the grid still and is about to leave it.
using Leaving = std::span<const LoosePiece>;

bool is_leaving(Leaving leaving, const VoxelCoord& v) {
    return std::ranges::any_of(leaving, [&](const LoosePiece& loose) {
        return contains(loose.box, v) && is_solid(voxel_of(loose.piece, v - loose.box.min));
    });
}

/// What a piece becomes when it is ground again.
struct Print {
    std::vector<PlacedVoxel> voxels;
    std::size_t core_count = 0;  ///< of the piece's core voxels met
    std::size_t blocked = 0;     ///< of those, where rock is already
    bool is_in_bounds = true;    ///< and all of it is simulated
    bool is_held = false;        ///< touches rock that is there
};

/// Is there rock at `v` or at one of its sides that stays?
bool touches_rock(const World& world, const VoxelCoord& v, Leaving leaving) {
    constexpr std::array<VoxelCoord, 7> kBeside{
        {{0, 0, 0}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}}};
    return std::ranges::any_of(kBeside, [&](const VoxelCoord& side) {
        return is_core(world.grid.voxel(v + side)) && !is_leaving(leaving, v + side);
    });
}

/// Every voxel of the zone takes the piece's voxel that its middle lies in; ground that is there
/// stays.
Print print_of(const World& world, const Body& body, Leaving leaving) {
    const BodyState state = world.physics.state(body.handle);
    const CutPiece& piece = *body.piece;
    const Quat back = glm::conjugate(state.rotation);
    const VoxelBox bounds = voxel_box(world.grid.bounds());
    const VoxelBox box = voxels_of(world.physics.bounds(body.handle));
    Print print;
    for_each_voxel(box, [&](const VoxelCoord& v) {
        const Vec3 local = back * (corner_of(v) + 0.5F - state.position) + piece.shape.centre;
        const Voxel voxel = voxel_of(piece.voxels, voxel_at(local));
        if (!is_solid(voxel)) {
            return;
        }
        if (!contains(bounds, v) || !world.grid.is_loaded(chunk_of(v))) {
            print.is_in_bounds = false;
            return;
        }
        const Voxel old = world.grid.voxel(v);
        const bool is_rock = is_core(old) || is_leaving(leaving, v);
        print.core_count += is_core(voxel) ? 1U : 0U;
        print.blocked += is_core(voxel) && is_rock ? 1U : 0U;
        print.is_held = print.is_held || (is_core(voxel) && touches_rock(world, v, leaving));
        if (!is_rock && (is_core(voxel) || !is_solid(old))) {
            print.voxels.push_back({v, voxel});
        }
    });
    return print;
}

bool is_in_the_way(const World& world, const Body& body, const Print& print) {
    constexpr float kTouch = 0.02F;
    const SceneView objects{nullptr, &world.objects};
    const SceneFilter others{.ignore = body.slot};
    return std::ranges::any_of(print.voxels, [&](const PlacedVoxel& placed) {
        return is_core(placed.voxel) &&
               overlap_any(objects, make_box(grow(to_aabb({placed.at, placed.at}), -kTouch)),
                           others);
    });
}

/// The piece is ground again, or gone.
void settle(World& world, const Body& body, Leaving leaving, StepResult& result,
            std::vector<VoxelBox>& changed) {
    Print print = print_of(world, body, leaving);
    const bool fits = print.is_in_bounds && print.is_held &&
                      print.blocked * 4 <= print.core_count && !is_in_the_way(world, body, print);
    if (fits) {
        note_ops(write_voxels(world.grid, std::move(print.voxels)), 0, 0, result, changed);
        ++result.pieces.settled;
    } else {
        ++result.pieces.removed;
    }
    result.removed.push_back(body.id);
    remove_body(world, body.id);
}

/// The sleeping piece that is the oldest, of those in `chunk` if that is given; one where all is
/// simulated before one that is far from everybody. nullptr if none sleeps.
const Body* oldest_sleeper(const World& world, const ChunkCoord* chunk) {
    const Body* far = nullptr;
    for (const EntityId id : world.pieces) {
        const Body& body = world.bodies.at(id);
        if (!world.physics.state(body.handle).is_asleep || world.physics.is_parked(body.handle) ||
            (chunk != nullptr && chunk_of_piece(world, body) != *chunk)) {
            continue;
        }
        if (is_loaded(world.grid, voxels_of(world.physics.bounds(body.handle)))) {
            return &body;
        }
        far = far == nullptr ? &body : far;
    }
    return far;
}

/// False if there is no room and none can be made.
bool make_room(World& world, const ChunkCoord& chunk, Leaving leaving, StepResult& result,
               std::vector<VoxelBox>& changed) {
    const DebrisConfig& limits = world.config.debris;
    const auto in_chunk =
        static_cast<std::size_t>(std::ranges::count_if(world.pieces, [&](EntityId id) {
            return chunk_of_piece(world, world.bodies.at(id)) == chunk;
        }));
    const bool is_chunk_full = in_chunk >= limits.bodies_per_chunk_max;
    if (!is_chunk_full && world.pieces.size() < limits.bodies_max) {
        return true;
    }
    const Body* oldest = oldest_sleeper(world, is_chunk_full ? &chunk : nullptr);
    if (oldest == nullptr) {
        return false;
    }
    settle(world, *oldest, leaving, result, changed);
    return true;
}

/// Water runs into the place of what left it, unless looking for it costs too much.
bool is_small(const VoxelBox& box) {
    const VoxelCoord size = box.max - box.min + VoxelCoord{1, 1, 1};
    return std::int64_t{size.x} * size.y * size.z <= kChunkVoxelCount;
}

/// It leaves the grid.
void remove(World& world, const LoosePiece& loose, StepResult& result,
            std::vector<VoxelBox>& changed) {
    const std::vector<VoxelCoord> air_before =
        is_small(loose.box) ? list_air(world.grid, loose.box) : std::vector<VoxelCoord>();
    note_ops(remove_pieces(world.grid, {&loose, 1}), 0, 0, result, changed);
    if (is_small(loose.box)) {
        note_ops(fill_dug_water(world.grid, loose.box, air_before), 0, 0, result, changed);
    }
}

/// The first of `leaving` becomes a body; what finds no room as one stays where it is. A speck, of
/// voxels hardly core, is nothing that could be seen or touched: it is gone.
void cut(World& world, Leaving leaving, StepResult& result, std::vector<VoxelBox>& changed) {
    const LoosePiece& loose = leaving.front();
    const ChunkCoord chunk = chunk_of(voxel_at(centre(to_aabb(loose.box))));
    const Body* body = nullptr;
    if (make_room(world, chunk, leaving, result, changed)) {
        auto piece = make_cut_piece(world, loose.piece);
        if (!is_valid(piece->shape)) {
            remove(world, loose, result, changed);
            ++result.pieces.removed;
            return;
        }
        BodyState state;
        state.position = corner_of(loose.box.min) + piece->shape.centre;
        body = add_piece(world, 0, std::move(piece), state);
    }
    if (body == nullptr) {
        ++result.pieces.refused;
        return;
    }
    ++result.pieces.cut;
    result.spawned.push_back(body->id);
    remove(world, loose, result, changed);
}

}  // namespace

std::shared_ptr<const CutPiece> make_cut_piece(const World& world, VoxelPiece voxels) {
    CutPiece piece;
    piece.bytes = encode_piece(voxels);
    piece.shape = shape_of_piece(voxels, weigh_piece(voxels, world.densities));
    for (const ShapePart& part : piece.shape.parts) {
        piece.solid_parts.add(part.corners);
    }
    piece.voxels = std::move(voxels);
    return std::make_shared<const CutPiece>(std::move(piece));
}

Body* add_piece(World& world, EntityId id, std::shared_ptr<const CutPiece> piece,
                const BodyState& state) {
    if (world.piece_kind == 0) {
        return nullptr;
    }
    const BodyHandle handle = world.physics.add_piece(piece->shape, kPieceFriction, state);
    if (handle == BodyHandle{}) {
        return nullptr;
    }
    Body body;
    body.id = id != 0 ? id : world.next_entity++;
    body.kind = world.piece_kind;
    body.handle = handle;
    body.piece = std::move(piece);
    world.pieces.insert(body.id);
    const Solid solid = solid_of(*body.piece);
    return &enter_body(world, std::move(body), state, solid);
}

void note_removed(World& world, std::span<const AppliedOp> ops) {
    if (!cuts_pieces(world)) {
        return;
    }
    for (const AppliedOp& op : ops) {
        world.loose.note_removed(op.changed);
    }
}

void cut_loose_pieces(World& world, StepResult& result, std::vector<VoxelBox>& changed) {
    const DebrisConfig& limits = world.config.debris;
    if (world.loose.pending().empty()) {
        return;
    }
    std::vector<LoosePiece> found;
    const LooseLimits loose{.voxels_max = limits.piece_voxels_max,
                            .flood_voxels_max = limits.flood_voxels_per_tick,
                            .pieces_max = kCutsPerTick};
    world.loose.find({world.grid, &world.terrain.masks(), changed}, loose, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
        cut(world, Leaving(found).subspan(i), result, changed);
    }
}

}  // namespace terrane
