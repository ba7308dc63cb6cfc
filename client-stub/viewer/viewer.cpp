#include "client-stub/viewer/viewer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "client-stub/viewer/placeable_materials.h"
#include "shared/protocol/limits.h"
#include "shared/voxel/voxel_ray.h"

namespace terrane {

namespace {

constexpr Nanoseconds kConnectTimeout{5'000'000'000};
constexpr Nanoseconds kViewTimeout{20'000'000'000};
constexpr Nanoseconds kPollEvery{4'000'000};
constexpr Nanoseconds kFrameLengthMin{1'000'000'000 / 60};
constexpr std::size_t kMeshesPerFrame = 6;
constexpr std::size_t kMeshesAtOnce = 64;
constexpr float kFovDeg = 62.0F;
constexpr float kNearM = 0.08F;
/// Ticks between the edits of a button that is held down.
constexpr int kEditEveryTicks = 5;
constexpr std::size_t kFramesPerTitle = 15;

double to_ms(Nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

std::int32_t to_brush_units(float metres) {
    return static_cast<std::int32_t>(std::floor(metres * static_cast<float>(kBrushUnitsPerVoxel)));
}

}  // namespace

Viewer::Viewer(const ViewerOptions& options, Clock& clock) : options_(options), clock_(clock) {}

Result<std::unique_ptr<Viewer>> Viewer::open(const ViewerOptions& options, Clock& clock) {
    std::unique_ptr<Viewer> viewer(new Viewer(options, clock));
    if (!options.script.empty()) {
        auto script = read_script(options.script);
        if (!script) {
            return std::unexpected(script.error());
        }
        viewer->script_.emplace(std::move(*script));
    }
    const auto address = parse_host_port(options.connect);
    if (!address) {
        return std::unexpected(address.error());
    }
    viewer->hud_input_.show(options.debug);
    auto stream = connect_tcp(*address, kConnectTimeout);
    if (!stream) {
        return std::unexpected(stream.error());
    }
    viewer->zone_ = std::make_unique<ZoneView>(std::move(*stream), options.name,
                                               options.view_chunks, clock.now());
    auto target = open_view_target(options, "terrane: " + options.connect);
    if (!target) {
        return std::unexpected(target.error());
    }
    viewer->target_ = std::move(*target);
    viewer->report_.gl = describe_gl();
    return viewer;
}

Result<void> Viewer::run() {
    if (options_.is_headless) {
        if (auto waited = wait_for_view(); !waited) {
            return waited;
        }
    }
    is_script_running_ = script_.has_value();
    while (!is_done()) {
        const Nanoseconds begin = clock_.now();
        if (auto drawn = run_frame(); !drawn) {
            return drawn;
        }
        report_.frame_ms.push_back(to_ms(clock_.now() - begin));
        if (options_.is_headless) {
            clock_.sleep_until(begin + kFrameLengthMin);
        }
    }
    if (script_ && !is_closing_) {
        if (auto waited = wait_for_answers(); !waited) {
            return waited;
        }
    }
    report_.nodes = zone_->is_ready() ? zone_->node_count() : 0;
    report_.corrections = zone_->is_ready() ? zone_->prediction().counters().corrections : 0;
    report_.chunks_loaded = zone_->is_ready() ? zone_->replica().grid().chunk_count() : 0;
    report_.size = options_.is_headless ? options_.size : target_.size();
    if (!options_.screenshot.empty()) {
        if (auto saved = save_picture(options_.screenshot); !saved) {
            return saved;
        }
    }
    zone_->quit(clock_.now());
    return check_gl("the frames");
}

Result<void> Viewer::wait_for_view() {
    const Nanoseconds deadline = clock_.now() + kViewTimeout;
    const auto is_waiting = [&] {
        return options_.frames ? !zone_->is_ready() : !zone_->is_settled();
    };
    bool has_answer = false;
    while (is_waiting() || !has_answer) {
        if (auto received = session_phase(clock_.now()); !received) {
            return received;
        }
        const auto answer = has_debug_answer();
        if (!answer) {
            return std::unexpected(answer.error());
        }
        has_answer = *answer;
        if (clock_.now() > deadline) {
            return fail("{}: {} after {} s", options_.connect,
                        !zone_->is_ready() ? "no welcome"
                        : is_waiting()     ? "chunks are still arriving"
                                           : "no debug view of its physics",
                        kViewTimeout.count() / 1'000'000'000);
        }
        clock_.sleep_until(clock_.now() + kPollEvery);
    }
    if (!options_.frames) {
        // All that is there, before the first frame.
        do {
            target_.renderer->meshes().update(zone_->grid(), zone_->eye(clock_.now()),
                                              kMeshesAtOnce);
            if (auto received = session_phase(clock_.now()); !received) {
                return received;
            }
        } while (target_.renderer->meshes().waiting_count() > 0);
    }
    return {};
}

bool Viewer::is_done() const {
    if (is_closing_) {
        return true;
    }
    const bool is_script_over = !script_ || script_->is_over(script_s_);
    if (options_.frames) {
        return report_.frame_ms.size() >= *options_.frames;
    }
    return options_.is_headless && is_script_over && !report_.frame_ms.empty();
}

Result<void> Viewer::run_frame() {
    if (target_.window) {
        target_.window->poll(events_);
    }
    const std::array<EventReceiver*, 4> receivers{&chat_input_, &input_, &hud_input_, this};
    dispatch(events_, receivers);
    events_.clear();
    if (const auto line = chat_input_.take_finished()) {
        zone_->say(*line);
    }

    const Nanoseconds now = clock_.now();
    if (auto received = session_phase(now); !received) {
        return received;
    }
    if (auto started = camera_phase(now); !started) {
        return started;
    }
    if (zone_->is_ready()) {
        target_.renderer->meshes().update(zone_->grid(), camera_.position(),
                                          options_.is_headless ? kMeshesAtOnce : kMeshesPerFrame);
        draw_phase(now, target_.framebuffer(), target_.size());
    }
    if (target_.window) {
        show_title();
        target_.window->show();
    } else {
        finish_drawing();
    }
    return {};
}

Result<void> Viewer::session_phase(Nanoseconds now) {
    const bool was_ready = zone_->is_ready();
    if (auto received = zone_->receive(now); !received) {
        return received;
    }
    take_answers();
    print_chats();
    if (!zone_->is_ready()) {
        return {};
    }
    if (!was_ready) {
        const ZoneInfo& zone = zone_->zone();
        target_.renderer->set_materials(zone.materials);
        target_.renderer->set_kinds(zone.kinds, {zone.motion.radius_m, zone.motion.height_m});
        if (auto checked = script_ ? check_script_materials() : Result<void>(); !checked) {
            return checked;
        }
    }
    ask_debug();
    zone_->pass_changes(target_.renderer->meshes());
    zone_->send_inputs(now, [this](ClientSession& session) { send_input(session); });
    return {};
}

void Viewer::send_input(ClientSession& session) {
    std::vector<ScriptAction> moves;
    if (is_script_running_) {
        moves = script_->moves_at(script_s_);
        script_s_ += 1.0 / static_cast<double>(zone_->zone().tick_rate_hz);
    }
    if ((is_digging_ || is_placing_) && --ticks_to_next_edit_ <= 0) {
        ticks_to_next_edit_ = kEditEveryTicks;
        edit(is_digging_ ? BrushMode::dig : BrushMode::place, chosen_material(), 0.0F, 0);
    }
    edits_.resize(std::min(edits_.size(), kEditsPerInputMax));
    const std::uint32_t first_id = session.tick(input_.controls(moves), edits_);
    input_.ask_use(false);
    for (std::size_t i = 0; i < edits_.size() && first_id != 0; ++i) {
        if (!edit_names_[i].empty()) {
            unanswered_[first_id + static_cast<std::uint32_t>(i)] = edit_names_[i];
        }
    }
    edits_.clear();
    edit_names_.clear();
}

Result<void> Viewer::camera_phase(Nanoseconds now) {
    if (is_script_running_ && zone_->is_ready()) {
        if (auto started = start_script_actions(script_s_); !started) {
            return started;
        }
    }
    const ImageSize size = target_.size();
    const float aspect =
        static_cast<float>(size.width) / static_cast<float>(std::max(size.height, 1));
    const float far_m = zone_->is_ready() ? 1.1F * zone_->view_distance_m() : 300.0F;
    camera_.set_lens(lens_of(kFovDeg, aspect, kNearM, far_m));
    if (options_.camera) {
        camera_.set_pose(options_.camera->position, options_.camera->yaw, options_.camera->pitch);
    } else if (zone_->is_ready()) {
        camera_.set_pose(zone_->eye(now), input_.yaw(), input_.pitch());
    }
    return {};
}

void Viewer::draw_phase(Nanoseconds now, const GlFramebuffer* target, ImageSize size) {
    std::vector<VisibleBody> bodies = zone_->bodies(now, options_.camera.has_value());
    if (!hud_input_.views().is_empty() || !debug_shapes_.is_empty()) {
        debug_phase(now, bodies);
    }
    Scenery scenery;
    scenery.bodies = bodies;
    scenery.sun_direction = zone_->sun_direction(now);
    scenery.view_distance_m = zone_->view_distance_m();
    // The zone's time: two viewers see the same waves.
    scenery.seconds = static_cast<float>(zone_->replica().tick()) /
                      static_cast<float>(zone_->zone().tick_rate_hz);
    scenery.has_aiming_mark = !options_.camera;
    if (options_.is_headless) {
        scenery.piece_meshes_max = kPieceMeshesMax;  // a picture shows what is there
    }
    report_.last = target_.renderer->draw(zone_->grid(), scenery, camera_, target, size);
}

/// At what the eye aims at within reach; without a target nothing is sent.
void Viewer::edit(BrushMode mode, MaterialId material, float radius, std::size_t line) {
    const Replica& replica = zone_->replica();
    const Vec3 eye = zone_->aiming_eye();
    const Vec3 direction = direction_of(input_.yaw(), input_.pitch());
    const auto hit = raycast_voxels(zone_->grid(), Ray{eye, direction, replica.zone().reach_m});
    if (!hit) {
        return;
    }
    const VoxelCoord voxel = mode == BrushMode::place ? hit->before : hit->voxel;
    Brush brush = voxel_brush(mode, voxel, material);
    if (radius > 0.0F) {
        const Vec3 centre = eye + hit->t * direction;
        brush.shape = BrushShape::sphere;
        brush.centre_x = to_brush_units(centre.x);
        brush.centre_y = to_brush_units(centre.y);
        brush.centre_z = to_brush_units(centre.z);
        brush.size_x = static_cast<std::uint8_t>(std::min(to_brush_units(radius), 255));
    }
    edits_.push_back(brush);
    edit_names_.push_back(line == 0 ? ""
                                    : fmt::format("{}:{}: {}", options_.script, line,
                                                  mode == BrushMode::dig ? "dig" : "place"));
}

MaterialId Viewer::chosen_material() const {
    const std::vector<MaterialId> placeable = placeable_materials(zone_->zone().materials);
    return placeable.empty() ? kFirstSolid
                             : placeable[std::min(hud_input_.chosen(), placeable.size() - 1)];
}

bool Viewer::receive(const Event& event) {
    switch (event.kind) {
        case EventKind::close_asked:
            is_closing_ = true;
            return true;
        case EventKind::key_pressed:
            if (event.key != Key::escape) {
                return false;
            }
            is_closing_ = !input_.is_grabbed();
            is_digging_ = is_placing_ = false;
            input_.set_grabbed(false);
            target_.window->grab_pointer(false);
            return true;
        case EventKind::button_pressed:
            if (!input_.is_grabbed()) {  // the first click only takes the pointer
                input_.set_grabbed(true);
                target_.window->grab_pointer(true);
                return true;
            }
            is_digging_ = event.button == PointerButton::left;
            is_placing_ = event.button == PointerButton::right;
            ticks_to_next_edit_ = 0;
            return true;
        case EventKind::button_released:
        case EventKind::focus_lost:
            is_digging_ = is_placing_ = false;
            return true;
        default:
            return false;
    }
}

Result<void> Viewer::save_picture(const std::string& path) {
    return terrane::save_picture(target_, path, [&](const GlFramebuffer& picture, ImageSize size) {
        if (zone_->is_ready()) {
            draw_phase(clock_.now(), &picture, size);
        }
    });
}

void Viewer::print_chats() const {
    for (const ChatEvent& chat : zone_->chats()) {
        fmt::print("{}{}{}\n", chat.sender.empty() ? "*" : chat.sender,
                   chat.sender.empty() ? " " : ": ", chat.text);
        std::fflush(stdout);
    }
}

void Viewer::show_title() {
    std::string title = debug_title() + "terrane: " + options_.connect;
    if (chat_input_.is_open()) {
        title = "say: " + chat_input_.line() + "_";
    } else if (hud_input_.has_figures() && zone_->is_ready() && !report_.frame_ms.empty()) {
        if (report_.frame_ms.size() % kFramesPerTitle != 0) {
            return;
        }
        const Prediction& prediction = zone_->prediction();
        const Vec3 foot = prediction.own().position;
        title = fmt::format(
            "{}{:.1f} ms | {} chunks, {} nodes | {} draws | {} corrections | {} ms behind | "
            "{:.1f} {:.1f} {:.1f}",
            debug_title(), report_.frame_ms.back(), zone_->grid().chunk_count(),
            zone_->node_count(), report_.last.draw_calls, prediction.counters().corrections,
            1000 * prediction.inputs_waiting() / zone_->zone().tick_rate_hz, foot.x, foot.y,
            foot.z);
    }
    if (title != title_) {
        title_ = title;
        target_.window->set_title(title_);
    }
}

}  // namespace terrane
