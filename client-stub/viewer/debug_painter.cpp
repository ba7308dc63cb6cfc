#include "client-stub/viewer/debug_painter.h"

#include <array>
#include <utility>

#include "client-stub/viewer/shading.h"

namespace terrane {

namespace {

constexpr std::string_view kLineVertexText = R"(
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_other;  // the line's other end
layout(location = 2) in float in_side;
layout(location = 3) in vec4 in_colour;
uniform vec3 pixels;  // width, height of the picture, half the line's width
out vec4 v_colour;
vec4 before_eye(vec4 end, vec4 other) {
    const float near = 0.05;
    bool is_cut = end.w < near && other.w > near;
    return is_cut ? mix(end, other, (near - end.w) / (other.w - end.w)) : end;
}
void main() {
    v_colour = in_colour;
    vec4 a = view_projection * vec4((in_position - eye.xyz) * 0.996, 1.0);
    vec4 b = view_projection * vec4((in_other - eye.xyz) * 0.996, 1.0);
    vec4 here = before_eye(a, b);
    vec4 there = before_eye(b, a);
    vec2 along = (there.xy / there.w - here.xy / here.w) * pixels.xy;
    along = dot(along, along) > 1e-8 ? normalize(along) : vec2(1.0, 0.0);
    vec2 aside = vec2(-along.y, along.x) * in_side * 2.0 * pixels.z / pixels.xy;
    gl_Position = here + vec4(aside * here.w, 0.0, 0.0);
}
)";

constexpr std::string_view kLineFragmentText = R"(
in vec4 v_colour;
out vec4 out_colour;
void main() {
    out_colour = v_colour;
}
)";

constexpr std::string_view kFaceVertexText = R"(
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec2 in_corner;
layout(location = 2) in vec4 in_colour;
out vec2 v_corner;
out vec4 v_colour;
void main() {
    v_corner = in_corner;
    v_colour = in_colour;
    gl_Position = view_projection * vec4((in_position - eye.xyz) * 0.998, 1.0);
}
)";

constexpr std::string_view kFaceFragmentText = R"(
in vec2 v_corner;
in vec4 v_colour;
out vec4 out_colour;
void main() {
    vec2 from_rim = min(v_corner, 1.0 - v_corner) / max(fwidth(v_corner), vec2(1e-5));
    float rim = 1.0 - smoothstep(0.7, 1.5, min(from_rim.x, from_rim.y));
    // Where a face is only a few pixels, rims would be all that is seen.
    rim *= 1.0 - smoothstep(0.05, 0.25, max(fwidth(v_corner).x, fwidth(v_corner).y));
    out_colour = vec4(v_colour.rgb, mix(v_colour.a, min(1.0, 3.5 * v_colour.a), rim));
}
)";

struct LineVertex {
    Vec3 position{0.0F};
    Vec3 other{0.0F};
    float side = 1.0F;
    std::array<std::uint8_t, 4> colour{};
};
static_assert(sizeof(LineVertex) == 32);

struct FaceVertex {
    Vec3 position{0.0F};
    Vec2 corner{0.0F};
    std::array<std::uint8_t, 4> colour{};
};
static_assert(sizeof(FaceVertex) == 24);

constexpr std::array<VertexAttribute, 4> kLineAttributes{
    VertexAttribute{0, 3, VertexType::float32, offsetof(LineVertex, position)},
    VertexAttribute{1, 3, VertexType::float32, offsetof(LineVertex, other)},
    VertexAttribute{2, 1, VertexType::float32, offsetof(LineVertex, side)},
    VertexAttribute{3, 4, VertexType::uint8_normalized, offsetof(LineVertex, colour)}};
constexpr std::array<VertexAttribute, 3> kFaceAttributes{
    VertexAttribute{0, 3, VertexType::float32, offsetof(FaceVertex, position)},
    VertexAttribute{1, 2, VertexType::float32, offsetof(FaceVertex, corner)},
    VertexAttribute{2, 4, VertexType::uint8_normalized, offsetof(FaceVertex, colour)}};

constexpr std::uint32_t kTested = 0;  ///< the painter's items
constexpr std::uint32_t kOver = 1;

/// Of a picture's height.
constexpr float kHalfLineWidth = 1.0F / 900.0F;

std::array<std::uint8_t, 4> to_bytes(const Vec4& colour) {
    const Vec4 scaled = 255.0F * glm::clamp(colour, 0.0F, 1.0F) + 0.5F;
    return {static_cast<std::uint8_t>(scaled.r), static_cast<std::uint8_t>(scaled.g),
            static_cast<std::uint8_t>(scaled.b), static_cast<std::uint8_t>(scaled.a)};
}

/// Two triangles over the four newest of `vertex_count` vertices, which go around.
void add_indices(std::size_t vertex_count, std::vector<std::uint32_t>& indices) {
    const auto first = static_cast<std::uint32_t>(vertex_count - 4);
    for (const std::uint32_t corner : {0U, 1U, 2U, 0U, 2U, 3U}) {
        indices.push_back(first + corner);
    }
}

template <typename Vertex, std::size_t kCount>
GlMesh upload_mesh(const std::vector<Vertex>& vertices,
                   const std::array<VertexAttribute, kCount>& attributes,
                   const std::vector<std::uint32_t>& indices) {
    return {std::as_bytes(std::span(vertices)), sizeof(Vertex), attributes, indices};
}

GlMesh upload_lines(const std::vector<DebugLine>& lines, bool is_over) {
    std::vector<LineVertex> vertices;
    std::vector<std::uint32_t> indices;
    for (const DebugLine& line : lines) {
        if (line.is_over == is_over) {
            const auto colour = to_bytes(line.colour);
            // Seen from the far end left and right are changed over.
            vertices.push_back({line.from, line.to, -1.0F, colour});
            vertices.push_back({line.from, line.to, 1.0F, colour});
            vertices.push_back({line.to, line.from, -1.0F, colour});
            vertices.push_back({line.to, line.from, 1.0F, colour});
            add_indices(vertices.size(), indices);
        }
    }
    return upload_mesh(vertices, kLineAttributes, indices);
}

/// `axis`: of the face's normal; is_far: at the box's maximum there.
void add_face(const DebugCube& cube, int axis, bool is_far, std::vector<FaceVertex>& vertices,
              std::vector<std::uint32_t>& indices) {
    // A face that looks up is brightest: the cubes are seen as cubes.
    const float light = axis == 1 ? (is_far ? 1.0F : 0.55F) : (axis == 0 ? 0.85F : 0.70F);
    const auto colour = to_bytes(Vec4{light * Vec3{cube.colour}, cube.colour.a});
    const int across = (axis + 1) % 3;
    const int along = (axis + 2) % 3;
    constexpr std::array<Vec2, 4> kAround{Vec2{0.0F, 0.0F}, Vec2{1.0F, 0.0F}, Vec2{1.0F, 1.0F},
                                          Vec2{0.0F, 1.0F}};
    for (const Vec2& corner : kAround) {
        Vec3 position = is_far ? cube.box.max : cube.box.min;
        position[across] = corner.x > 0.5F ? cube.box.max[across] : cube.box.min[across];
        position[along] = corner.y > 0.5F ? cube.box.max[along] : cube.box.min[along];
        vertices.push_back({position, corner, colour});
    }
    add_indices(vertices.size(), indices);
}

GlMesh upload_faces(const std::vector<DebugCube>& cubes) {
    std::vector<FaceVertex> vertices;
    std::vector<std::uint32_t> indices;
    for (const DebugCube& cube : cubes) {
        for (unsigned face = 0; face < 6; ++face) {
            if (((cube.faces >> face) & 1U) != 0) {
                add_face(cube, static_cast<int>(face / 2), face % 2 == 1, vertices, indices);
            }
        }
    }
    return upload_mesh(vertices, kFaceAttributes, indices);
}

}  // namespace

Result<DebugPainter> DebugPainter::create() {
    auto line = link_shaded("debug lines", kLineVertexText, kLineFragmentText);
    if (!line) {
        return std::unexpected(line.error());
    }
    auto face = link_shaded("debug faces", kFaceVertexText, kFaceFragmentText);
    if (!face) {
        return std::unexpected(face.error());
    }
    return DebugPainter(std::move(*line), std::move(*face));
}

DebugPainter::DebugPainter(GlProgram line_program, GlProgram face_program)
    : line_program_(std::move(line_program)), face_program_(std::move(face_program)) {}

void DebugPainter::upload(const DebugShapes& shapes) {
    faces_ = upload_faces(shapes.cubes);
    lines_ = upload_lines(shapes.lines, false);
    lines_over_ = upload_lines(shapes.lines, true);
}

void DebugPainter::collect(ImageSize size, RenderLists& lists) {
    size_ = size;
    if (!faces_.is_empty() || !lines_.is_empty()) {
        lists.add(RenderListId::user_7, {this, kTested, 0.0F});
    }
    if (!lines_over_.is_empty()) {
        lists.add(RenderListId::user_8, {this, kOver, 0.0F});
    }
}

void DebugPainter::paint(std::uint32_t index) {
    if (index == kTested && !faces_.is_empty()) {
        face_program_.use();
        faces_.draw();
    }
    const auto height = static_cast<float>(size_.height);
    line_program_.use();
    line_program_.set("pixels", Vec3{static_cast<float>(size_.width), height,
                                     std::max(kHalfLineWidth * height, 0.5F)});
    (index == kTested ? lines_ : lines_over_).draw();
}

}  // namespace terrane
