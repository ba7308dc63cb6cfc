#include "client-stub/viewer/hud_painter.h"

#include <array>
#include <utility>

namespace terrane {

namespace {

constexpr std::string_view kVertexText = R"(
uniform vec3 pixels;  // width, height of the picture, half side of the mark
out vec2 v_pixel;     // from the centre
void main() {
    vec2 corner = vec2((gl_VertexID == 1 || gl_VertexID == 2 || gl_VertexID == 4) ? 1.0 : -1.0,
                       (gl_VertexID == 2 || gl_VertexID == 4 || gl_VertexID == 5) ? 1.0 : -1.0);
    v_pixel = corner * pixels.z;
    gl_Position = vec4(2.0 * v_pixel / pixels.xy, 0.0, 1.0);
}
)";

constexpr std::string_view kFragmentText = R"(
in vec2 v_pixel;
uniform vec3 pixels;
out vec4 out_colour;
void main() {
    vec2 p = abs(v_pixel) / pixels.z;
    float along = max(p.x, p.y);
    float across = min(p.x, p.y);
    float arm = step(0.30, along) * step(along, 0.90);
    float light = arm * step(across, 0.09);
    float rim = step(0.22, along) * step(across, 0.19);
    out_colour = light > 0.0 ? vec4(1.0, 1.0, 1.0, 0.9) : vec4(0.0, 0.0, 0.0, 0.35 * rim);
}
)";

}  // namespace

Result<HudPainter> HudPainter::create() {
    const std::array<std::string_view, 1> vertex{kVertexText};
    const std::array<std::string_view, 1> fragment{kFragmentText};
    auto program = GlProgram::link("hud", vertex, fragment);
    if (!program) {
        return std::unexpected(program.error());
    }
    return HudPainter(std::move(*program));
}

HudPainter::HudPainter(GlProgram program) : program_(std::move(program)) {}

void HudPainter::collect(ImageSize size, RenderLists& lists) {
    size_ = size;
    lists.add(RenderListId::user_9, {this, 0, 0.0F});
}

void HudPainter::begin_painting() {
    program_.use();
}

void HudPainter::paint(std::uint32_t /*index*/) {
    const auto height = static_cast<float>(size_.height);
    program_.set("pixels", Vec3{static_cast<float>(size_.width), height, height / 60.0F});
    square_.draw_triangles(2);
}

}  // namespace terrane
