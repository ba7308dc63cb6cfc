#include "client-stub/viewer/body_painter.h"

#include <bit>
#include <utility>

#include <glm/gtc/quaternion.hpp>

#include "client-stub/viewer/model_mesh.h"
#include "client-stub/viewer/shading.h"
#include "client-stub/viewer/shape_mesh.h"
#include "shared/core/random.h"
#include "shared/math/transform.h"

namespace terrane {

namespace {

constexpr std::string_view kVertexText = R"(
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
uniform mat4 model;
uniform vec3 scale;
out vec3 v_relative;
out vec3 v_normal;
out vec3 v_local;
out vec3 v_local_normal;
void main() {
    v_local = in_position * scale;
    v_local_normal = in_normal;
    v_relative = (model * vec4(v_local, 1.0)).xyz;
    v_normal = mat3(model) * in_normal;
    gl_Position = view_projection * vec4(v_relative, 1.0);
}
)";

constexpr std::string_view kFragmentText = R"(
in vec3 v_relative;
in vec3 v_normal;
in vec3 v_local;
in vec3 v_local_normal;
uniform vec3 scale;
uniform mat4 model;
uniform vec3 colour;
uniform float look;  // BodyLook
uniform vec4 tint;
out vec4 out_colour;
float seam(float x, float width) {
    float d = abs(fract(x) - 0.5);
    return smoothstep(0.5 - width, 0.5, d);
}
vec3 crate(vec3 base) {
    // The face's two axes, the longer one along the planks.
    vec3 a = abs(v_local_normal);
    vec2 p = a.x > 0.5 ? v_local.zy : (a.y > 0.5 ? v_local.xz : v_local.xy);
    vec2 h = a.x > 0.5 ? scale.zy : (a.y > 0.5 ? scale.xz : scale.xy);
    vec2 edge = h - abs(p);
    float border = min(edge.x, edge.y);
    float frame = 1.0 - smoothstep(0.17, 0.19, border / min(h.x, h.y));
    float planks = (p.y / h.y) * 2.0;
    float plank = floor(planks);
    float gap = seam(planks + 0.5, 0.06) * (1.0 - frame);
    vec2 q = frame > 0.5 && edge.x < edge.y ? p.yx : p;
    float fibre = noised(vec3(q.x * 3.0, q.y * 26.0, plank * 7.0)).x;
    float tone = 0.84 + 0.30 * (fibre - 0.5) + 0.16 * (hash2(vec2(plank, a.x + 2.0 * a.y)) - 0.5);
    tone *= mix(1.0, 1.16, frame) * (1.0 - 0.65 * gap);
    float inner = abs(border / min(h.x, h.y) - 0.185);
    tone *= mix(1.0, 0.62, frame * (1.0 - smoothstep(0.0, 0.035, inner)));
    tone *= 1.0 - 0.35 * (1.0 - smoothstep(0.0, 0.03, border));
    return base * tone;
}
vec3 barrel(vec3 base) {
    float angle = atan(v_local.z, v_local.x) / 6.2831853;
    if (abs(v_local_normal.y) > 0.5) {
        float planks = v_local.x / scale.x * 2.5;
        float plank_tone = 0.86 + 0.2 * (hash2(vec2(floor(planks), 3.0)) - 0.5);
        return base * plank_tone * (1.0 - 0.5 * seam(planks, 0.06));
    }
    float staves = angle * 14.0;
    float fibre = noised(vec3(angle * 80.0, v_local.y * 4.0, 2.0)).x;
    vec3 wood = base * (0.85 + 0.3 * (fibre - 0.5)) * (1.0 - 0.5 * seam(staves, 0.07));
    float y = abs(v_local.y / scale.y);
    float hoop = smoothstep(0.05, 0.04, abs(y - 0.62)) + smoothstep(0.90, 0.91, y);
    return mix(wood, vec3(0.12, 0.12, 0.13), clamp(hoop, 0.0, 1.0));
}
vec3 log_wood(vec3 base, inout vec3 bump) {
    float across = length(v_local.xz) / scale.x;
    if (abs(v_local_normal.y) > 0.5) {
        float wobble = noised(vec3(v_local.xz * 6.0, 1.0)).x * 0.12;
        float rings = 0.5 + 0.5 * sin((across + wobble) * 30.0);
        return mix(base * vec3(2.6, 2.5, 2.2), base * vec3(1.7, 1.6, 1.4), rings * 0.7);
    }
    vec4 bark = noised(vec3(v_local.x * 13.0, v_local.y * 2.6, v_local.z * 13.0));
    vec4 fine = noised(v_local * vec3(34.0, 9.0, 34.0));
    bump += bark.yzw * 0.45 + fine.yzw * 0.2;
    return base * (0.62 + 0.65 * bark.x + 0.25 * (fine.x - 0.5));
}
vec3 stone(vec3 base, inout vec3 bump) {
    vec4 lumps = noised(v_local * 6.0 + 3.0);
    vec4 grain = noised(v_local * 27.0);
    bump += lumps.yzw * 0.35 + grain.yzw * 0.22;
    return base * (0.70 + 0.40 * lumps.x + 0.35 * (grain.x - 0.5));
}
vec3 boat(vec3 base) {
    // Strakes along the hull, boards across inside.
    bool is_flat = abs(v_local_normal.y) > 0.8;
    float across = is_flat ? v_local.z * 4.0 : v_local.y * 6.5;
    vec2 along = is_flat ? v_local.xz : v_local.zy;
    float fibre = noised(vec3(along.x * 3.0, along.y * 30.0, floor(across))).x;
    float tone = 0.86 + 0.30 * (fibre - 0.5) + 0.14 * (hash2(vec2(floor(across), 5.0)) - 0.5);
    return base * tone * (1.0 - 0.45 * seam(across, 0.07));
}
vec3 leaves(vec3 base, inout vec3 bump) {
    vec4 clumps = noised(v_local * 3.1 + 5.0);
    vec4 needles = noised(v_local * vec3(17.0, 9.0, 17.0));
    bump += clumps.yzw * 0.5 + needles.yzw * 0.5;
    return base * (0.55 + 0.55 * clumps.x + 0.55 * (needles.x - 0.5));
}
vec3 player(vec3 base) {
    // A visor at eye height on the side that the player looks to, and a belt.
    float angle = atan(v_local.x, -v_local.z);
    float y = v_local.y / scale.y;  // who sits is shorter
    float visor = smoothstep(0.95, 0.85, abs(angle));
    visor *= smoothstep(0.13, 0.10, abs(y - 1.52));
    float belt = smoothstep(0.05, 0.04, abs(y - 0.85));
    vec3 c = mix(base, base * 0.55, smoothstep(0.83, 0.81, y));
    c = mix(c, vec3(0.10, 0.08, 0.06), belt);
    return mix(c, vec3(0.03, 0.05, 0.08), visor);
}
void main() {
    vec3 n = normalize(v_normal);
    vec3 albedo = colour;
    vec3 bump = vec3(0.0);  // in the body's own axes
    if (look < 0.5) {
        albedo = player(colour);
    } else if (look < 1.5) {
        albedo = crate(colour);
    } else if (look < 2.5) {
        float half_turn = step(0.0, v_local.x * v_local.z);  // two colours, like a beach ball's
        albedo = mix(colour, vec3(0.75, 0.72, 0.66),
                     half_turn * step(abs(v_local.y), 0.72 * scale.x));
    } else if (look < 3.5) {
        albedo = barrel(colour);
    } else if (look < 4.5) {
        albedo = log_wood(colour, bump);
    } else if (look < 5.5) {
        albedo = stone(colour, bump);
    } else if (look < 6.5) {
        albedo = boat(colour);
    } else {
        albedo = leaves(colour, bump);
    }
    albedo = mix(albedo, tint.rgb, tint.a);
    n = normalize(n - mat3(model) * bump * 0.5);
    vec3 light = light_on(n, 0.9, sunlight(v_relative, n));
    vec3 h = normalize(sun_direction.xyz - normalize(v_relative));
    light += sun_colour.rgb * 0.08 * pow(max(dot(n, h), 0.0), 24.0);
    out_colour = vec4(finish_colour(add_fog(albedo * light, v_relative)), 1.0);
}
)";

/// Share of a player's height.
constexpr float kSeatedHeight = 0.70F;

constexpr std::array<VertexAttribute, 2> kAttributes{
    VertexAttribute{0, 3, VertexType::float32, offsetof(ShapeVertex, position)},
    VertexAttribute{1, 3, VertexType::float32, offsetof(ShapeVertex, normal)}};

GlMesh upload(const ShapeMesh& mesh) {
    return {std::as_bytes(std::span(mesh.vertices)), sizeof(ShapeVertex), kAttributes,
            mesh.indices};
}

/// Its middle at the origin, where make_capsule has its lowest point.
ShapeMesh make_capsule_about(const BodyKind& kind) {
    const Vec3 half = box_half_extents(kind.shape, kind.half_extents);
    ShapeMesh mesh = make_capsule(half.x, 2.0F * half.y);
    for (ShapeVertex& vertex : mesh.vertices) {
        vertex.position.y -= half.y;
    }
    return mesh;
}

}  // namespace

BodyLook look_of(const BodyKind& kind) {
    const auto is_called = [&](const char* part) {
        return kind.name.find(part) != std::string::npos;
    };
    if (!kind.seats.empty() && kind.shape != BodyShape::player) {
        return BodyLook::boat;
    }
    const bool is_boulder = kind.is_static && kind.shape == BodyShape::sphere;
    if (is_boulder || is_called("stone") || is_called("rock")) {
        return BodyLook::stone;
    }
    switch (kind.shape) {
        case BodyShape::player:
            return BodyLook::player;
        case BodyShape::box:
            return BodyLook::crate;
        case BodyShape::sphere:
        case BodyShape::capsule:
            return BodyLook::ball;
        case BodyShape::piece:
            return BodyLook::stone;
        case BodyShape::cylinder:
            break;
    }
    const bool is_log = kind.is_static || is_called("log") || is_called("trunk");
    return is_log ? BodyLook::log : BodyLook::barrel;
}

bool has_crown(const BodyKind& kind) {
    return kind.is_static && kind.shape == BodyShape::cylinder &&
           kind.half_extents.y > 5.0F * kind.half_extents.x;
}

Vec3 player_colour(std::uint64_t id) {
    constexpr std::array<Vec3, 8> kColours{Vec3{0.10F, 0.28F, 0.62F}, Vec3{0.62F, 0.13F, 0.08F},
                                           Vec3{0.12F, 0.42F, 0.16F}, Vec3{0.70F, 0.42F, 0.06F},
                                           Vec3{0.40F, 0.12F, 0.48F}, Vec3{0.08F, 0.42F, 0.44F},
                                           Vec3{0.66F, 0.62F, 0.54F}, Vec3{0.60F, 0.18F, 0.36F}};
    return kColours[mix_bits(id) % kColours.size()];
}

Result<BodyPainter> BodyPainter::create() {
    auto program = link_shaded("bodies", kVertexText, kFragmentText);
    if (!program) {
        return std::unexpected(program.error());
    }
    return BodyPainter(std::move(*program));
}

BodyPainter::BodyPainter(GlProgram program) : program_(std::move(program)) {
    meshes_[static_cast<std::size_t>(BodyShape::box)] = upload(make_box());
    meshes_[static_cast<std::size_t>(BodyShape::sphere)] = upload(make_sphere());
    meshes_[static_cast<std::size_t>(BodyShape::cylinder)] = upload(make_cylinder());
    crown_ = upload(make_crown());
    boulder_ = upload(make_boulder());
    set_kinds({}, {});
}

void BodyPainter::set_kinds(const BodyKindTable& kinds, const PlayerSize& player) {
    kinds_ = kinds;
    player_ = player;
    meshes_[static_cast<std::size_t>(BodyShape::player)] =
        upload(make_capsule(player.radius_m, player.height_m));
    own_meshes_.clear();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const BodyKind& kind = kinds[i];
        if (look_of(kind) == BodyLook::boat) {
            own_meshes_.emplace(static_cast<std::uint8_t>(i),
                                upload(make_boat(kind.half_extents, kind.seats)));
        } else if (kind.shape == BodyShape::capsule) {
            own_meshes_.emplace(static_cast<std::uint8_t>(i), upload(make_capsule_about(kind)));
        }
    }
}

CullCounts BodyPainter::collect(std::span<const VisibleBody> bodies, const ViewFrame& frame,
                                RenderLists& lists) {
    CullCounts counts;
    shapes_.clear();
    for (const VisibleBody& body : bodies) {
        if (body.kind >= kinds_.size() || kinds_[body.kind].shape == BodyShape::piece) {
            continue;
        }
        const auto first = static_cast<std::uint32_t>(shapes_.size());
        shapes_.push_back(place(body, frame.eye));
        Aabb box = shapes_.back().box;
        if (has_crown(kinds_[body.kind])) {
            shapes_.push_back(place_crown(body, frame.eye));
            box = merge(box, shapes_.back().box);
        }
        if (!is_in_view(frame, box)) {
            ++counts.culled;
            continue;
        }
        ++counts.drawn;
        for (std::uint32_t index = first; index < shapes_.size(); ++index) {
            lists.add(RenderListId::solid, {this, index, distance_to(box, frame.eye)});
        }
    }
    return counts;
}

PlacedShape BodyPainter::place(const VisibleBody& body, const Vec3& eye) const {
    const BodyKind& kind = kinds_[body.kind];
    PlacedShape placed;
    placed.look = look_of(kind);
    placed.mesh = &mesh_of(body);
    placed.tint = body.tint;
    placed.colour = kind.shape == BodyShape::player ? player_colour(body.id)
                                                    : Vec3{kind.red, kind.green, kind.blue};
    Aabb local;
    switch (kind.shape) {
        case BodyShape::player:
            placed.scale.y = body.is_seated ? kSeatedHeight : 1.0F;
            local = {{-player_.radius_m, 0.0F, -player_.radius_m},
                     {player_.radius_m, player_.height_m, player_.radius_m}};
            break;
        case BodyShape::box:
            // A boat's mesh comes in its own size.
            placed.scale = placed.look == BodyLook::boat ? Vec3{1.0F} : kind.half_extents;
            local = {-kind.half_extents, kind.half_extents};
            break;
        case BodyShape::capsule:  // its mesh too
        case BodyShape::piece: {
            const Vec3 half = box_half_extents(kind.shape, kind.half_extents);
            local = {-half, half};
            break;
        }
        case BodyShape::sphere:
            placed.scale = Vec3{kind.half_extents.x};
            local = {-placed.scale, placed.scale};
            break;
        case BodyShape::cylinder:
            placed.scale = {kind.half_extents.x, kind.half_extents.y, kind.half_extents.x};
            local = {-placed.scale, placed.scale};
            break;
    }
    Transform transform;
    transform.position = body.position;
    transform.rotation = body.rotation;
    placed.box = transform_box(to_affine(transform), local);
    transform.position -= eye;
    placed.relative_model = to_matrix(transform);
    return placed;
}

/// From a third of the trunk's height to above its top.
PlacedShape BodyPainter::place_crown(const VisibleBody& body, const Vec3& eye) const {
    const BodyKind& kind = kinds_[body.kind];
    const float trunk = 2.0F * kind.half_extents.y;
    PlacedShape placed;
    placed.look = BodyLook::leaves;
    placed.mesh = &crown_;
    // No two trees are the same green.
    const auto tint = static_cast<float>(mix_bits(std::bit_cast<std::uint32_t>(body.position.x) ^
                                                  std::bit_cast<std::uint32_t>(body.position.z)) %
                                         64) /
                      64.0F;
    placed.colour = glm::mix(Vec3{0.035F, 0.105F, 0.045F}, Vec3{0.075F, 0.135F, 0.040F}, tint);
    placed.scale = {(0.26F + 0.05F * tint) * trunk, (0.86F + 0.08F * tint) * trunk, 0.0F};
    placed.scale.z = placed.scale.x;
    Transform transform;
    transform.rotation = body.rotation;
    transform.position = body.position + body.rotation * Vec3{0.0F, -0.22F * trunk, 0.0F};
    placed.box = transform_box(to_affine(transform),
                               {{-placed.scale.x, 0.0F, -placed.scale.z}, placed.scale});
    transform.position -= eye;
    placed.relative_model = to_matrix(transform);
    return placed;
}

const GlMesh& BodyPainter::mesh_of(const VisibleBody& body) const {
    const BodyKind& kind = kinds_[body.kind];
    if (const auto own = own_meshes_.find(body.kind); own != own_meshes_.end()) {
        return own->second;
    }
    const bool is_boulder = kind.is_static && kind.shape == BodyShape::sphere;
    return is_boulder ? boulder_ : meshes_[static_cast<std::size_t>(kind.shape)];
}

void BodyPainter::begin_painting() {
    program_.use();
}

void BodyPainter::paint(std::uint32_t index) {
    const PlacedShape& placed = shapes_[index];
    program_.set("model", placed.relative_model);
    program_.set("scale", placed.scale);
    program_.set("colour", placed.colour);
    program_.set("look", static_cast<float>(placed.look));
    program_.set("tint", placed.tint);
    placed.mesh->draw();
}

}  // namespace terrane
