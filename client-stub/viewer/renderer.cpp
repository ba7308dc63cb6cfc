#include "client-stub/viewer/renderer.h"

#include <utility>

#include <glm/matrix.hpp>

namespace terrane {

namespace {

/// Share of the view distance where the fog that hides its edge begins.
constexpr float kFogStart = 0.45F;

bool is_under_water(const VoxelGrid& grid, const Vec3& eye) {
    const VoxelCoord v = voxel_at(eye);
    const Voxel voxel = grid.voxel(v);
    return is_water(voxel) &&
           eye.y - static_cast<float>(v.y) < static_cast<float>(voxel.occupancy) / 255.0F;
}

}  // namespace

Result<std::unique_ptr<Renderer>> Renderer::create(const RendererConfig& config) {
    auto terrain = TerrainPainter::create();
    auto water = WaterPainter::create();
    auto sky = SkyPainter::create();
    auto bodies = BodyPainter::create();
    auto pieces = PiecePainter::create();
    auto hud = HudPainter::create();
    auto debug = DebugPainter::create();
    for (const Error* error :
         {terrain ? nullptr : &terrain.error(), water ? nullptr : &water.error(),
          sky ? nullptr : &sky.error(), bodies ? nullptr : &bodies.error(),
          pieces ? nullptr : &pieces.error(), hud ? nullptr : &hud.error(),
          debug ? nullptr : &debug.error()}) {
        if (error != nullptr) {
            return std::unexpected(*error);
        }
    }
    std::unique_ptr<Renderer> renderer(
        new Renderer(std::move(*terrain), std::move(*water), std::move(*sky), std::move(*bodies),
                     std::move(*pieces), std::move(*hud), std::move(*debug)));
    if (config.has_shadows) {
        auto shadow = ShadowPainter::create(config.shadow_pixels, config.shadow_reach_m);
        if (!shadow) {
            return std::unexpected(shadow.error());
        }
        renderer->shadow_ = std::make_unique<ShadowPainter>(std::move(*shadow));
    }
    if (auto checked = check_gl("the renderer's set-up"); !checked) {
        return std::unexpected(checked.error());
    }
    return renderer;
}

Renderer::Renderer(TerrainPainter terrain, WaterPainter water, SkyPainter sky, BodyPainter bodies,
                   PiecePainter pieces, HudPainter hud, DebugPainter debug)
    : terrain_(std::move(terrain)),
      water_(std::move(water)),
      sky_(std::move(sky)),
      bodies_(std::move(bodies)),
      pieces_(std::move(pieces)),
      hud_(std::move(hud)),
      debug_(std::move(debug)),
      frame_block_(sizeof(FrameUniforms)) {}

FrameCounts Renderer::draw(const VoxelGrid& grid, const Scenery& scenery, Camera& camera,
                           const GlFramebuffer* target, ImageSize size) {
    const std::uint64_t draw_calls_before = draw_call_count();
    const ViewFrame frame{camera.position(), camera.frustum(), scenery.view_distance_m};

    const DaylightLook look = look_of_day(scenery.sun_direction);
    lists_.clear();
    const CullCounts terrain = terrain_.collect(meshes_, frame, lists_);
    const CullCounts water = water_.collect(meshes_, frame, lists_);
    const CullCounts bodies = bodies_.collect(scenery.bodies, frame, lists_);
    const CullCounts pieces =
        pieces_.collect(scenery.bodies, frame, scenery.piece_meshes_max, lists_);
    sky_.collect(lists_);
    debug_.collect(size, lists_);
    if (scenery.has_aiming_mark) {
        hud_.collect(size, lists_);
    }
    if (shadow_) {
        shadow_->collect(meshes_, {bodies_.shapes(), pieces_.shapes()}, frame.eye,
                         look.light_direction, lists_);
    }
    lists_.sort();

    upload_frame(grid, scenery, look, camera);
    if (shadow_) {
        shadow_->draw_map(lists_);
        shadow_->bind_texture();
    }
    if (target != nullptr) {
        target->bind();
    } else {
        bind_window_framebuffer();
    }
    set_viewport(size);
    clear_colour_and_depth();
    lists_.draw();
    return {terrain.drawn, bodies.drawn + pieces.drawn, pieces.drawn,
            terrain.culled + water.culled + bodies.culled + pieces.culled,
            draw_call_count() - draw_calls_before};
}

void Renderer::upload_frame(const VoxelGrid& grid, const Scenery& scenery, const DaylightLook& look,
                            Camera& camera) {
    FrameUniforms frame;
    frame.view_projection = camera.relative_view_projection();
    frame.direction_from_clip = glm::inverse(frame.view_projection);
    frame.eye = Vec4{camera.position(), scenery.seconds};
    frame.sun_direction = Vec4{look.light_direction, shadow_ ? 1.0F : 0.0F};
    frame.sun_colour = Vec4{look.light_colour, 0.0F};
    frame.zenith_colour = Vec4{look.zenith_colour, 0.0F};
    frame.horizon_colour = Vec4{look.horizon_colour, 0.0F};
    frame.ground_colour = Vec4{look.ground_colour, 0.0F};
    frame.air = Vec4{look.brightness, look.stars, 0.0F, 0.0F};
    frame.fog = Vec4{kFogStart * scenery.view_distance_m, 0.97F * scenery.view_distance_m,
                     is_under_water(grid, camera.position()) ? 1.0F : 0.0F, 0.0F};
    if (shadow_) {
        frame.shadow_from_relative = shadow_->shadow_from_relative(camera.position());
    }
    frame_block_.upload(std::as_bytes(std::span(&frame, 1)));
    frame_block_.bind(kFrameBinding);
}

}  // namespace terrane
