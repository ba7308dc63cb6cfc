// What lies over the picture: the aiming mark, a small cross with a gap in the middle, light with a
// dark rim so that it shows on snow and in caves.
#pragma once

#include "client-stub/viewer/render_lists.h"

namespace terrane {

class HudPainter final : public Painter {
  public:
    static Result<HudPainter> create();

    void collect(ImageSize size, RenderLists& lists);

    void begin_painting() override;
    void paint(std::uint32_t index) override;

  private:
    explicit HudPainter(GlProgram program);

    GlProgram program_;
    GlEmptyMesh square_;
    ImageSize size_;
};

}  // namespace terrane
