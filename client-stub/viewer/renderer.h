// The one renderer, for windows and for pictures without a screen: it gets the voxels, the bodies
// and a camera, and draws a frame into whatever framebuffer is bound. In order: camera matrices and
// frustum, culling, render lists, shadow map, lists. An OpenGL context must be current.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "client-stub/viewer/body_painter.h"
#include "client-stub/viewer/camera.h"
#include "client-stub/viewer/chunk_meshes.h"
#include "client-stub/viewer/daylight_look.h"
#include "client-stub/viewer/debug_painter.h"
#include "client-stub/viewer/hud_painter.h"
#include "client-stub/viewer/piece_painter.h"
#include "client-stub/viewer/shading.h"
#include "client-stub/viewer/shadow_painter.h"
#include "client-stub/viewer/sky_painter.h"
#include "client-stub/viewer/terrain_painter.h"
#include "client-stub/viewer/water_painter.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {

struct RendererConfig {
    bool has_shadows = true;
    int shadow_pixels = 2048;
    float shadow_reach_m = 90.0F;
};

/// What stands in the world beside its voxels.
struct Scenery {
    std::span<const VisibleBody> bodies;
    /// Towards the sun, below the horizon at night; need not be a unit vector.
    Vec3 sun_direction{0.46F, 0.62F, 0.36F};
    float view_distance_m = 256.0F;
    float seconds = 0.0F;  ///< moves waves and clouds
    bool has_aiming_mark = false;
    /// How many pieces that are new may be meshed for this frame.
    std::size_t piece_meshes_max = 4;
};

struct FrameCounts {
    std::size_t chunks = 0;  ///< drawn
    std::size_t bodies = 0;  ///< drawn, pieces too
    std::size_t pieces = 0;  ///< drawn
    std::size_t culled = 0;  ///< chunks and bodies
    std::uint64_t draw_calls = 0;
};

class Renderer {
  public:
    static Result<std::unique_ptr<Renderer>> create(const RendererConfig& config);

    void set_materials(const MaterialTable& materials) {
        terrain_.set_materials(materials);
        pieces_.set_materials(materials);
    }
    void set_kinds(const BodyKindTable& kinds, const PlayerSize& player) {
        bodies_.set_kinds(kinds, player);
    }
    /// Drawn over the scene from now on.
    void set_debug(const DebugShapes& shapes) { debug_.upload(shapes); }
    ChunkMeshes& meshes() { return meshes_; }
    const ChunkMeshes& meshes() const { return meshes_; }
    const PieceMeshes& piece_meshes() const { return pieces_.meshes(); }

    /// Draws into `target`, or into the window if it is null; `size` in pixels.
    FrameCounts draw(const VoxelGrid& grid, const Scenery& scenery, Camera& camera,
                     const GlFramebuffer* target, ImageSize size);

  private:
    Renderer(TerrainPainter terrain, WaterPainter water, SkyPainter sky, BodyPainter bodies,
             PiecePainter pieces, HudPainter hud, DebugPainter debug);
    void upload_frame(const VoxelGrid& grid, const Scenery& scenery, const DaylightLook& look,
                      Camera& camera);

    ChunkMeshes meshes_;
    TerrainPainter terrain_;
    WaterPainter water_;
    SkyPainter sky_;
    BodyPainter bodies_;
    PiecePainter pieces_;
    HudPainter hud_;
    DebugPainter debug_;
    std::unique_ptr<ShadowPainter> shadow_;  ///< null: no shadows
    GlUniformBlock frame_block_;
    RenderLists lists_;
};

}  // namespace terrane
