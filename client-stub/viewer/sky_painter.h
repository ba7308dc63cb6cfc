// Draws the sky behind everything: one triangle over the whole picture at the far plane, so that it
// follows the camera by itself. Gradient, disc of sun or moon with its
// glow, stars, and drifting clouds.
#pragma once

#include "client-stub/viewer/render_lists.h"

namespace terrane {

class SkyPainter final : public Painter {
  public:
    static Result<SkyPainter> create();

    void collect(RenderLists& lists);

    void begin_painting() override;
    void paint(std::uint32_t index) override;

  private:
    explicit SkyPainter(GlProgram program);

    GlProgram program_;
    GlEmptyMesh triangle_;
};

}  // namespace terrane
