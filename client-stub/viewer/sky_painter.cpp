#include "client-stub/viewer/sky_painter.h"

#include <utility>

#include "client-stub/viewer/shading.h"

namespace terrane {

namespace {

constexpr std::string_view kVertexText = R"(
out vec3 v_direction;
void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    vec4 far = direction_from_clip * vec4(corner, 1.0, 1.0);
    v_direction = far.xyz / far.w;
    gl_Position = vec4(corner, 1.0, 1.0);
}
)";

constexpr std::string_view kFragmentText = R"(
in vec3 v_direction;
out vec4 out_colour;
void main() {
    vec3 d = normalize(v_direction);
    vec3 colour = sky_gradient(d);
    float towards = dot(d, sun_direction.xyz);
    float t = eye.w;
    if (air.y > 0.0 && d.y > 0.0) {
        // One star in a cell of the sphere, or none.
        vec3 cell = floor(d * 140.0);
        vec3 place = fract(d * 140.0) - 0.5;
        float star = step(0.985, hash3(cell + 7.0)) * smoothstep(0.42, 0.12, length(place));
        star *= hash3(cell) * smoothstep(0.0, 0.25, d.y);
        colour += vec3(0.75, 0.82, 1.0) * star * air.y * 0.7;
    }
    // Clouds on a plane high above, thinned towards the horizon.
    if (d.y > 0.03) {
        vec2 p = d.xz / (d.y + 0.08);
        float density = fbm2(p * 1.25 + vec2(t * 0.006, 3.7), 4);
        float cover = smoothstep(0.47, 0.72, density) * smoothstep(0.02, 0.22, d.y);
        if (cover > 0.0) {
            // Two octaves are enough for the light; 0.094 is the mean of the other two.
            float towards_sun =
                fbm2(p * 1.25 + sun_direction.xz * 0.20 + vec2(t * 0.006, 3.7), 2) + 0.094;
            float lit = clamp(0.62 + (density - towards_sun) * 2.6, 0.0, 1.0);
            vec3 bright = 0.40 * horizon_colour.rgb + 0.36 * sun_colour.rgb;
            vec3 white = mix(horizon_colour.rgb * 0.80, bright, lit);
            white += sun_colour.rgb * 0.10 * pow(max(towards, 0.0), 8.0);
            colour = mix(colour, white, cover * 0.82);
        }
    }
    float disc = smoothstep(0.99930, 0.99965, towards);
    float corona = pow(max(towards, 0.0), 900.0);
    colour += sun_colour.rgb * (disc * 4.0 + corona * 0.7);
    if (fog.z > 0.5) {
        colour = vec3(0.02, 0.10, 0.13) * air.x;
    }
    out_colour = vec4(finish_colour(colour), 1.0);
}
)";

}  // namespace

Result<SkyPainter> SkyPainter::create() {
    auto program = link_shaded("sky", kVertexText, kFragmentText);
    if (!program) {
        return std::unexpected(program.error());
    }
    return SkyPainter(std::move(*program));
}

SkyPainter::SkyPainter(GlProgram program) : program_(std::move(program)) {}

void SkyPainter::collect(RenderLists& lists) {
    lists.add(RenderListId::sky_box, {this, 0, 0.0F});
}

void SkyPainter::begin_painting() {
    program_.use();
}

void SkyPainter::paint(std::uint32_t /*index*/) {
    triangle_.draw_triangles(1);
}

}  // namespace terrane
