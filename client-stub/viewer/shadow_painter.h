// The sun's shadow map: depth of ground and bodies around the eye, seen along the sun's rays in
// parallel projection. The map is kept while it still fits: it is drawn anew when the ground has
// changed, when the eye has come nearer to its border, and for moving bodies every few frames; on
// a software rasteriser it costs as much as a third of the picture.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "client-stub/viewer/body_painter.h"
#include "client-stub/viewer/chunk_meshes.h"
#include "client-stub/viewer/render_lists.h"

namespace terrane {

/// What may move: bodies, and pieces.
using PlacedGroups = std::array<std::span<const PlacedShape>, 2>;

class ShadowPainter final : public Painter {
  public:
    /// `reach_m`: how far around the eye shadows are drawn.
    static Result<ShadowPainter> create(int side_pixels, float reach_m);

    /// Adds what throws a shadow to the shadow list, if the map must be drawn anew.
    void collect(const ChunkMeshes& meshes, const PlacedGroups& groups, const Vec3& eye,
                 const Vec3& sun_direction, RenderLists& lists);
    /// Draws the shadow list into the map, if collect() said so.
    void draw_map(const RenderLists& lists);
    /// Eye-relative metres to texture coordinates and depth of the map.
    Mat4 shadow_from_relative(const Vec3& eye) const;
    void bind_texture() const;

    void begin_painting() override;
    void paint(std::uint32_t index) override;

  private:
    struct Caster {
        const GlMesh* mesh = nullptr;
        std::size_t index_count = 0;
        Mat4 clip_from_mesh{1.0F};
    };
    ShadowPainter(GlProgram program, GlShadowMap map, float reach_m);

    bool must_draw(const ChunkMeshes& meshes, bool has_bodies, const Vec3& eye,
                   const Vec3& sun_direction);

    GlProgram program_;
    GlShadowMap map_;
    float reach_m_;
    Vec3 centre_{0.0F};             ///< of the map, zone space
    Mat4 clip_from_centred_{1.0F};  ///< from metres relative to the centre
    Vec3 sun_direction_{0.0F};
    std::uint64_t ground_version_ = 0;
    int frames_since_drawn_ = 0;
    bool is_drawn_ = false;
    bool is_due_ = false;
    std::vector<Caster> casters_;
};

}  // namespace terrane
