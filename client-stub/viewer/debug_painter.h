// Draws the shapes of the debug views over the scene: cubes as translucent faces with a rim, lines
// as strips of a width in pixels (OpenGL's own lines are one pixel wide). Both are pulled a little
// towards the eye, so that what lies on a surface is seen. Neither light nor fog touches them:
// colours mean something.
#pragma once

#include <span>

#include "client-stub/viewer/debug_shapes.h"
#include "client-stub/viewer/render_lists.h"

namespace terrane {

class DebugPainter final : public Painter {
  public:
    static Result<DebugPainter> create();

    /// Replaces what is drawn from now on.
    void upload(const DebugShapes& shapes);
    void collect(ImageSize size, RenderLists& lists);

    void begin_painting() override {}
    void paint(std::uint32_t index) override;

  private:
    DebugPainter(GlProgram line_program, GlProgram face_program);

    GlProgram line_program_;
    GlProgram face_program_;
    GlMesh faces_;
    GlMesh lines_;
    GlMesh lines_over_;
    ImageSize size_;
};

}  // namespace terrane
