// What frames are drawn into, with the renderer that draws: a window, or without a screen a picture
// of its own. Pictures of the best quality are drawn larger and scaled down.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client-stub/viewer/headless_context.h"
#include "client-stub/viewer/renderer.h"
#include "client-stub/viewer/viewer_options.h"
#include "client-stub/viewer/window.h"

namespace terrane {

struct ViewTarget {
    // The context comes first: it outlives everything that holds OpenGL's names.
    std::unique_ptr<HeadlessContext> headless;
    std::unique_ptr<Window> window;  ///< null: no screen
    std::unique_ptr<Renderer> renderer;
    std::optional<GlFramebuffer> picture;  ///< without a screen
    ImageSize asked_size;                  ///< of pictures that are saved

    /// What is drawn, in pixels.
    ImageSize size() const;
    /// Null: the window.
    const GlFramebuffer* framebuffer() const { return picture ? &*picture : nullptr; }
};

Result<ViewTarget> open_view_target(const ViewerOptions& options, const std::string& title);
/// Saves the last frame as PNG and says so. A window's own pixels are undefined once shown:
/// `draw_again` draws the frame into what it is given.
Result<void> save_picture(const ViewTarget& target, const std::string& path,
                          const std::function<void(const GlFramebuffer&, ImageSize)>& draw_again);

}  // namespace terrane
