#include "server/app/zone_config.h"

#include <filesystem>
#include <limits>
#include <thread>

#include <arpa/inet.h>

#include "server/app/kind_files.h"
#include "shared/config/config_file.h"
#include "shared/protocol/limits.h"
#include "shared/voxel/brush.h"

namespace terrane {
namespace {

void declare_tick_and_sessions(ConfigTable& table, ZoneKeys& keys) {
    ZoneConfig& zone = keys.zone;
    table.add_choice<std::uint32_t>("tick.rate_hz", zone.tick_rate_hz,
                                    {{"20", 20}, {"30", 30}, {"60", 60}}, "Hz",
                                    "Ticks a second; physics always steps 60 times.");
    table.add_text("listen.address", zone.listen.address, 255, "IPv4 or IPv6 address.");
    table.add_integer("listen.port", zone.listen.port, 0, 65535, "-", "TCP port; 0 takes any.");
    table.add_text("http.address", zone.http.address, 255,
                   "IPv4 or IPv6 address of the pages for operators.");
    table.add_integer("http.port", zone.http.port, -1, 65535, "-",
                      "TCP port; 0 takes any, -1 is none.");
    SessionLimits& session = zone.session;
    table.add_integer("sessions.max", session.sessions_max, 1, 4096, "sessions",
                      "More are told that the zone is full.");
    table.add_integer("sessions.outbox_kib_max", session.outbox_kib_max, 256, 65536, "KiB",
                      "Waiting for a slow session; beyond it, it leaves.");
    table.add_integer("sessions.messages_per_s_max", session.messages_per_s_max, 30, 10000,
                      "messages/s", "Inputs taken from one session; more are dropped.");
    table.add_real("sessions.login_deadline_s", session.login_deadline_s, 0.1F, 60.0F, "s",
                   "From accept to a good Hello.");
    table.add_real("sessions.silence_timeout_s", session.silence_timeout_s, 1.0F, 600.0F, "s",
                   "Since a joined session's last Input; then it leaves.");
    table.add_integer("view.chunks_max", zone.view.chunks_max, 1, kViewChunksMax, "chunks",
                      "Radius that a session may ask to see.");
    table.add_integer("view.simulated_chunks", zone.view.simulated_chunks, 2, 8, "chunks",
                      "Radius around each player in which bodies move and edits are taken.");
}

void declare_edits_and_zone(ConfigTable& table, ZoneKeys& keys) {
    ZoneConfig& zone = keys.zone;
    table.add_real("edit.reach_m", zone.edit.reach_m, 1.0F, 64.0F, "m",
                   "From a player's eye to the centre of the brush.");
    table.add_integer("edit.per_second", zone.edit.per_second, 1, 1000, "edits/s",
                      "A session's lasting rate.");
    table.add_integer("edit.burst", zone.edit.burst, 1, 255, "edits", "A session's reserve.");
    table.add_integer("edit.radius_max", zone.edit.radius_max, 1, kBrushRadiusMax, "voxels",
                      "Largest brush.");
    table.add_integer("zone.seed", zone.generator.seed, 0,
                      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()), "-",
                      "What the terrain grows from; fixed once data exist.");
    table.add_integer("zone.size_x_chunks", keys.size_x_chunks, 2, 250, "chunks",
                      "Length along x, around the origin; fixed once data exist.");
    table.add_integer("zone.size_z_chunks", keys.size_z_chunks, 2, 250, "chunks",
                      "Length along z, around the origin; fixed once data exist.");
    table.add_integer("zone.min_y_chunks", zone.bounds.min.y, -8, 0, "chunks",
                      "Floor, rock below; fixed once data exist.");
    table.add_integer("zone.max_y_chunks", zone.bounds.max.y, 1, 16, "chunks",
                      "Ceiling, excluded; fixed once data exist.");
    table.add_integer("zone.sea_level_m", zone.generator.sea_level_m, -256, 512, "m",
                      "Water fills open ground below; fixed once data exist.");
    table.add_integer("spawn.x_m", zone.spawn.x_m, -4000, 4000, "m",
                      "Start of players, until ctl spawnpoint: x.");
    table.add_integer("spawn.z_m", zone.spawn.z_m, -4000, 4000, "m",
                      "Start of players, until ctl spawnpoint: z.");
}

void declare_rules(ConfigTable& table, RulesConfig& rules) {
    table.add_text("rules.welcome_line", rules.welcome_line, kChatBytesMax,
                   "Said to who joins, {name}.");
    table.add_real("rules.day_length_s", rules.day_length_s, 0.0F, kDayLengthMaxS, "s",
                   "From midnight to midnight; 0: the sun stands still.");
    table.add_real("rules.start_of_day", rules.start_of_day, 0.0F, 0.999F, "days",
                   "Time of day in a new zone; 0 midnight, 0.5 noon.");
}

void declare_motion(ConfigTable& table, MotionConfig& motion) {
    table.add_real("motion.gravity_mps2", motion.gravity_mps2, 0.1F, 50.0F, "m/s2",
                   "Pulls players down.");
    table.add_real("motion.walk_mps", motion.walk_mps, 0.1F, 20.0F, "m/s", "Speed of walking.");
    table.add_real("motion.run_mps", motion.run_mps, 0.1F, 20.0F, "m/s", "Speed of running.");
    table.add_real("motion.swim_mps", motion.swim_mps, 0.1F, 20.0F, "m/s", "Speed of swimming.");
    table.add_real("motion.jump_height_m", motion.jump_height_m, 0.0F, 10.0F, "m",
                   "Foot above ground at the top of a jump.");
    table.add_real("motion.step_height_m", motion.step_height_m, 0.0F, 2.0F, "m",
                   "Climbed without a jump.");
    table.add_real("motion.slope_max_deg", motion.slope_max_deg, 0.0F, 89.0F, "degrees",
                   "Steeper ground slides.");
    table.add_real("motion.radius_m", motion.radius_m, 0.1F, 2.0F, "m",
                   "Radius of a player's capsule.");
    table.add_real("motion.height_m", motion.height_m, 0.5F, 5.0F, "m",
                   "Height of a player's capsule.");
    table.add_real("motion.eye_height_m", motion.eye_height_m, 0.1F, 5.0F, "m", "Above the foot.");
}

void declare_rest(ConfigTable& table, ZoneKeys& keys) {
    ZoneConfig& zone = keys.zone;
    table.add_real("physics.gravity_mps2", zone.physics.gravity_mps2, 0.0F, 50.0F, "m/s2",
                   "Pulls bodies down.");
    table.add_real("physics.water_density_kg_m3", zone.physics.water_density_kg_m3, 1.0F, 20000.0F,
                   "kg/m3", "Lighter bodies float.");
    table.add_real("physics.speed_max_mps", zone.physics.speed_max_mps, 1.0F, 200.0F, "m/s",
                   "Faster bodies are slowed.");
    table.add_integer("physics.bodies_max", zone.physics.bodies_max, 0, 65535, "bodies",
                      "More are refused.");
    table.add_integer("physics.awake_max", zone.physics.awake_max, 1, 65535, "bodies",
                      "More awake ones: the calmest heaps sleep.");
    table.add_choice<ColliderKind>("terrain.collider", zone.terrain.collider,
                                   {{"flat", ColliderKind::flat}, {"kd", ColliderKind::kd}}, "-",
                                   "Form of the ground's collision surfaces; same answers.");
    table.add_integer("terrain.collider_budget_mib", keys.collider_budget_mib, 1, 65536, "MiB",
                      "Cache of collision surfaces.");
    table.add_integer("terrain.loose_piece_voxels_max", zone.debris.piece_voxels_max, 0,
                      kPieceVoxelsMax, "voxels",
                      "What edits cut off falls, unless it is larger; 0: nothing.");
    table.add_integer("terrain.loose_flood_voxels", zone.debris.flood_voxels_per_tick, 4096,
                      16777216, "voxels", "Searched for that in a tick; the rest waits.");
    table.add_integer("debris.bodies_max", zone.debris.bodies_max, 0, 4096, "bodies",
                      "Pieces in the zone; then the oldest at rest is ground again.");
    table.add_integer("debris.bodies_per_chunk_max", zone.debris.bodies_per_chunk_max, 0, 4096,
                      "bodies", "The same in one chunk.");
    table.add_choice<BvhBuilder>("queries.props_builder", zone.objects.props.builder,
                                 {{"median", BvhBuilder::median},
                                  {"splatter", BvhBuilder::splatter},
                                  {"mean", BvhBuilder::mean},
                                  {"sah", BvhBuilder::sah},
                                  {"lbvh", BvhBuilder::lbvh},
                                  {"hlbvh", BvhBuilder::hlbvh},
                                  {"ploc", BvhBuilder::ploc}},
                                 "-", "Tree over props.");
    table.add_integer("queries.leaf_objects_max", zone.objects.props.leaf_objects_max, 1, 64,
                      "props", "Of that tree's leaves.");
    table.add_integer("queries.bins", zone.objects.props.bin_count, 2, 64, "bins",
                      "Of the builders sah and hlbvh.");
    table.add_choice<MovingPolicy>("queries.moving_policy", zone.objects.moving.policy,
                                   {{"reinsert", MovingPolicy::reinsert},
                                    {"refit", MovingPolicy::refit},
                                    {"rebuild_subtree", MovingPolicy::rebuild_subtree},
                                    {"rebuild", MovingPolicy::rebuild}},
                                   "-", "Tree over what moves.");
    table.add_choice<RotateRule>("queries.rotate", zone.objects.moving.dynamic.rotate,
                                 {{"off", RotateRule::off},
                                  {"sah", RotateRule::sah},
                                  {"volume_ratio", RotateRule::volume_ratio}},
                                 "-", "Rotations of the tree that reinsert keeps.");
    table.add_real("queries.fat_margin_m", zone.objects.moving.dynamic.fat_margin_m, 0.0F, 10.0F,
                   "m", "How much larger than its object a box of that tree is.");
    table.add_flag("store.enabled", zone.store.is_enabled, "false: nothing survives a restart.");
    table.add_choice<LogLevel>("log.level", zone.log.level,
                               {{"debug", LogLevel::debug},
                                {"info", LogLevel::info},
                                {"warn", LogLevel::warn},
                                {"error", LogLevel::error},
                                {"off", LogLevel::off}},
                               "-", "Least important line that is written.");
    table.add_text("log.file", zone.log.file, 4000, "Also written there; empty: stderr only.");
    table.add_integer("workers.threads", keys.worker_threads, -1, 64, "threads",
                      "For chunks; -1: cores - 1, at least 1; 0: inside the tick.");
}

/// Half a side west and north of the origin, the odd chunk east and south.
void set_bounds(ZoneKeys& keys) {
    GridBounds& bounds = keys.zone.bounds;
    bounds.min.x = -(keys.size_x_chunks / 2);
    bounds.max.x = bounds.min.x + keys.size_x_chunks;
    bounds.min.z = -(keys.size_z_chunks / 2);
    bounds.max.z = bounds.min.z + keys.size_z_chunks;
}

Result<void> check_inside(const ConfigSection& file, std::string_view key, std::string_view side,
                          std::int32_t value_m, std::int32_t min_chunk, std::int32_t max_chunk) {
    const std::int32_t min_m = min_chunk * kChunkSize;
    const std::int32_t max_m = max_chunk * kChunkSize - 1;
    if (value_m < min_m || value_m > max_m) {
        return fail("{}: {} = {}: must lie in the zone, {}..{} m", place_of(file, key, side), key,
                    value_m, min_m, max_m);
    }
    return {};
}

/// Numbers only: a name would have to be looked up, and could mean several addresses.
Result<void> check_address(const ConfigSection& file, std::string_view key,
                           const std::string& address) {
    in6_addr parsed{};  // the larger of the two
    const std::size_t percent = address.find('%');
    const bool has_scope = percent != std::string::npos && percent + 1 < address.size();
    const std::string six = has_scope ? address.substr(0, percent) : address;  // "fe80::1%eth0"
    if (inet_pton(AF_INET, address.c_str(), &parsed) != 1 &&
        inet_pton(AF_INET6, six.c_str(), &parsed) != 1) {
        return fail(
            "{}: {} = {}: must be an IPv4 or IPv6 address: 127.0.0.1 or ::1 for this machine "
            "alone, 0.0.0.0 or :: for all its networks",
            place_of(file, key), key, quote_toml(address));
    }
    return {};
}

/// Keys that are each in range and do not fit each other.
Result<void> check_pairs(const ConfigSection& file, const ZoneConfig& zone) {
    const MotionConfig& motion = zone.motion;
    if (zone.session.messages_per_s_max < zone.tick_rate_hz) {
        return fail("{}: sessions.messages_per_s_max = {}: must be at least tick.rate_hz = {}",
                    place_of(file, "sessions.messages_per_s_max", "tick.rate_hz"),
                    zone.session.messages_per_s_max, zone.tick_rate_hz);
    }
    // Of a ball of chunks around the player's, seen from a corner of it.
    const float simulated_m = static_cast<float>(zone.view.simulated_chunks - 1) * kChunkSize;
    if (zone.edit.reach_m + static_cast<float>(zone.edit.radius_max) > simulated_m) {
        return fail(
            "{}: edit.reach_m = {}: with edit.radius_max = {} must be at most {} m for "
            "view.simulated_chunks = {}",
            place_of(file, "edit.reach_m", "view.simulated_chunks"), zone.edit.reach_m,
            zone.edit.radius_max, simulated_m, zone.view.simulated_chunks);
    }
    if (motion.height_m < 2.0F * motion.radius_m) {
        return fail("{}: motion.height_m = {}: must be at least twice motion.radius_m = {}",
                    place_of(file, "motion.height_m", "motion.radius_m"), motion.height_m,
                    motion.radius_m);
    }
    if (motion.eye_height_m > motion.height_m) {
        return fail("{}: motion.eye_height_m = {}: must be at most motion.height_m = {}",
                    place_of(file, "motion.eye_height_m", "motion.height_m"), motion.eye_height_m,
                    motion.height_m);
    }
    if (motion.step_height_m > motion.height_m * 0.5F) {
        return fail("{}: motion.step_height_m = {}: must be at most half of motion.height_m = {}",
                    place_of(file, "motion.step_height_m", "motion.height_m"), motion.step_height_m,
                    motion.height_m);
    }
    const GridBounds& bounds = zone.bounds;
    if (auto x = check_inside(file, "spawn.x_m", "zone.size_x_chunks", zone.spawn.x_m, bounds.min.x,
                              bounds.max.x);
        !x) {
        return x;
    }
    if (auto z = check_inside(file, "spawn.z_m", "zone.size_z_chunks", zone.spawn.z_m, bounds.min.z,
                              bounds.max.z);
        !z) {
        return z;
    }
    return check_inside(file, "zone.sea_level_m",
                        zone.generator.sea_level_m > 0 ? "zone.max_y_chunks" : "zone.min_y_chunks",
                        zone.generator.sea_level_m, bounds.min.y, bounds.max.y);
}

Result<void> check_first_counts(const ConfigSection& file, const ZoneConfig& zone) {
    std::uint32_t total = 0;
    for (const std::uint32_t count : zone.first_counts) {
        total += count;
    }
    if (total > zone.physics.bodies_max) {
        return fail(
            "{}: physics.bodies_max = {}: must be at least {}, what the first_count of all "
            "kinds in bodies.toml come to",
            place_of(file, "physics.bodies_max"), zone.physics.bodies_max, total);
    }
    return {};
}

std::string neighbour_of(const std::string& path, const char* name) {
    return (std::filesystem::path(path).parent_path() / name).string();
}

std::uint32_t worker_threads_of(std::int32_t wanted) {
    if (wanted >= 0) {
        return static_cast<std::uint32_t>(wanted);
    }
    const unsigned cores = std::thread::hardware_concurrency();
    return cores > 1 ? cores - 1 : 1;
}

}  // namespace

ConfigTable declare_zone_keys(ZoneKeys& keys) {
    ConfigTable table;
    declare_tick_and_sessions(table, keys);
    declare_edits_and_zone(table, keys);
    declare_rules(table, keys.zone.rules);
    declare_motion(table, keys.zone.motion);
    declare_rest(table, keys);
    return table;
}

Result<ZoneConfig> load_zone_config(const std::string& path,
                                    std::span<const std::string> overrides) {
    ZoneKeys keys;
    ConfigTable table = declare_zone_keys(keys);
    Result<ConfigSection> file = read_config(path);
    if (!file) {
        return std::unexpected(file.error());
    }
    if (auto applied = apply_config(*file, table); !applied) {
        return std::unexpected(applied.error());
    }
    for (const std::string& assignment : overrides) {
        if (auto set = table.set(assignment); !set) {
            return std::unexpected(set.error());
        }
        file->overridden.push_back(assignment.substr(0, assignment.find('=')));
    }
    set_bounds(keys);
    ZoneConfig& zone = keys.zone;
    zone.terrain.collider_budget_bytes = static_cast<std::size_t>(keys.collider_budget_mib) << 20;
    zone.worker_threads = worker_threads_of(keys.worker_threads);
    if (auto checked = check_address(*file, "listen.address", zone.listen.address); !checked) {
        return std::unexpected(checked.error());
    }
    if (auto checked = check_address(*file, "http.address", zone.http.address); !checked) {
        return std::unexpected(checked.error());
    }
    if (auto checked = check_pairs(*file, zone); !checked) {
        return std::unexpected(checked.error());
    }
    Result<MaterialTable> materials = load_materials(neighbour_of(path, "materials.toml"));
    if (!materials) {
        return std::unexpected(materials.error());
    }
    zone.materials = std::move(*materials);
    Result<BodyKinds> bodies = load_body_kinds(neighbour_of(path, "bodies.toml"), zone.motion);
    if (!bodies) {
        return std::unexpected(bodies.error());
    }
    zone.kinds = std::move(bodies->kinds);
    zone.first_counts = std::move(bodies->first_counts);
    if (auto checked = check_first_counts(*file, zone); !checked) {
        return std::unexpected(checked.error());
    }
    return std::move(zone);
}

std::string print_effective(const ZoneConfig& config) {
    ZoneKeys keys;
    const ConfigTable table = declare_zone_keys(keys);  // before the values: it notes the defaults
    keys.zone = config;
    keys.size_x_chunks = config.bounds.max.x - config.bounds.min.x;
    keys.size_z_chunks = config.bounds.max.z - config.bounds.min.z;
    keys.collider_budget_mib =
        static_cast<std::int32_t>(config.terrain.collider_budget_bytes >> 20);
    keys.worker_threads = static_cast<std::int32_t>(config.worker_threads);
    std::string text = table.print();
    text += "\n";
    for (std::size_t id = 0; id < config.materials.size(); ++id) {
        text += fmt::format("# material {}: {}\n", id, config.materials[id].name);
    }
    for (std::size_t id = 0; id < config.kinds.size(); ++id) {
        const BodyKind& kind = config.kinds[id];
        text += fmt::format("# body kind {}: {}, {}\n", id, kind.name,
                            describe_body(kind, config.first_counts[id]));
    }
    return text;
}

}  // namespace terrane
