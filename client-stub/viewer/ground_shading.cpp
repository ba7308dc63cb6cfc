#include "client-stub/viewer/ground_shading.h"

#include <string>

#include "client-stub/viewer/chunk_mesher.h"
#include "client-stub/viewer/shading.h"

namespace terrane {

namespace {

constexpr std::string_view kBlendText = R"(
layout(location = 0) in vec3 in_position;  // 1/256 m
layout(location = 1) in vec3 in_normal;
layout(location = 2) in uvec2 in_materials;
layout(location = 3) in vec3 in_shares;  // of the second material, open sky, wet
uniform sampler2D material_table;
out vec3 v_relative;
out vec3 v_place;
out vec3 v_normal;
out vec2 v_light;   // open sky, wet
out vec4 v_colour;  // and contrast
out vec4 v_look;
void blend_materials() {
    v_light = in_shares.yz;
    ivec2 first = ivec2(2 * int(in_materials.x), 0);
    ivec2 second = ivec2(2 * int(in_materials.y), 0);
    v_colour = mix(texelFetch(material_table, first, 0), texelFetch(material_table, second, 0),
                   in_shares.x);
    v_look = mix(texelFetch(material_table, first + ivec2(1, 0), 0),
                 texelFetch(material_table, second + ivec2(1, 0), 0), in_shares.x);
}
)";

constexpr std::string_view kColourText = R"(
in vec3 v_relative;
in vec3 v_place;
in vec3 v_normal;
in vec2 v_light;
in vec4 v_colour;
in vec4 v_look;
out vec4 out_colour;
vec3 lit_ground(mat3 turn, vec4 tint) {
    vec3 p = v_place;
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
    albedo = mix(albedo, tint.rgb, tint.a);
    vec3 smooth_normal = turn * n;
    bump -= n * dot(bump, n);
    n = turn * normalize(n - bump * v_look.z * 0.55);
    float open = v_light.x;
    return albedo * light_on(n, 0.05 + 0.95 * open * open, sunlight(v_relative, smooth_normal));
}
)";

}  // namespace

const std::array<VertexAttribute, 4> kGroundAttributes{
    VertexAttribute{0, 3, VertexType::int16, offsetof(TerrainVertex, x)},
    VertexAttribute{1, 3, VertexType::int8_normalized, offsetof(TerrainVertex, normal_x)},
    VertexAttribute{2, 2, VertexType::uint8, offsetof(TerrainVertex, material)},
    VertexAttribute{3, 3, VertexType::uint8_normalized, offsetof(TerrainVertex, second_share)}};

Result<GlProgram> link_ground(std::string_view label, std::string_view vertex_text,
                              std::string_view fragment_text) {
    const std::string vertex = std::string(kBlendText) + std::string(vertex_text);
    const std::string fragment = std::string(kColourText) + std::string(fragment_text);
    return link_shaded(label, vertex, fragment);
}

}  // namespace terrane
