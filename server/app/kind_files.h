// materials.toml and bodies.toml, the two lists beside a zone's zone.toml: their keys, and the
// checked tables that the rooms take, with what is built in at the front.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/config/config_table.h"
#include "shared/core/result.h"
#include "shared/motion/player_motion.h"
#include "shared/shape/body_kind.h"
#include "shared/voxel/material.h"
#include "shared/voxel/prop_scatter.h"

namespace terrane {

/// What the keys of one [[body]] set: sizes as people measure them, of which a shape has some.
struct BodyKeys {
    BodyKind kind;
    float size_x_m = 0.6F;
    float size_y_m = 0.6F;
    float size_z_m = 0.6F;
    float radius_m = 0.3F;
    float length_m = 1.0F;
    std::string seats;  ///< as text; BodyKind::seats once checked
    std::uint32_t first_count = 0;
};

/// Every key of one [[material]] and of one [[body]].
ConfigTable declare_material_keys(Material& material);
ConfigTable declare_body_keys(BodyKeys& body);

/// Name of the built-in kind that comes after those of bodies.toml: pieces, which were cut off from
/// the ground.
inline constexpr const char* kPieceKindName = "piece";

/// What bodies.toml says, in its order after the player; both lists are equally long.
struct BodyKinds {
    BodyKindTable kinds;
    std::vector<std::uint32_t> first_counts;  ///< lie about when a zone starts for the first time
};

/// One line on failure: file, line, key, value, and what would be right.
Result<MaterialTable> load_materials(const std::string& path);
/// `motion` has the player's size.
Result<BodyKinds> load_body_kinds(const std::string& path, const MotionConfig& motion);
/// For people: "350 kg/m3, 24 at the first start", "600 kg/m3, static, 500 a km2".
std::string describe_body(const BodyKind& kind, std::uint32_t first_count);
/// What grows with the terrain (shared/voxel/prop_scatter.h), in the order of the kinds.
std::vector<PropScatterRule> to_scatter_rules(const BodyKindTable& kinds);

}  // namespace terrane
