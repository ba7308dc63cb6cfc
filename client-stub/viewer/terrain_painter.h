// Draws the chunks' ground: material colours blended from vertex to vertex, roughened in the shader
// by noise in zone space (large faces are not flat, and nothing swims when the camera moves), lit
// by sun and sky, dark where little sky is seen. Also into the shadow map.
#pragma once

#include <vector>

#include "client-stub/viewer/chunk_meshes.h"
#include "client-stub/viewer/render_lists.h"
#include "client-stub/viewer/view_frame.h"

namespace terrane {

class TerrainPainter final : public Painter {
  public:
    static Result<TerrainPainter> create();

    void set_materials(const MaterialTable& materials);
    /// Culls the chunks and adds those in view to the solid list.
    CullCounts collect(const ChunkMeshes& meshes, const ViewFrame& frame, RenderLists& lists);

    void begin_painting() override;
    void paint(std::uint32_t index) override;

  private:
    TerrainPainter(GlProgram program, GlTable materials);

    GlProgram program_;
    GlTable materials_;
    struct Visible {
        const ChunkParts* parts = nullptr;
        std::size_t index_count = 0;
    };

    std::vector<Visible> visible_;
    Vec3 eye_{0.0F};
};

}  // namespace terrane
