#include "server/app/kind_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "shared/config/config_file.h"
#include "shared/protocol/limits.h"

namespace terrane {
namespace {

/// A Welcome carries both lists whole. Two materials and two kinds (player, piece) are built in.
constexpr std::size_t kMaterialTablesMax = kMaterialsMax - kFirstSolid;
constexpr std::size_t kBodyTablesMax = kKindsMax - 2;
static_assert(kMaterialsMax - 1 <= std::numeric_limits<MaterialId>::max());
static_assert(kMaterialsMax + kKindsMax + 2 < kVerifierTablesMax);

/// The generator writes these by number, so materials.toml begins with them.
constexpr std::array<std::string_view, 6> kGeneratedMaterials = {"rock", "dirt", "grass",
                                                                 "sand", "snow", "wood"};

constexpr std::size_t kSeatsTextMax = 400;
/// How far from its foot's middle a scattered shape may reach.
constexpr float kPropRadiusMaxM = static_cast<float>(kPropRadiusMax16) / 16.0F;

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

/// Each shape has its own sizes: one that is missing, or one too many, is a mistake in the file.
Result<void> check_sizes(const ConfigSection& section, BodyShape shape) {
    struct Size {
        std::string_view key;
        bool is_of_shape;
    };
    const bool is_box = shape == BodyShape::box;
    const bool has_length = shape == BodyShape::cylinder || shape == BodyShape::capsule;
    const std::array<Size, 5> sizes = {{{"size_x_m", is_box},
                                        {"size_y_m", is_box},
                                        {"size_z_m", is_box},
                                        {"radius_m", !is_box},
                                        {"length_m", has_length}}};
    for (const Size& size : sizes) {
        if (has_key(section, size.key) != size.is_of_shape) {
            return fail(
                "{}: {} is {}: a box has size_x_m, size_y_m and size_z_m, a sphere "
                "radius_m, a cylinder or capsule radius_m and length_m",
                place_of(section, size.key), size.key,
                size.is_of_shape ? "missing" : "not of this shape");
        }
    }
    return {};
}

/// How far the shape, standing, reaches from its axis.
float footprint_radius_m(const BodyKind& kind) {
    const Vec3& half = kind.half_extents;
    return kind.shape == BodyShape::box ? std::sqrt(half.x * half.x + half.z * half.z) : half.x;
}

Vec3 half_extents_of(const BodyKeys& keys) {
    switch (keys.kind.shape) {
        case BodyShape::sphere:
            return Vec3(keys.radius_m);
        case BodyShape::cylinder:
        case BodyShape::capsule:
            return Vec3(keys.radius_m, keys.length_m * 0.5F, keys.radius_m);
        default:
            return Vec3(keys.size_x_m, keys.size_y_m, keys.size_z_m) * 0.5F;
    }
}

/// A solid kind has a density, a hollow one a mass; a static one too, for when it falls.
Result<void> check_weight(const ConfigSection& section, const BodyKeys& keys) {
    const bool has_density = has_key(section, "density_kg_m3");
    const bool has_mass = has_key(section, "mass_kg");
    if (has_density && has_mass) {
        return fail(
            "{}: mass_kg is given beside density_kg_m3: a solid body has density_kg_m3, a hollow "
            "one mass_kg",
            place_of(section, "mass_kg"));
    }
    if (!has_density && !has_mass) {
        return fail(
            "{}: key 'density_kg_m3' is missing: a solid body has density_kg_m3, a hollow one "
            "mass_kg",
            place_of(section, "density_kg_m3"));
    }
    const float half_height = keys.kind.half_extents.y;
    if (keys.kind.ballast_m > 0.0F &&
        (keys.kind.shape != BodyShape::box || keys.kind.ballast_m >= half_height)) {
        return fail("{}: ballast_m = {}: must be 0, or of a box and below half its height, {} m",
                    place_of(section, "ballast_m"), keys.kind.ballast_m, half_height);
    }
    return {};
}

/// A static kind stands where the terrain grows it, until it loses its ground and falls.
Result<void> check_static(const ConfigSection& section, const BodyKeys& keys) {
    static constexpr std::array<std::string_view, 3> kOfMoving = {"seats", "thrust_n",
                                                                  "first_count"};
    static constexpr std::array<std::string_view, 3> kOfStatic = {
        "scatter_per_km2", "scatter_low_m", "scatter_high_m"};
    const BodyKind& kind = keys.kind;
    for (const std::string_view key : kOfMoving) {
        if (kind.is_static && has_key(section, key)) {
            return fail(
                "{}: {} is given beside static = true: a static body carries nobody and lies "
                "nowhere but where scatter_per_km2 puts it",
                place_of(section, key), key);
        }
    }
    for (const std::string_view key : kOfStatic) {
        if (!kind.is_static && has_key(section, key)) {
            return fail(
                "{}: {} is given without static = true: what moves is not scattered, it has "
                "first_count",
                place_of(section, key), key);
        }
    }
    if (kind.scatter_low_m > kind.scatter_high_m) {
        return fail("{}: scatter_low_m = {}: must be at most scatter_high_m = {}",
                    place_of(section, "scatter_low_m"), kind.scatter_low_m, kind.scatter_high_m);
    }
    if (kind.scatter_per_km2 > 0 && footprint_radius_m(kind) > kPropRadiusMaxM) {
        return fail(
            "{}: scatter_per_km2 = {}: must be 0 for a body that reaches {:.2f} m sideways from "
            "its middle: at most {} m is scattered",
            place_of(section, "scatter_per_km2"), kind.scatter_per_km2, footprint_radius_m(kind),
            kPropRadiusMaxM);
    }
    return {};
}

/// "x y z; x y z" to three numbers each; false at the first that is not.
bool parse_seats(std::string_view text, std::vector<Vec3>& seats) {
    while (!text.empty()) {
        const std::string_view seat = text.substr(0, text.find(';'));
        text.remove_prefix(std::min(seat.size() + 1, text.size()));
        Vec3 foot{0.0F};
        const char* at = seat.data();
        const char* const end = at + seat.size();
        for (int axis = 0; axis < 3; ++axis) {
            at = std::find_if(at, end, [](char c) { return c != ' '; });
            const auto [rest, error] = std::from_chars(at, end, foot[axis]);
            if (error != std::errc{} || !std::isfinite(foot[axis]) ||
                (rest != end && *rest != ' ')) {
                return false;
            }
            at = rest;
        }
        if (std::any_of(at, end, [](char c) { return c != ' '; })) {
            return false;
        }
        seats.push_back(foot);
    }
    return true;
}

Result<void> take_seats(const ConfigSection& section, BodyKeys& keys) {
    BodyKind& kind = keys.kind;
    const Vec3 half = box_half_extents(kind.shape, kind.half_extents);
    const bool is_good = parse_seats(keys.seats, kind.seats) &&
                         kind.seats.size() <= kSeatsPerKindMax &&
                         std::ranges::all_of(kind.seats, [&](const Vec3& seat) {
                             return glm::all(glm::lessThanEqual(glm::abs(seat), half));
                         });
    if (!is_good) {
        return fail(
            "{}: seats = {}: must be \"x y z; x y z\", at most {} of them, metres from the "
            "body's middle, each in the body: +-{}, +-{}, +-{}",
            place_of(section, "seats"), quote_toml(keys.seats), kSeatsPerKindMax, half.x, half.y,
            half.z);
    }
    if (kind.thrust_n > 0.0F && kind.seats.empty()) {
        return fail("{}: thrust_n = {}: must be 0 without seats: who sits in the first one rows",
                    place_of(section, "thrust_n"), kind.thrust_n);
    }
    return {};
}

/// Sizes, weight, seats and scattering: what one [[body]] must agree with in itself.
Result<void> check_body(const ConfigSection& section, BodyKeys& keys) {
    if (auto checked = check_sizes(section, keys.kind.shape); !checked) {
        return checked;
    }
    keys.kind.half_extents = half_extents_of(keys);
    if (keys.kind.shape == BodyShape::capsule && keys.length_m < 2.0F * keys.radius_m) {
        return fail(
            "{}: length_m = {}: must be at least twice radius_m, {} m: a capsule's caps are in it",
            place_of(section, "length_m"), keys.length_m, 2.0F * keys.radius_m);
    }
    if (auto checked = check_weight(section, keys); !checked) {
        return checked;
    }
    if (auto checked = check_static(section, keys); !checked) {
        return checked;
    }
    if (auto checked = take_seats(section, keys); !checked) {
        return checked;
    }
    if (keys.kind.mass_kg > 0.0F) {
        keys.kind.density_kg_m3 = 0.0F;
    }
    return {};
}

Result<void> check_scatter_total(const std::string& path, const BodyKindTable& kinds) {
    std::uint32_t total = 0;
    for (const BodyKind& kind : kinds) {
        total += kind.scatter_per_km2;
    }
    if (total > kPropsPerKm2Max) {
        return fail("{}: the scatter_per_km2 of all bodies come to {}: must be at most {}", path,
                    total, kPropsPerKm2Max);
    }
    return {};
}

}  // namespace

ConfigTable declare_material_keys(Material& material) {
    ConfigTable table;
    table.add_text("name", material.name, kNameBytesMax, "Name of the material.");
    table.require("name");
    table.add_real("red", material.red, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("green", material.green, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("blue", material.blue, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("friction", material.friction, 0.0F, 2.0F, "-", "Coulomb.");
    table.add_flag("can_place", material.can_place, "Players may place it.");
    table.add_real("density_kg_m3", material.density_kg_m3, 1.0F, 20000.0F, "kg/m3",
                   "Of cut-off pieces; below water's (1000) they float.");
    return table;
}

ConfigTable declare_body_keys(BodyKeys& body) {
    ConfigTable table;
    table.add_text("name", body.kind.name, kNameBytesMax, "Name of the kind.");
    table.require("name");
    table.add_choice<BodyShape>("shape", body.kind.shape,
                                {{"box", BodyShape::box},
                                 {"sphere", BodyShape::sphere},
                                 {"cylinder", BodyShape::cylinder},
                                 {"capsule", BodyShape::capsule}},
                                "-", "Decides which sizes are given.");
    table.require("shape");
    table.add_real("size_x_m", body.size_x_m, 0.1F, 8.0F, "m", "Box: edge.");
    table.add_real("size_y_m", body.size_y_m, 0.1F, 8.0F, "m", "Box: edge.");
    table.add_real("size_z_m", body.size_z_m, 0.1F, 8.0F, "m", "Box: edge.");
    table.add_real("radius_m", body.radius_m, 0.05F, 4.0F, "m", "Sphere, cylinder, capsule.");
    table.add_real("length_m", body.length_m, 0.1F, 8.0F, "m",
                   "Cylinder, capsule: along its axis, y.");
    table.add_real("density_kg_m3", body.kind.density_kg_m3, 1.0F, 20000.0F, "kg/m3",
                   "Of a solid body: below water's it floats.");
    table.add_real("mass_kg", body.kind.mass_kg, 1.0F, 100000.0F, "kg",
                   "Of a hollow body: it floats by its hull's volume.");
    table.add_real("ballast_m", body.kind.ballast_m, 0.0F, 4.0F, "m",
                   "Box: how far below its middle the centre of mass lies.");
    table.add_text("seats", body.seats, kSeatsTextMax,
                   "Feet of who sits there: \"x y z; x y z\", m.");
    table.add_real("thrust_n", body.kind.thrust_n, 0.0F, 20000.0F, "N",
                   "What who sits in the first seat can row with.");
    table.add_flag("static", body.kind.is_static, "Grows with the terrain; falls when that goes.");
    table.add_integer("scatter_per_km2", body.kind.scatter_per_km2, 0, 20000, "bodies/km2",
                      "Static: how many grow on ground that suits them.");
    table.add_integer("scatter_low_m", body.kind.scatter_low_m, 0, 1000, "m",
                      "Lowest ground they grow on, above the sea.");
    table.add_integer("scatter_high_m", body.kind.scatter_high_m, 0, 1000, "m", "Highest.");
    table.add_integer("first_count", body.first_count, 0, 10000, "bodies",
                      "How many lie about at the first start.");
    table.add_real("friction", body.kind.friction, 0.0F, 2.0F, "-", "Coulomb.");
    table.add_real("restitution", body.kind.restitution, 0.0F, 1.0F, "-", "1 bounces for ever.");
    table.add_real("red", body.kind.red, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("green", body.kind.green, 0.0F, 1.0F, "-", "Linear colour.");
    table.add_real("blue", body.kind.blue, 0.0F, 1.0F, "-", "Linear colour.");
    return table;
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

Result<BodyKinds> load_body_kinds(const std::string& path, const MotionConfig& motion) {
    BodyKinds loaded;
    BodyKind player;
    player.name = "player";
    player.shape = BodyShape::player;
    player.density_kg_m3 = 0.0F;  // no rigid body
    player.half_extents = Vec3(motion.radius_m, motion.height_m * 0.5F, motion.radius_m);
    loaded.kinds = {player};
    loaded.first_counts = {0};
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
        const bool is_taken =
            has_name(loaded.kinds, keys.kind.name) || keys.kind.name == kPieceKindName;
        if (auto checked = check_name(section, keys.kind.name, is_taken); !checked) {
            return std::unexpected(checked.error());
        }
        if (auto checked = check_body(section, keys); !checked) {
            return std::unexpected(checked.error());
        }
        loaded.kinds.push_back(std::move(keys.kind));
        loaded.first_counts.push_back(keys.first_count);
    }
    if (auto checked = check_scatter_total(path, loaded.kinds); !checked) {
        return std::unexpected(checked.error());
    }
    return loaded;
}

std::string describe_body(const BodyKind& kind, std::uint32_t first_count) {
    const std::string weight = kind.mass_kg > 0.0F ? fmt::format("{} kg hollow", kind.mass_kg)
                                                   : fmt::format("{} kg/m3", kind.density_kg_m3);
    return kind.is_static ? fmt::format("{}, static, {} a km2", weight, kind.scatter_per_km2)
                          : fmt::format("{}, {} at the first start", weight, first_count);
}

std::vector<PropScatterRule> to_scatter_rules(const BodyKindTable& kinds) {
    std::vector<PropScatterRule> rules;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const BodyKind& kind = kinds[i];
        if (kind.is_static && kind.scatter_per_km2 > 0) {
            rules.push_back({static_cast<std::uint8_t>(i), kind.scatter_per_km2,
                             static_cast<std::int32_t>(std::ceil(footprint_radius_m(kind) * 16.0F)),
                             kind.scatter_low_m, kind.scatter_high_m});
        }
    }
    return rules;
}

}  // namespace terrane
