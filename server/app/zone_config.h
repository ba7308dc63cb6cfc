// The whole configuration of a zone: what config/zone.toml says, with materials.toml and
// bodies.toml from the same folder, checked and turned into the plain structs that the rooms take.
// Only programs read configuration; no room knows a key's name.
//
// The defaults live in the structs below, once. declare_zone_keys() lists every key with its unit,
// range and meaning; a test holds the comments of config/zone.toml against that list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "server/physics/physics_world.h"
#include "server/rules/rules_config.h"
#include "server/world/debris_config.h"
#include "shared/config/config_table.h"
#include "shared/core/log.h"
#include "shared/core/result.h"
#include "shared/motion/player_motion.h"
#include "shared/scene/scene_objects.h"
#include "shared/shape/body_kind.h"
#include "shared/terrain/terrain.h"
#include "shared/voxel/material.h"
#include "shared/voxel/terrain_generator.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {

struct ListenConfig {
    std::string address = "127.0.0.1";  ///< IPv4 or IPv6
    std::uint16_t port = 7777;          ///< 0: a free one
};

/// What operators and their monitors read.
struct HttpConfig {
    std::string address = "127.0.0.1";  ///< IPv4 or IPv6
    std::int32_t port = 7780;           ///< 0: a free one, -1: none
};

struct SessionLimits {
    std::uint32_t sessions_max = 128;
    std::uint32_t outbox_kib_max = 4096;  ///< bytes waiting for a slow session; beyond: it leaves
    std::uint32_t messages_per_s_max = 120;  ///< Inputs from one session; more are dropped
    float login_deadline_s = 5.0F;           ///< from accept to a good Hello
    float silence_timeout_s = 15.0F;  ///< since a joined session's last Input; then it leaves
};

struct ViewConfig {
    std::uint8_t chunks_max = 8;        ///< radius of what a session may ask to see
    std::uint8_t simulated_chunks = 2;  ///< radius around each player whose voxels are held
};

struct EditLimits {
    float reach_m = 8.0F;           ///< from the eye to the brush's centre
    std::uint16_t per_second = 10;  ///< refill of a session's token bucket
    std::uint8_t burst = 20;        ///< size of the bucket
    std::uint8_t radius_max = 4;    ///< voxels
};

/// Where players start.
struct SpawnConfig {
    std::int32_t x_m = 0;
    std::int32_t z_m = 0;
};

struct StoreConfig {
    bool is_enabled = true;  ///< false: like --ephemeral, nothing is kept
};

struct ZoneConfig {
    std::uint32_t tick_rate_hz = 20;  ///< 20, 30 or 60; substeps are 1/60 s
    ListenConfig listen;
    HttpConfig http;
    SessionLimits session;
    ViewConfig view;
    EditLimits edit;
    SpawnConfig spawn;
    RulesConfig rules;  ///< but tick_rate_hz
    GridBounds bounds;
    GeneratorConfig generator;
    MotionConfig motion;
    PhysicsConfig physics;
    TerrainConfig terrain;
    DebrisConfig debris;
    SceneObjectsConfig objects;
    StoreConfig store;
    LogConfig log;
    std::uint32_t worker_threads = 1;  ///< 0: jobs run inside the tick

    MaterialTable materials;  ///< [0] air, [1] water, then materials.toml in order
    BodyKindTable kinds;      ///< [0] the player, then bodies.toml in order
    /// How many of each kind lie about when a zone starts for the first time; [0] is 0.
    std::vector<std::uint32_t> first_counts;

    std::uint32_t substeps_per_tick() const { return 60U / tick_rate_hz; }
};

/// What the keys of zone.toml set: the rooms' structs plus the few numbers that have another unit
/// in the file (chunks a side, MiB, -1 for "as many as fit this machine").
struct ZoneKeys {
    ZoneConfig zone;
    std::int32_t size_x_chunks = 32;
    std::int32_t size_z_chunks = 32;
    std::int32_t collider_budget_mib = 64;
    std::int32_t worker_threads = -1;
};

/// Every key of zone.toml, bound to the members of `keys`, in the order of the file.
ConfigTable declare_zone_keys(ZoneKeys& keys);

/// Reads `path` and its two neighbours, then `overrides` ("key=value", of zone.toml only; the last
/// one wins), then checks what keys must agree on. One line on failure: file, line, key, value,
/// and what would be right.
Result<ZoneConfig> load_zone_config(const std::string& path,
                                    std::span<const std::string> overrides = {});

/// The effective configuration as TOML text that zone.toml would accept; materials and bodies
/// follow as comments.
std::string print_effective(const ZoneConfig& config);

}  // namespace terrane
