// The world of one zone: voxels, terrain physics, bodies, players and the scene graph, as one
// struct that step_world advances. Nothing in here knows sockets, files or clocks; the same
// commands give the same world, tick for tick.
//
// Who owns a pose: Bullet a body's, the Player struct a walking player's. The scene graph's nodes
// are derived from them once a tick.
//
// Owner: app/Zone. Thread: tick.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/physics/physics_world.h"
#include "server/world/command.h"
#include "server/world/debris_config.h"
#include "server/world/world_bodies.h"
#include "shared/math/daylight.h"
#include "shared/scene/scene_graph.h"
#include "shared/scene/scene_objects.h"
#include "shared/shape/body_kind.h"
#include "shared/terrain/loose_pieces.h"
#include "shared/terrain/terrain.h"

namespace terrane {

struct WorldConfig {
    GridBounds bounds;
    std::uint32_t tick_rate_hz = 20;                   ///< divides kSubstepsPerSecond
    float reach_m = 8.0F;                              ///< from the eye to the brush's centre
    std::uint32_t brush_radius_max = kBrushRadiusMax;  ///< voxels
    std::int32_t spawn_x = 0;                          ///< voxel column where players appear
    std::int32_t spawn_z = 0;                          ///< unless there is a spawn point
    MotionConfig motion;
    PhysicsConfig physics;
    TerrainConfig terrain;
    DebrisConfig debris;
    SceneObjectsConfig objects;
    MaterialTable materials;
    BodyKindTable kinds;  ///< [0] is the player; at most one is of pieces
};

inline constexpr std::uint32_t kSubstepsPerSecond = 60;
/// Without input for this long a player is moved with neutral controls: it falls, it drifts.
inline constexpr std::uint32_t kStarvedTicks = 5;

struct Player {
    EntityId id = 0;
    std::string name;
    PlayerState state;
    NodeId node;
    PlayerControls controls;                ///< of the newest input
    std::uint32_t applied_input = 0;        ///< client tick of the newest input that ran
    std::uint32_t ticks_without_input = 0;  ///< 0: the newest input came in this tick
    EntityId vehicle = 0;                   ///< the body it sits in, 0: none
    std::uint8_t seat = 0;
    bool is_using = false;  ///< its use button was down in the newest input
    SceneSlot slot = kNoSceneSlot;
};

struct CutPiece;  // pieces.h

struct Body {
    EntityId id = 0;
    std::uint32_t kind = 0;  ///< index in WorldConfig.kinds
    BodyHandle handle;
    NodeId node;
    std::vector<EntityId> riders;           ///< by seat of its kind, 0: free
    std::shared_ptr<const CutPiece> piece;  ///< of the kind of pieces only
    SceneSlot slot = kNoSceneSlot;
};

/// A static body that grew with its chunk.
struct StandingProp {
    PropPlacement placement;
    Transform pose;  ///< of the shape's middle
    Aabb box;
    StaticHandle handle;
    SceneSlot slot = kNoSceneSlot;
};

struct World {
    explicit World(const WorldConfig& world_config);
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    WorldConfig config;
    VoxelGrid grid;
    Terrain terrain;
    PhysicsWorld physics;
    SceneGraph scene;
    SceneObjects objects;          ///< players, bodies and props, for scene queries (solids.h)
    std::vector<float> densities;  ///< kg/m3, by MaterialId
    std::uint32_t piece_kind = 0;  ///< index in config.kinds, 0: there is none
    MotionWorld motion;            ///< what players move in
    WorldBodies motion_bodies;     ///< the solids among it, for `motion`
    std::map<EntityId, Player> players;  ///< maps: iterated in id order
    std::map<EntityId, Body> bodies;
    std::map<std::uint32_t, EntityId> body_by_handle;  ///< BodyHandle.index -> body
    std::set<EntityId> pieces;                         ///< the bodies that are pieces, oldest first
    LoosePieces loose;                                 ///< where something may have lost its ground
    std::map<ChunkCoord, std::vector<StandingProp>> props;  ///< of simulated chunks, by index
    std::optional<Vec3> spawn_point;                        ///< foot
    Daytime daytime;
    std::uint64_t tick = 0;
    EntityId next_entity = 1;
};

inline std::uint32_t substeps_per_tick(const WorldConfig& config) {
    return kSubstepsPerSecond / config.tick_rate_hz;
}

/// Index of the kind named `name`, or kinds.size().
std::uint32_t find_kind(const BodyKindTable& kinds, const std::string& name);

/// A body's box in its own frame.
Aabb local_box(const BodyKind& kind);
/// Foot position on the ground of column (x, z): the lowest air above the highest core voxel, or
/// the water's surface if that is higher. The chunks of the column must be loaded.
Vec3 ground_position(const World& world, std::int32_t x, std::int32_t z);
/// The spawn point, or near the spawn column, spread by `player` over a few metres.
Vec3 spawn_position(const World& world, EntityId player);

Player& add_player(World& world, const JoinCommand& join);
void remove_player(World& world, EntityId player);
/// nullptr if the physics refuses it (limit, not finite). `id` 0 takes a new one. A static kind
/// becomes a rigid body: a felled trunk.
Body* add_body(World& world, EntityId id, std::uint32_t kind, const BodyState& state);
/// The body, which physics has already, gets its node and is met by queries. `solid`: its shape.
Body& enter_body(World& world, Body body, const BodyState& state, const Solid& solid);
/// Who sits in it must stand up first (vehicles.h).
void remove_body(World& world, EntityId body);
/// The player stands at `foot`, still; one who sits must stand up first.
void put_player(World& world, Player& player, const Vec3& foot);

}  // namespace terrane
