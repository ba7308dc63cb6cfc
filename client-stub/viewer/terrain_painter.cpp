#include "client-stub/viewer/terrain_painter.h"

#include <utility>

#include "client-stub/viewer/ground_shading.h"
#include "client-stub/viewer/material_look.h"
#include "client-stub/viewer/shading.h"

namespace terrane {

namespace {

/// Caves are drawn this near. Farther ones are seen through their mouths only, where the dark back
/// of the hill behind takes their place; they are two thirds of all triangles.
constexpr float kCaveDistanceM = 80.0F;

constexpr std::string_view kVertexText = R"(
uniform vec3 origin;
void main() {
    blend_materials();
    v_relative = in_position / 256.0 + origin;
    v_place = v_relative + eye.xyz;
    v_normal = in_normal;
    gl_Position = view_projection * vec4(v_relative, 1.0);
}
)";

constexpr std::string_view kFragmentText = R"(
void main() {
    if (!gl_FrontFacing) {  // the ground from inside
        out_colour = vec4(finish_colour(add_fog(vec3(0.006), v_relative)), 1.0);
        return;
    }
    out_colour = vec4(finish_colour(add_fog(lit_ground(mat3(1.0), vec4(0.0)), v_relative)), 1.0);
}
)";

}  // namespace

Result<TerrainPainter> TerrainPainter::create() {
    auto program = link_ground("terrain", kVertexText, kFragmentText);
    if (!program) {
        return std::unexpected(program.error());
    }
    return TerrainPainter(std::move(*program), GlTable(look_table(MaterialTable(256))));
}

TerrainPainter::TerrainPainter(GlProgram program, GlTable materials)
    : program_(std::move(program)), materials_(std::move(materials)) {}

void TerrainPainter::set_materials(const MaterialTable& materials) {
    MaterialTable all = materials;
    all.resize(256);  // an id that the zone did not name still reads a texel
    materials_ = GlTable(look_table(all));
}

CullCounts TerrainPainter::collect(const ChunkMeshes& meshes, const ViewFrame& frame,
                                   RenderLists& lists) {
    CullCounts counts;
    visible_.clear();
    eye_ = frame.eye;
    for (const auto& [chunk, parts] : meshes.parts()) {
        if (parts.terrain.is_empty()) {
            continue;
        }
        const float distance_m = distance_to(parts.terrain_box, frame.eye);
        const std::size_t index_count =
            distance_m < kCaveDistanceM ? parts.terrain.index_count() : parts.open_index_count;
        if (index_count == 0 || !is_in_view(frame, parts.terrain_box)) {
            ++counts.culled;
            continue;
        }
        ++counts.drawn;
        lists.add(RenderListId::solid,
                  {this, static_cast<std::uint32_t>(visible_.size()), distance_m});
        visible_.push_back({&parts, index_count});
    }
    return counts;
}

void TerrainPainter::begin_painting() {
    program_.use();
    materials_.bind(kMaterialUnit);
}

void TerrainPainter::paint(std::uint32_t index) {
    const auto& [parts, index_count] = visible_[index];
    program_.set("origin", parts->origin - eye_);
    parts->terrain.draw(index_count);
}

}  // namespace terrane
