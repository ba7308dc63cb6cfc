#include "client-stub/viewer/terrain_painter.h"

#include <utility>

#include "client-stub/viewer/material_look.h"
#include "client-stub/viewer/shading.h"

namespace terrane {

namespace {

/// Caves are drawn this near. Farther ones are seen through their mouths only, where the dark back
/// of the hill behind takes their place; they are two thirds of all triangles.
constexpr float kCaveDistanceM = 80.0F;

constexpr std::string_view kVertexText = R"(
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in uvec2 in_materials;
layout(location = 3) in vec3 in_shares;  // of the second material, open sky, wet
uniform sampler2D material_table;
uniform vec3 origin;
out vec3 v_relative;
out vec3 v_normal;
out vec2 v_light;   // open sky, wet
out vec4 v_colour;  // and contrast
out vec4 v_look;
void main() {
    v_relative = in_position / 256.0 + origin;
    v_normal = in_normal;
    v_light = in_shares.yz;
    ivec2 first = ivec2(2 * int(in_materials.x), 0);
    ivec2 second = ivec2(2 * int(in_materials.y), 0);
    v_colour = mix(texelFetch(material_table, first, 0), texelFetch(material_table, second, 0),
                   in_shares.x);
    v_look = mix(texelFetch(material_table, first + ivec2(1, 0), 0),
                 texelFetch(material_table, second + ivec2(1, 0), 0), in_shares.x);
    gl_Position = view_projection * vec4(v_relative, 1.0);
}
)";

constexpr std::string_view kFragmentText = R"(
in vec3 v_relative;
in vec3 v_normal;
in vec2 v_light;
in vec4 v_colour;
in vec4 v_look;
out vec4 out_colour;
void main() {
    if (!gl_FrontFacing) {  // the ground from inside
        out_colour = vec4(finish_colour(add_fog(vec3(0.006), v_relative)), 1.0);
        return;
    }
    vec3 p = v_relative + eye.xyz;
    float distance_m = length(v_relative);
    vec3 n = normalize(v_normal);
    float contrast = v_colour.a;
    // Three sizes of noise; each fades before its grain is smaller than a pixel.
    // Two frequencies, not a blended one: between materials it would stretch the noise into swirls.
    float frequency = v_look.y > 2.2 ? 3.4 : 1.4;
    float near = 1.0 - smoothstep(60.0, 230.0, distance_m * frequency);
    float field = noise2(p.xz * 0.037 + p.y * 0.02);
    vec4 patches = noised(p * 0.41);
    float tone = (field - 0.5) * 0.35 + (patches.x - 0.5) * 0.5;
    vec3 bump = patches.yzw * 0.30;
    if (near > 0.0) {
        vec4 grain = noised(p * frequency);
        tone += near * (grain.x - 0.5) * 0.9;
        bump += near * grain.yzw * 0.42;
        float close = 1.0 - smoothstep(6.0, 20.0, distance_m);
        if (close > 0.0) {
            vec4 fine = noised(p * (frequency * 4.3) + 17.0);
            tone += close * (fine.x - 0.5) * 0.6;
            bump += close * fine.yzw * 0.30;
        }
    }
    // Layers of rock, bent by the patches and seen on steep faces.
    float layer = sin(p.y * 2.3 + patches.x * 3.0 + field * 9.0);
    tone += v_look.x * 0.45 * layer * smoothstep(0.95, 0.6, n.y);
    vec3 albedo = v_colour.rgb * (1.0 + contrast * tone);
    // Meadows: drier and lusher spots.
    vec3 dry = albedo * vec3(1.34, 1.03, 0.80);
    vec3 lush = albedo * vec3(0.80, 0.98, 0.82);
    float drift = smoothstep(0.30, 0.72, field * 0.75 + patches.x * 0.25);
    albedo = mix(albedo, mix(lush, dry, drift), v_look.w * 0.75);
    albedo *= 1.0 - 0.42 * v_light.y;
    bump -= n * dot(bump, n);
    n = normalize(n - bump * v_look.z * 0.55);
    float open = v_light.x;
    vec3 light = light_on(n, 0.05 + 0.95 * open * open, sunlight(v_relative, normalize(v_normal)));
    vec3 colour = albedo * light;
    out_colour = vec4(finish_colour(add_fog(colour, v_relative)), 1.0);
}
)";

}  // namespace

Result<TerrainPainter> TerrainPainter::create() {
    auto program = link_shaded("terrain", kVertexText, kFragmentText);
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
