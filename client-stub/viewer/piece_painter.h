// Draws pieces, ground that was cut off and is a body now: as ground is drawn, but turned with the
// body. A piece's node stands at its centre of mass.
#pragma once

#include <span>
#include <vector>

#include "client-stub/viewer/piece_meshes.h"
#include "client-stub/viewer/render_lists.h"
#include "client-stub/viewer/view_frame.h"
#include "shared/voxel/material.h"

namespace terrane {

class PiecePainter final : public Painter {
  public:
    static Result<PiecePainter> create();

    void set_materials(const MaterialTable& materials);
    /// Draws those of `bodies` that are pieces, as far as they are meshed: at most `mesh_count_max`
    /// more of them now.
    CullCounts collect(std::span<const VisibleBody> bodies, const ViewFrame& frame,
                       std::size_t mesh_count_max, RenderLists& lists);
    /// All of the last collect(), in view or not.
    std::span<const PlacedShape> shapes() const { return shapes_; }
    const PieceMeshes& meshes() const { return meshes_; }

    void begin_painting() override;
    void paint(std::uint32_t index) override;

  private:
    PiecePainter(GlProgram program, GlTable materials);

    GlProgram program_;
    GlTable materials_;
    PieceMeshes meshes_;
    std::vector<PlacedShape> shapes_;
};

}  // namespace terrane
