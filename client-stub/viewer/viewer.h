// terrane-viewer without its command line: owns context or window, renderer, session and script,
// and runs the frames. A frame in order:
//
//   events -> session (receive, inputs) -> poses -> camera -> meshes -> culling, lists, drawing
//
// Without a screen it waits until the chunks in view are there (or, with `frames`, only until it is
// let in), draws, saves and ends.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client-stub/viewer/chat_input.h"
#include "client-stub/viewer/events.h"
#include "client-stub/viewer/headless_context.h"
#include "client-stub/viewer/player_input.h"
#include "client-stub/viewer/renderer.h"
#include "client-stub/viewer/script.h"
#include "client-stub/viewer/viewer_options.h"
#include "client-stub/viewer/viewer_report.h"
#include "client-stub/viewer/window.h"
#include "client-stub/viewer/zone_view.h"
#include "shared/core/clock.h"

namespace terrane {

/// The HUD's share of events: the keys of the figures, and which material is placed.
class HudInput final : public EventReceiver {
  public:
    bool receive(const Event& event) override;

    /// F3: figures are wanted.
    bool has_figures() const { return has_figures_; }

    /// Among the materials that may be placed, from 0.
    std::size_t chosen() const { return chosen_; }

  private:
    std::size_t chosen_ = 0;
    bool has_figures_ = false;
};

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

    Result<void> open_target();
    Result<void> wait_for_view();
    Result<void> run_frame();
    Result<void> session_phase(Nanoseconds now);
    void send_input(ClientSession& session);
    Result<void> camera_phase(Nanoseconds now);
    void draw_phase(Nanoseconds now, const GlFramebuffer* target, ImageSize size);
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
    ImageSize drawing_size() const;

    ViewerOptions options_;
    Clock& clock_;
    // The context outlives everything that holds OpenGL's names.
    std::unique_ptr<HeadlessContext> headless_;
    std::unique_ptr<Window> window_;
    std::unique_ptr<Renderer> renderer_;
    std::optional<GlFramebuffer> picture_;  ///< headless: what frames are drawn into
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

    Camera camera_;
    ViewerReport report_;
};

}  // namespace terrane
