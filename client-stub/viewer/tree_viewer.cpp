#include "client-stub/viewer/tree_viewer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace terrane {

namespace {

constexpr float kFovDeg = 62.0F;
constexpr float kFlyMPerS = 20.0F;
constexpr std::uint32_t kHeapCount = 1000;
constexpr std::int64_t kStepsAtOnce = 100;
constexpr float kPickM = 10000.0F;
constexpr Vec4 kPicked{1.0F, 1.0F, 1.0F, 0.45F};
constexpr Nanoseconds kFrameLengthMin{1'000'000'000 / 60};

double to_ms(Nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

Aabb bounds_of(const Bvh& tree) {
    return tree.nodes.empty() ? Aabb{Vec3{-1.0F}, Vec3{1.0F}} : tree.nodes.front().box;
}

}  // namespace

TreeViewer::TreeViewer(const ViewerOptions& options, Clock& clock)
    : options_(options), clock_(clock), builder_(options.builder) {}

Result<std::unique_ptr<TreeViewer>> TreeViewer::open(const ViewerOptions& options, Clock& clock) {
    std::unique_ptr<TreeViewer> viewer(new TreeViewer(options, clock));
    auto target = open_view_target(options, "terrane: trees of boxes");
    if (!target) {
        return std::unexpected(target.error());
    }
    viewer->target_ = std::move(*target);
    viewer->report_.gl = describe_gl();
    viewer->level_ = options.level;
    viewer->step_ = options.step;
    viewer->add_heap(options.scene->box_count);
    const Aabb bounds = bounds_of(viewer->tree_);
    if (options.camera) {
        viewer->eye_ = options.camera->position;
        viewer->input_.look_at(options.camera->yaw, options.camera->pitch);
    } else {
        // From the south and above; the middle lies straight ahead.
        const Vec3 half = half_extents(bounds);
        viewer->eye_ = centre(bounds) + Vec3{0.0F, 0.55F, 1.0F} * 1.9F * std::max(half.x, half.z);
        viewer->input_.look_at(0.0F, -0.5028F);
    }
    return viewer;
}

void TreeViewer::add_heap(std::uint32_t count) {
    const std::uint32_t before = shown_count_;
    shown_count_ = std::min(before + count, kTreeSceneBoxesMax);
    if (all_boxes_.size() < shown_count_) {
        all_boxes_ = make_boxes(*options_.scene, shown_count_);
    }
    const Nanoseconds begin = clock_.now();
    for (std::uint32_t i = before; i < shown_count_; ++i) {
        dynamic_.insert(i, all_boxes_[i]);
    }
    const DynamicBvhStat stat = dynamic_.stat();
    fmt::print(
        "dynamic: {} boxes put in one by one in {:.2f} ms; {} nodes, depth {}, cost {:.1f}\n",
        shown_count_ - before, to_ms(clock_.now() - begin), stat.node_count, stat.depth, stat.cost);
    rebuild();
}

void TreeViewer::rebuild() {
    const std::span<const Aabb> boxes(all_boxes_.data(), shown_count_);
    const Nanoseconds begin = clock_.now();
    tree_ = build_bvh(boxes, {.builder = builder_});
    const TreeReport tree{"scene", std::string(name_of(builder_)), stat_of(tree_),
                          to_ms(clock_.now() - begin)};
    fmt::print("{}\n", describe(tree));
    std::fflush(stdout);
    report_.trees = {tree};
    picked_.reset();
    show();
}

void TreeViewer::show() {
    DebugShapes shapes;
    title_ = describe(report_.trees.front());
    step_ = std::min(step_, split_count(tree_));
    if (step_ > 0) {
        add_build(tree_, step_, shapes);
        const BuildStep last = build_step(tree_, step_);
        title_ +=
            fmt::format(" | split {} of {}: {} boxes into {} and {}", step_, split_count(tree_),
                        boxes_under(tree_, last.split).size(), boxes_under(tree_, last.left).size(),
                        boxes_under(tree_, last.left + 1).size());
    } else {
        add_tree(tree_, shapes, level_);
    }
    if (picked_ && step_ == 0) {
        const std::vector<Aabb> under = boxes_under(tree_, *picked_);
        for (const Aabb& box : under) {
            shapes.add(DebugCube{box, kPicked});
        }
        title_ +=
            fmt::format(" | level {}: {} boxes under the node ahead", *level_ + 1, under.size());
    }
    target_.renderer->set_debug(shapes);
    report_.debug = {"bvh", shapes.lines.size(), shapes.cubes.size(), shapes.left_out};
}

void TreeViewer::step(std::int64_t by) {
    const std::int64_t last = split_count(tree_);
    step_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(step_ + by, 0, last));
    show();
}

void TreeViewer::pick() {
    std::optional<std::uint32_t> ahead;
    if (level_) {
        ahead = pick_node(tree_, *level_, {eye_, camera_.direction(), kPickM});
    }
    if (ahead != picked_) {
        picked_ = ahead;
        show();
    }
}

Result<void> TreeViewer::run() {
    std::vector<Event> events;
    while (!is_done()) {
        const Nanoseconds begin = clock_.now();
        if (target_.window) {
            target_.window->poll(events);
        }
        const std::array<EventReceiver*, 2> receivers{this, &input_};
        dispatch(events, receivers);
        events.clear();
        move_camera(std::chrono::duration<float>(kFrameLengthMin).count());
        pick();
        draw(target_.framebuffer(), target_.size());
        if (target_.window) {
            target_.window->set_title(title_);
            target_.window->show();
        } else {
            finish_drawing();
        }
        report_.frame_ms.push_back(to_ms(clock_.now() - begin));
    }
    report_.size = options_.is_headless ? options_.size : target_.size();
    if (!options_.screenshot.empty()) {
        const auto draw_again = [&](const GlFramebuffer& picture, ImageSize size) {
            draw(&picture, size);
        };
        if (auto saved = save_picture(target_, options_.screenshot, draw_again); !saved) {
            return saved;
        }
    }
    return check_gl("the frames");
}

bool TreeViewer::is_done() const {
    const std::size_t drawn = report_.frame_ms.size();
    return is_closing_ ||
           (options_.frames ? drawn >= *options_.frames : options_.is_headless && drawn > 0);
}

/// Flies a window's camera by the keys that walk.
void TreeViewer::move_camera(float seconds) {
    const PlayerControls controls = input_.controls({});
    const Vec3 ahead = direction_of(input_.yaw(), input_.pitch());
    const Vec3 right = direction_of(input_.yaw() - 1.5708F, 0.0F);
    const float speed = kFlyMPerS * seconds * ((controls.buttons & kButtonRun) != 0 ? 4.0F : 1.0F);
    const float up = ((controls.buttons & kButtonJump) != 0 ? 1.0F : 0.0F) -
                     ((controls.buttons & kButtonDown) != 0 ? 1.0F : 0.0F);
    eye_ += speed * (static_cast<float>(controls.move_forward) / 127.0F * ahead +
                     static_cast<float>(controls.move_right) / 127.0F * right +
                     up * Vec3{0.0F, 1.0F, 0.0F});
    const ImageSize size = target_.size();
    const float aspect =
        static_cast<float>(size.width) / static_cast<float>(std::max(size.height, 1));
    const float reach_m = 6.0F * glm::length(half_extents(bounds_of(tree_)));
    camera_.set_lens(lens_of(kFovDeg, aspect, 0.1F, std::max(reach_m, 300.0F)));
    camera_.set_pose(eye_, input_.yaw(), input_.pitch());
}

void TreeViewer::draw(const GlFramebuffer* framebuffer, ImageSize size) {
    Scenery scenery;
    scenery.sun_direction = {0.1F, -0.8F, -0.5F};  // lines show best at night
    report_.last = target_.renderer->draw(grid_, scenery, camera_, framebuffer, size);
}

bool TreeViewer::receive(const Event& event) {
    if (event.kind == EventKind::close_asked) {
        is_closing_ = true;
        return true;
    }
    if (event.kind == EventKind::button_pressed && target_.window) {
        input_.set_grabbed(true);
        target_.window->grab_pointer(true);
        return true;
    }
    if (event.kind != EventKind::key_pressed) {
        return false;
    }
    if (event.key == Key::escape) {
        is_closing_ = !input_.is_grabbed();
        input_.set_grabbed(false);
        target_.window->grab_pointer(false);
    } else if (event.key == Key::enter || event.key == Key::backspace) {
        const bool is_fast = (input_.controls({}).buttons & kButtonRun) != 0;
        const std::int64_t by = is_fast ? kStepsAtOnce : 1;
        step(event.key == Key::enter ? by : -by);
    } else if (event.key == Key::e) {
        add_heap(kHeapCount);
    } else if (event.key == Key::t) {
        const auto* const now = std::ranges::find(kBvhBuilders, builder_);
        builder_ = now + 1 == std::end(kBvhBuilders) ? kBvhBuilders[0] : *(now + 1);
        rebuild();
    } else if (event.key >= Key::digit_1 && event.key <= Key::digit_9) {
        const auto level =
            static_cast<std::uint32_t>(event.key) - static_cast<std::uint32_t>(Key::digit_1);
        level_ = level_ == level ? std::nullopt : std::optional(level);
        picked_.reset();
        step_ = 0;
        show();
    } else {
        return false;
    }
    return true;
}

}  // namespace terrane
