#include "server/app/zone_config.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <thread>

#include <arpa/inet.h>

#include "shared/config/config_file.h"
#include "shared/protocol/limits.h"
#include "shared/voxel/brush.h"

namespace terrane {
namespace {

/// A Welcome carries both lists whole. Two materials and one kind are built in.
constexpr std::size_t kMaterialTablesMax = kMaterialsMax - kFirstSolid;
constexpr std::size_t kBodyTablesMax = kKindsMax - 1;
static_assert(kMaterialsMax - 1 <= std::numeric_limits<MaterialId>::max());
static_assert(kMaterialsMax + kKindsMax + 2 < kVerifierTablesMax);

/// The generator writes these by number, so materials.toml begins with them.
constexpr std::array<std::string_view, 6> kGeneratedMaterials = {"rock", "dirt", "grass",
                                                                 "sand", "snow", "wood"};

void declare_tick_and_sessions(ConfigTable& table, ZoneKeys& keys) {
    ZoneConfig& zone = keys.zone;
    table.add_choice<std::uint32_t>("tick.rate_hz", zone.tick_rate_hz,
                                    {{"20", 20}, {"30", 30}, {"60", 60}}, "Hz",
                                    "Ticks a second; physics always steps 60 times.");
    table.add_text("listen.address", zone.listen.address, 255, "IPv4 or IPv6 address.");
    table.add_integer("listen.port", zone.listen.port, 0, 65535, "-", "TCP port; 0 takes any.");
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
    table.add_integer("spawn.x_m", zone.spawn.x_m, -4000, 4000, "m", "Where players start: x.");
    table.add_integer("spawn.z_m", zone.spawn.z_m, -4000, 4000, "m", "Where players start: z.");
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
    table.add_integer("terrain.collider_budget_mib", keys.collider_budget_mib, 1, 65536, "MiB",
                      "Cache of collision surfaces.");
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

bool has_key(const ConfigSection& section, std::string_view name) {
    return std::ranges::find(section.entries, name, &ConfigEntry::name) != section.entries.end();
}

template <typename Table>
bool has_name(const Table& table, std::string_view name) {
    return std::ranges::any_of(table, [name](const auto& row) { return row.name == name; });
}

Result<void> check_name(const ConfigSection& section, const std::string& name, bool is_taken) {
    const bool is_good = !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!is_good) {
        return fail("{}: name = {}: must be 1..{} of a-z, 0-9 and _", place_of(section, "name"),
                    quote_toml(name), kNameBytesMax);
    }
    if (is_taken) {
        return fail("{}: name = {}: is taken; every name may stand once", place_of(section, "name"),
                    quote_toml(name));
    }
    return {};
}

Result<MaterialTable> load_materials(const std::string& path) {
    MaterialTable materials;
    // Nothing collides with air or water and nobody places them as solids; the colours are water's.
    materials.push_back({"air", 0.0F, 0.0F, 0.0F, 0.0F, false});
    materials.push_back({"water", 0.05F, 0.2F, 0.35F, 0.0F, false});
    const auto sections = read_config_array(path, "material", kMaterialTablesMax);
    if (!sections) {
        return std::unexpected(sections.error());
    }
    for (const ConfigSection& section : *sections) {
        Material material;
        ConfigTable table = declare_material_keys(material);
        if (auto applied = apply_config(section, table); !applied) {
            return std::unexpected(applied.error());
        }
        const bool is_taken = has_name(materials, material.name);
        if (auto checked = check_name(section, material.name, is_taken); !checked) {
            return std::unexpected(checked.error());
        }
        const std::size_t place = materials.size() - kFirstSolid;
        if (place < kGeneratedMaterials.size() && material.name != kGeneratedMaterials[place]) {
            return fail(
                "{}: name = {}: must be \"{}\": the terrain is made of the first {} "
                "materials, rock, dirt, grass, sand, snow, wood in this order",
                place_of(section, "name"), quote_toml(material.name), kGeneratedMaterials[place],
                kGeneratedMaterials.size());
        }
        materials.push_back(std::move(material));
    }
    if (materials.size() < kFirstSolid + kGeneratedMaterials.size()) {
        return fail("{}: has {} materials: must have at least rock, dirt, grass, sand, snow, wood",
                    path, sections->size());
    }
    return materials;
}

/// Each shape has its own sizes: one that is missing, or one too many, is a mistake in the file.
Result<void> check_sizes(const ConfigSection& section, BodyShape shape) {
    struct Size {
        std::string_view key;
        bool is_of_shape;
    };
    const bool is_box = shape == BodyShape::box;
    const std::array<Size, 5> sizes = {{{"size_x_m", is_box},
                                        {"size_y_m", is_box},
                                        {"size_z_m", is_box},
                                        {"radius_m", !is_box},
                                        {"length_m", shape == BodyShape::cylinder}}};
    for (const Size& size : sizes) {
        if (has_key(section, size.key) != size.is_of_shape) {
            return fail(
                "{}: {} is {}: a box has size_x_m, size_y_m and size_z_m, a sphere "
                "radius_m, a cylinder radius_m and length_m",
                place_of(section, size.key), size.key,
                size.is_of_shape ? "missing" : "not of this shape");
        }
    }
    return {};
}

Vec3 half_extents_of(const BodyKeys& keys) {
    switch (keys.kind.shape) {
        case BodyShape::sphere:
            return Vec3(keys.radius_m);
        case BodyShape::cylinder:
            return Vec3(keys.radius_m, keys.length_m * 0.5F, keys.radius_m);
        default:
            return Vec3(keys.size_x_m, keys.size_y_m, keys.size_z_m) * 0.5F;
    }
}

/// Fills zone.kinds and zone.first_counts.
Result<void> load_kinds(const std::string& path, ZoneConfig& zone) {
    const MotionConfig& motion = zone.motion;
    BodyKind player;
    player.name = "player";
    player.shape = BodyShape::player;
    player.density_kg_m3 = 0.0F;  // no rigid body
    player.half_extents = Vec3(motion.radius_m, motion.height_m * 0.5F, motion.radius_m);
    zone.kinds = {player};
    zone.first_counts = {0};
    const auto sections = read_config_array(path, "body", kBodyTablesMax);
    if (!sections) {
        return std::unexpected(sections.error());
    }
    for (const ConfigSection& section : *sections) {
        BodyKeys keys;
        ConfigTable table = declare_body_keys(keys);
        if (auto applied = apply_config(section, table); !applied) {
            return std::unexpected(applied.error());
        }
        const bool is_taken = has_name(zone.kinds, keys.kind.name);
        if (auto checked = check_name(section, keys.kind.name, is_taken); !checked) {
            return std::unexpected(checked.error());
        }
        if (auto checked = check_sizes(section, keys.kind.shape); !checked) {
            return std::unexpected(checked.error());
        }
        keys.kind.half_extents = half_extents_of(keys);
        zone.kinds.push_back(std::move(keys.kind));
        zone.first_counts.push_back(keys.first_count);
    }
    return {};
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
Result<void> check_address(const ConfigSection& file, const std::string& address) {
    in6_addr parsed{};  // the larger of the two
    const std::size_t percent = address.find('%');
    const bool has_scope = percent != std::string::npos && percent + 1 < address.size();
    const std::string six = has_scope ? address.substr(0, percent) : address;  // "fe80::1%eth0"
    if (inet_pton(AF_INET, address.c_str(), &parsed) != 1 &&
        inet_pton(AF_INET6, six.c_str(), &parsed) != 1) {
        return fail(
            "{}: listen.address = {}: must be an IPv4 or IPv6 address: 127.0.0.1 or ::1 for this "
            "machine alone, 0.0.0.0 or :: for all its networks",
            place_of(file, "listen.address"), quote_toml(address));
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
    declare_motion(table, keys.zone.motion);
    declare_rest(table, keys);
    return table;
}

ConfigTable declare_material_keys(Material& material) {
    ConfigTable table;
    table.add_text("name", material.name, kNameBytesMax, "Name of the material.");
    table.require("name");
    table.add_real("red", material.red, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("green", material.green, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("blue", material.blue, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("friction", material.friction, 0.0F, 2.0F, "-", "Coulomb.");
    table.add_flag("can_place", material.can_place, "Players may place it.");
    return table;
}

ConfigTable declare_body_keys(BodyKeys& body) {
    ConfigTable table;
    table.add_text("name", body.kind.name, kNameBytesMax, "Name of the kind.");
    table.require("name");
    table.add_choice<BodyShape>(
        "shape", body.kind.shape,
        {{"box", BodyShape::box}, {"sphere", BodyShape::sphere}, {"cylinder", BodyShape::cylinder}},
        "-", "Decides which sizes are given.");
    table.require("shape");
    table.add_real("size_x_m", body.size_x_m, 0.1F, 8.0F, "m", "Box: edge.");
    table.add_real("size_y_m", body.size_y_m, 0.1F, 8.0F, "m", "Box: edge.");
    table.add_real("size_z_m", body.size_z_m, 0.1F, 8.0F, "m", "Box: edge.");
    table.add_real("radius_m", body.radius_m, 0.05F, 4.0F, "m", "Sphere, cylinder.");
    table.add_real("length_m", body.length_m, 0.1F, 8.0F, "m", "Cylinder: along its axis, y.");
    table.add_real("density_kg_m3", body.kind.density_kg_m3, 1.0F, 20000.0F, "kg/m3",
                   "Below water's it floats.");
    table.require("density_kg_m3");
    table.add_integer("first_count", body.first_count, 0, 10000, "bodies",
                      "How many lie about at the first start.");
    table.add_real("friction", body.kind.friction, 0.0F, 2.0F, "-", "Coulomb.");
    table.add_real("restitution", body.kind.restitution, 0.0F, 1.0F, "-", "1 bounces for ever.");
    table.add_real("red", body.kind.red, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("green", body.kind.green, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("blue", body.kind.blue, 0.0F, 1.0F, "-", "Linear colour.");
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
    if (auto checked = check_address(*file, zone.listen.address); !checked) {
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
    if (auto loaded = load_kinds(neighbour_of(path, "bodies.toml"), zone); !loaded) {
        return std::unexpected(loaded.error());
    }
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
        text += fmt::format("# body kind {}: {}, {} kg/m3, {} at the first start\n", id, kind.name,
                            kind.density_kg_m3, config.first_counts[id]);
    }
    return text;
}

}  // namespace terrane
