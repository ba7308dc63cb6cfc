// Draws the chunks' water: see-through by the depth below it, with the sky's mirror image growing
// towards grazing angles (Schlick's form of Fresnel's law), small waves that only turn the normal,
// the sun's glitter and a pale line along the shore.
#pragma once

#include <vector>

#include "client-stub/viewer/chunk_meshes.h"
#include "client-stub/viewer/render_lists.h"
#include "client-stub/viewer/view_frame.h"

namespace terrane {

class WaterPainter final : public Painter {
  public:
    static Result<WaterPainter> create();

    CullCounts collect(const ChunkMeshes& meshes, const ViewFrame& frame, RenderLists& lists);

    void begin_painting() override;
    void paint(std::uint32_t index) override;

  private:
    explicit WaterPainter(GlProgram program);

    GlProgram program_;
    std::vector<const ChunkParts*> visible_;
    Vec3 eye_{0.0F};
};

}  // namespace terrane
