// terrane-viewer without its command line: owns context or window, renderer, session and script,
// and runs the frames. A frame in order:
//
//   events -> session (receive, inputs) -> poses -> camera -> meshes, debug views
//   -> culling, lists, drawing
//
// Without a screen it waits until the chunks in view are there (or, with `frames`, only until it is
// let in), draws, saves and ends.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client-stub/viewer/chat_input.h"
#include "client-stub/viewer/events.h"
#include "client-stub/viewer/hud_input.h"
#include "client-stub/viewer/player_input.h"
#include "client-stub/viewer/script.h"
#include "client-stub/viewer/view_target.h"
#include "client-stub/viewer/viewer_options.h"
#include "client-stub/viewer/viewer_report.h"
#include "client-stub/viewer/zone_view.h"
#include "shared/core/clock.h"

namespace terrane {

class Viewer final : public EventReceiver {
  public:
    /// Connects, and opens window or context.
    static Result<std::unique_ptr<Viewer>> open(const ViewerOptions& options, Clock& clock);

    /// Runs to the end: of frames and script, or until the window is closed.
    Result<void> run();
    const ViewerReport& report() const { return report_; }

    /// The application's share of events.
    bool receive(const Event& event) override;

  private:
    Viewer(const ViewerOptions& options, Clock& clock);

    Result<void> wait_for_view();
    Result<void> run_frame();
    Result<void> session_phase(Nanoseconds now);
    void send_input(ClientSession& session);
    Result<void> camera_phase(Nanoseconds now);
    void draw_phase(Nanoseconds now, const GlFramebuffer* target, ImageSize size);
    void ask_debug();
    Result<bool> has_debug_answer();
    void debug_phase(Nanoseconds now, std::span<VisibleBody> bodies);
    void add_trees(std::span<const VisibleBody> bodies);
    std::string debug_title() const;
    Result<void> start_script_actions(double now_s);
    /// `line` of the script, 0 for a button's.
    void edit(BrushMode mode, MaterialId material, float radius, std::size_t line);
    MaterialId chosen_material() const;
    Result<MaterialId> find_material(const ScriptAction& action) const;
    Result<void> check_script_materials() const;
    void take_answers();
    void print_chats() const;
    /// What is typed, or the figures, or nothing.
    void show_title();
    Result<void> wait_for_answers();
    Result<void> save_picture(const std::string& path);
    bool is_done() const;

    ViewerOptions options_;
    Clock& clock_;
    ViewTarget target_;
    std::unique_ptr<ZoneView> zone_;
    bool has_tables_ = false;  ///< the renderer knows materials and kinds

    PlayerInput input_;
    HudInput hud_input_;
    ChatInput chat_input_;
    std::string title_;
    std::vector<Event> events_;
    std::optional<ScriptPlayer> script_;
    double script_s_ = 0.0;  ///< grows by whole ticks
    bool is_script_running_ = false;
    std::vector<Brush> edits_;
    std::vector<std::string> edit_names_;              ///< of edits_: "walk.txt:6: dig"
    std::map<std::uint32_t, std::string> unanswered_;  ///< by id, the script's edits
    int ticks_to_next_edit_ = 0;
    bool is_digging_ = false;  ///< a button is held
    bool is_placing_ = false;
    bool is_closing_ = false;

    DebugShapes debug_shapes_;
    DebugViewSet asked_views_;
    Nanoseconds next_debug_at_{0};

    Camera camera_;
    ViewerReport report_;
};

}  // namespace terrane
