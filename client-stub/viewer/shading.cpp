#include "client-stub/viewer/shading.h"

#include <array>

namespace terrane {

const std::string_view kFrameText = R"(
layout(std140) uniform Frame {
    mat4 view_projection;
    mat4 direction_from_clip;
    mat4 shadow_from_relative;
    vec4 eye;
    vec4 sun_direction;
    vec4 sun_colour;
    vec4 zenith_colour;
    vec4 horizon_colour;
    vec4 ground_colour;
    vec4 fog;
    vec4 air;
};
)";

// Hash without sine (Hoskins, 2014) and value noise with its gradient (Quilez, "Value noise
// derivatives"): the gradient costs no further samples and gives the bumps of a surface.
const std::string_view kNoiseText = R"(
float hash3(vec3 p) {
    p = fract(p * 0.1031);
    p += dot(p, p.zyx + 31.32);
    return fract((p.x + p.y) * p.z);
}
vec4 noised(vec3 x) {
    vec3 p = floor(x);
    vec3 w = x - p;
    vec3 u = w * w * (3.0 - 2.0 * w);
    vec3 du = 6.0 * w * (1.0 - w);
    float a = hash3(p);
    float b = hash3(p + vec3(1, 0, 0));
    float c = hash3(p + vec3(0, 1, 0));
    float d = hash3(p + vec3(1, 1, 0));
    float e = hash3(p + vec3(0, 0, 1));
    float f = hash3(p + vec3(1, 0, 1));
    float g = hash3(p + vec3(0, 1, 1));
    float h = hash3(p + vec3(1, 1, 1));
    float k1 = b - a, k2 = c - a, k3 = e - a;
    float k4 = a - b - c + d, k5 = a - c - e + g, k6 = a - b - e + f;
    float k7 = -a + b + c - d + e - f - g + h;
    return vec4(a + k1 * u.x + k2 * u.y + k3 * u.z + k4 * u.x * u.y + k5 * u.y * u.z +
                    k6 * u.z * u.x + k7 * u.x * u.y * u.z,
                du * (vec3(k1, k2, k3) + u.yzx * vec3(k4, k5, k6) + u.zxy * vec3(k6, k4, k5) +
                      k7 * u.yzx * u.zxy));
}
float hash2(vec2 p) {
    vec3 q = fract(vec3(p.xyx) * 0.1031);
    q += dot(q, q.yzx + 33.33);
    return fract((q.x + q.y) * q.z);
}
float noise2(vec2 x) {
    vec2 p = floor(x);
    vec2 w = x - p;
    w = w * w * (3.0 - 2.0 * w);
    return mix(mix(hash2(p), hash2(p + vec2(1, 0)), w.x),
               mix(hash2(p + vec2(0, 1)), hash2(p + vec2(1, 1)), w.x), w.y);
}
float fbm2(vec2 x, int octaves) {
    const mat2 turn = mat2(1.6, 1.2, -1.2, 1.6);
    float sum = 0.0, weight = 0.5;
    for (int i = 0; i < octaves; ++i) {
        sum += weight * noise2(x);
        x = turn * x;
        weight *= 0.5;
    }
    return sum;
}
)";

const std::string_view kAirText = R"(
vec3 sky_gradient(vec3 d) {
    float up = clamp(d.y, 0.0, 1.0);
    float down = 1.0 - up;
    vec3 colour = mix(zenith_colour.rgb, horizon_colour.rgb, down * down * down);
    float towards = max(dot(d, sun_direction.xyz), 0.0);
    float low = 1.0 - 0.7 * up;
    float t2 = towards * towards, t4 = t2 * t2, t8 = t4 * t4;
    return colour + sun_colour.rgb * (0.035 * t4 + 0.06 * t8 * t8) * low;
}
// The far edge of the view dissolves into the sky behind it; valleys hold a little more haze.
vec3 add_fog(vec3 colour, vec3 relative) {
    float distance_m = length(relative);
    vec3 d = relative / max(distance_m, 0.001);
    if (fog.z > 0.5) {
        float murk = 1.0 - exp(-distance_m * 0.09);
        return mix(colour * vec3(0.45, 0.8, 0.9), vec3(0.02, 0.10, 0.13) * air.x, murk);
    }
    float t = clamp((distance_m - fog.x) / (fog.y - fog.x), 0.0, 1.0);
    float haze = 1.0 - exp(-distance_m / fog.y * 0.38);
    float amount = max(haze, t * t * (3.0 - 2.0 * t));
    return mix(colour, sky_gradient(normalize(vec3(d.x, max(d.y, 0.0), d.z))), amount);
}
// Filmic curve (Narkowicz, "ACES Filmic Tone Mapping Curve", 2016),
// then the screen's gamma by square
// roots (error below 0.004; three pow() a pixel were a tenth of a frame on a software rasteriser).
vec3 finish_colour(vec3 c) {
    if (air.x < 0.6) {  // eyes see little colour at night, and what they see is blue
        float grey = dot(c, vec3(0.2126, 0.7152, 0.0722));
        c = mix(c, grey * vec3(0.72, 0.98, 1.55), 0.5 * smoothstep(0.6, 0.1, air.x));
    }
    c *= 0.66;
    c = clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
    vec3 s1 = sqrt(c), s2 = sqrt(s1), s3 = sqrt(s2);
    return 0.662002687 * s1 + 0.684122060 * s2 - 0.323583601 * s3 - 0.022541147 * c;
}
)";

const std::string_view kLightText = R"(
uniform sampler2DShadow shadow_map;
// How much of the sun reaches a point: four filtered samples (one far away),
// fading out at the map's
// border.
// Looked up a little above the surface, farther where the rays graze it: a texel is wide.
float sunlight(vec3 relative, vec3 normal) {
    if (sun_direction.w < 0.5 || dot(normal, sun_direction.xyz) < -0.2) {
        return 1.0;
    }
    float grazing = 1.0 - clamp(dot(normal, sun_direction.xyz), 0.0, 1.0);
    relative += normal * (0.10 + 0.25 * grazing);
    vec3 p = (shadow_from_relative * vec4(relative, 1.0)).xyz;
    vec2 from_centre = abs(p.xy - 0.5) * 2.0;
    float border = max(from_centre.x, from_centre.y);
    if (border >= 1.0 || p.z >= 1.0) {
        return 1.0;
    }
    float texel = 1.0 / float(textureSize(shadow_map, 0).x);
    if (dot(relative, relative) > 2500.0) {
        return mix(texture(shadow_map, p), 1.0, smoothstep(0.8, 1.0, border));
    }
    float lit = 0.0;
    lit += texture(shadow_map, vec3(p.xy + vec2(-0.6, -1.4) * texel, p.z));
    lit += texture(shadow_map, vec3(p.xy + vec2(1.4, -0.6) * texel, p.z));
    lit += texture(shadow_map, vec3(p.xy + vec2(0.6, 1.4) * texel, p.z));
    lit += texture(shadow_map, vec3(p.xy + vec2(-1.4, 0.6) * texel, p.z));
    return mix(0.25 * lit, 1.0, smoothstep(0.8, 1.0, border));
}
// Sun and the half spheres of sky and ground. `open` is how much of the sky a point sees.
vec3 light_on(vec3 normal, float open, float sun) {
    float facing = max(dot(normal, sun_direction.xyz), 0.0);
    vec3 sky = mix(horizon_colour.rgb, zenith_colour.rgb, 0.66) * 0.78;
    vec3 ambient = mix(ground_colour.rgb, sky, 0.5 + 0.5 * normal.y);
    return ambient * open + sun_colour.rgb * facing * sun;
}
)";

Result<GlProgram> link_shaded(std::string_view label, std::string_view vertex_text,
                              std::string_view fragment_text) {
    const std::array<std::string_view, 2> vertex{kFrameText, vertex_text};
    const std::array<std::string_view, 5> fragment{kFrameText, kNoiseText, kAirText, kLightText,
                                                   fragment_text};
    auto program = GlProgram::link(label, vertex, fragment);
    if (program) {
        program->bind_block("Frame", kFrameBinding);
        program->bind_sampler("shadow_map", kShadowUnit);
        program->bind_sampler("material_table", kMaterialUnit);
    }
    return program;
}

}  // namespace terrane
