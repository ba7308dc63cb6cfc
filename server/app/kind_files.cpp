#include "server/app/kind_files.h"

#include <algorithm>
#include <array>
#include <limits>

#include "shared/config/config_file.h"
#include "shared/protocol/limits.h"

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
        const bool is_taken = has_name(loaded.kinds, keys.kind.name);
        if (auto checked = check_name(section, keys.kind.name, is_taken); !checked) {
            return std::unexpected(checked.error());
        }
        if (auto checked = check_sizes(section, keys.kind.shape); !checked) {
            return std::unexpected(checked.error());
        }
        keys.kind.half_extents = half_extents_of(keys);
        loaded.kinds.push_back(std::move(keys.kind));
        loaded.first_counts.push_back(keys.first_count);
    }
    return loaded;
}

}  // namespace terrane
