// `--scene boxes:COUNT`: a tree of boxes without a zone, to look at what a builder makes of them.
// In a window the camera flies (WASD, space, control, the mouse), and
//   1-9   show the boxes of this level alone, and filled the objects under the node that lies
//         in the middle of the view; again: all levels
//   Enter steps through the build, split by split; Backspace steps back; with shift 100 at once;
//         before the first split: the whole tree again
//   E     adds a heap of boxes: one by one to a dynamic tree and by building anew, both timed
//   T     takes the next builder
//   Esc   frees the mouse, and then quits
// The title tells builder, boxes, nodes, depth, cost and milliseconds; a picture shows the scene
// from outside, or from --camera.
#pragma once

#include <memory>
#include <optional>

#include "client-stub/viewer/debug_tree.h"
#include "client-stub/viewer/player_input.h"
#include "client-stub/viewer/view_target.h"
#include "client-stub/viewer/viewer_report.h"
#include "shared/bvh/dynamic_bvh.h"
#include "shared/core/clock.h"

namespace terrane {

class TreeViewer final : public EventReceiver {
  public:
    /// `options.scene` is there. Opens window or context and builds the tree.
    static Result<std::unique_ptr<TreeViewer>> open(const ViewerOptions& options, Clock& clock);

    /// Until the window is closed, or --frames (without a screen: 1) are drawn.
    Result<void> run();
    const ViewerReport& report() const { return report_; }

    bool receive(const Event& event) override;

  private:
    TreeViewer(const ViewerOptions& options, Clock& clock);

    void add_heap(std::uint32_t count);
    /// Builds the tree and its shapes, and prints a line about it.
    void rebuild();
    void show();
    /// With a level: the node in the middle of the view.
    void pick();
    /// Shows the build after `by` more splits, or fewer.
    void step(std::int64_t by);
    void move_camera(float seconds);
    void draw(const GlFramebuffer* framebuffer, ImageSize size);
    bool is_done() const;

    ViewerOptions options_;
    Clock& clock_;
    ViewTarget target_;
    VoxelGrid grid_;  ///< stays empty
    PlayerInput input_;
    Camera camera_;
    Vec3 eye_{0.0F};
    std::vector<Aabb> all_boxes_;  ///< of which the first shown_count_ are in the trees
    std::uint32_t shown_count_ = 0;
    BvhBuilder builder_ = BvhBuilder::sah;
    Bvh tree_;
    DynamicBvh dynamic_{};
    std::optional<std::uint32_t> level_;
    std::optional<std::uint32_t> picked_;  ///< a node of it
    std::uint32_t step_ = 0;               ///< of the build, 0: it is shown whole
    std::string title_;
    bool is_closing_ = false;
    ViewerReport report_;
};

}  // namespace terrane
