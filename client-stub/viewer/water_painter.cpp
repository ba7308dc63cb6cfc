#include "client-stub/viewer/water_painter.h"

#include <utility>

#include "client-stub/viewer/shading.h"

namespace terrane {

namespace {

constexpr std::string_view kVertexText = R"(
layout(location = 0) in vec3 in_position;
layout(location = 1) in uvec2 in_depth_face;
uniform vec3 origin;
out vec3 v_relative;
out float v_depth;
flat out int v_face;
void main() {
    v_relative = in_position / 256.0 + origin;
    v_depth = float(in_depth_face.x) / 16.0;
    v_face = int(in_depth_face.y);
    gl_Position = view_projection * vec4(v_relative, 1.0);
}
)";

constexpr std::string_view kFragmentText = R"(
in vec3 v_relative;
in float v_depth;
flat in int v_face;
out vec4 out_colour;
const vec3 kFaceNormals[6] = vec3[6](vec3(0, 1, 0), vec3(1, 0, 0), vec3(-1, 0, 0), vec3(0, 0, 1),
                                     vec3(0, 0, -1), vec3(0, -1, 0));
// Slope of a few trains of waves and of a drifting noise, calmer far away.
vec2 wave_slope(vec2 p, float t, float calm) {
    vec2 s = vec2(0.0);
    s += vec2(0.8, 0.6) * cos(dot(p, vec2(0.8, 0.6)) * 1.7 + t * 1.6) * 0.022;
    s += vec2(-0.5, 0.87) * cos(dot(p, vec2(-0.5, 0.87)) * 2.9 + t * 2.1) * 0.020;
    s += vec2(0.96, -0.28) * cos(dot(p, vec2(0.96, -0.28)) * 4.7 + t * 2.9) * 0.016;
    vec4 a = noised(vec3(p * 0.9 + t * 0.25, t * 0.35));
    vec4 b = noised(vec3(p * 2.7 - t * 0.4, t * 0.6));
    s += a.yz * 0.05 + b.yz * 0.035 * calm;
    return s * (0.25 + 0.75 * calm);
}
void main() {
    vec3 p = v_relative + eye.xyz;
    float distance_m = length(v_relative);
    vec3 to_eye = -v_relative / max(distance_m, 0.001);
    float t = eye.w;
    vec3 n = kFaceNormals[v_face];
    if (v_face == 0) {
        float calm = 1.0 - smoothstep(15.0, 120.0, distance_m);
        vec2 slope = wave_slope(p.xz, t, calm);
        n = normalize(vec3(-slope.x, 1.0, -slope.y));
    }
    if (dot(n, to_eye) < 0.0) {
        n = -n;
    }
    float facing = max(dot(n, to_eye), 0.0);
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 r = reflect(-to_eye, n);
    r.y = abs(r.y);
    vec3 mirrored = sky_gradient(r);
    // Light through the water: what is left after the way down, and a slant way is longer.
    float way = v_depth / max(0.35 + 0.65 * facing, 0.2);
    float murk = 1.0 - exp(-way * 0.62);
    float sun = sunlight(v_relative, kFaceNormals[v_face]);
    vec3 shallow = vec3(0.060, 0.270, 0.265);
    vec3 deep = vec3(0.008, 0.060, 0.105);
    vec3 body = mix(shallow, deep, 1.0 - exp(-v_depth * 0.45));
    body *= air.x * 0.45 + 0.75 * air.x * max(sun_direction.y, 0.0) * (0.35 + 0.65 * sun);
    float alpha = mix(murk, 1.0, fresnel);
    vec3 colour = mix(body, mirrored, fresnel);
    float glint = pow(max(dot(r, sun_direction.xyz), 0.0), 240.0) * sun;
    colour += sun_colour.rgb * glint * 2.2;
    alpha = clamp(alpha + glint, 0.0, 1.0);
    if (v_face == 0 && v_depth < 0.5) {
        // The shore: a thin, broken pale line that breathes.
        float edge = v_depth + 0.10 * sin(t * 0.9 + p.x * 0.35 + p.z * 0.27);
        float broken = 0.6 * noise2(p.xz * 1.7 + t * 0.12) + 0.4 * noise2(p.xz * 5.3 - t * 0.2);
        float line = smoothstep(0.34, 0.06, edge) * smoothstep(0.35, 0.75, broken);
        colour = mix(colour, vec3(0.80, 0.84, 0.85) * air.x * (0.4 + 0.6 * sun), 0.5 * line);
        alpha = max(alpha * smoothstep(0.0, 0.30, v_depth), 0.38 * line);
    }
    out_colour = vec4(finish_colour(add_fog(colour, v_relative)), alpha);
}
)";

}  // namespace

Result<WaterPainter> WaterPainter::create() {
    auto program = link_shaded("water", kVertexText, kFragmentText);
    if (!program) {
        return std::unexpected(program.error());
    }
    return WaterPainter(std::move(*program));
}

WaterPainter::WaterPainter(GlProgram program) : program_(std::move(program)) {}

CullCounts WaterPainter::collect(const ChunkMeshes& meshes, const ViewFrame& frame,
                                 RenderLists& lists) {
    CullCounts counts;
    visible_.clear();
    eye_ = frame.eye;
    for (const auto& [chunk, parts] : meshes.parts()) {
        if (parts.water.is_empty()) {
            continue;
        }
        if (!is_in_view(frame, parts.water_box)) {
            ++counts.culled;
            continue;
        }
        ++counts.drawn;
        lists.add(RenderListId::translucent, {this, static_cast<std::uint32_t>(visible_.size()),
                                              distance_to(parts.water_box, frame.eye)});
        visible_.push_back(&parts);
    }
    return counts;
}

void WaterPainter::begin_painting() {
    program_.use();
}

void WaterPainter::paint(std::uint32_t index) {
    const ChunkParts& parts = *visible_[index];
    program_.set("origin", parts.origin - eye_);
    parts.water.draw();
}

}  // namespace terrane
