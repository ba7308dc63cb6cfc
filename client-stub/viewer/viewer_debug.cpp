// The viewer's part that shows the debug views: asks the zone for what only it knows, and gives the
// renderer the shapes of this moment.
#include <cstdio>

#include "client-stub/viewer/debug_shapes.h"
#include "client-stub/viewer/debug_tree.h"
#include "client-stub/viewer/viewer.h"

namespace terrane {

namespace {

/// Made anew as often as the zone sends its contacts; a copy of the ground for every frame would
/// be most of the frame.
constexpr Nanoseconds kDebugEvery{100'000'000};

constexpr Vec4 kAsleep{0.10F, 0.25F, 1.0F, 0.65F};
constexpr Vec4 kHeld{1.0F, 0.04F, 0.06F, 0.75F};
constexpr Vec4 kAwake{1.0F, 0.45F, 0.05F, 0.65F};

bool needs_zone(DebugViewSet views) {
    return views.has(DebugView::contacts) || views.has(DebugView::water);
}

}  // namespace

/// One over the props, which stay, and one over all that may move.
void Viewer::add_trees(std::span<const VisibleBody> bodies) {
    const ZoneInfo& zone = zone_->zone();
    const PlayerSize player{zone.motion.radius_m, zone.motion.height_m};
    std::vector<VisibleBody> props;
    std::vector<VisibleBody> moving;
    for (const VisibleBody& body : bodies) {
        (body.rest == BodyRest::fixed ? props : moving).push_back(body);
    }
    const BuildConfig config{.builder = options_.builder, .leaf_objects_max = 1};
    report_.trees.clear();
    for (const auto& [name, members] : {std::pair{"props", &props}, std::pair{"moving", &moving}}) {
        const std::vector<Aabb> boxes = boxes_of(*members, zone.kinds, player);
        const Nanoseconds begin = clock_.now();
        const Bvh tree = build_bvh(boxes, config);
        const std::chrono::duration<double, std::milli> build_ms = clock_.now() - begin;
        report_.trees.push_back(
            {name, std::string(name_of(options_.builder)), stat_of(tree), build_ms.count()});
        add_tree(tree, debug_shapes_, options_.level);
    }
}

/// Of views that the zone must answer: an answer, or a refusal, is here.
Result<bool> Viewer::has_debug_answer() {
    const DebugViewSet views = hud_input_.views();
    if (!needs_zone(views)) {
        return true;
    }
    const DebugPicture& picture = zone_->session().debug_picture();
    if (picture.is_refused) {
        return fail("{}: the zone does not show its physics to this session (--debug {})",
                    options_.connect, names_of(views));
    }
    return picture.tick != 0;
}

void Viewer::ask_debug() {
    const DebugViewSet views = hud_input_.views();
    if (views == asked_views_) {
        return;
    }
    for (const DebugView view : kDebugViews) {
        if (views.has(view) && !asked_views_.has(view)) {
            fmt::print("{}: {}\n", name_of(view), legend_of(view));
            std::fflush(stdout);
        }
    }
    if (needs_zone(views) || needs_zone(asked_views_)) {
        zone_->show_debug(views.has(DebugView::contacts), views.has(DebugView::water));
    }
    asked_views_ = views;
    next_debug_at_ = Nanoseconds{0};
}

void Viewer::debug_phase(Nanoseconds now, std::span<VisibleBody> bodies) {
    const DebugViewSet views = hud_input_.views();
    if (views.has(DebugView::sleep)) {
        for (VisibleBody& body : bodies) {
            body.tint = body.rest == BodyRest::asleep  ? kAsleep
                        : body.rest == BodyRest::awake ? kAwake
                        : body.rest == BodyRest::held  ? kHeld
                                                       : Vec4{0.0F};
        }
    }
    if (now < next_debug_at_ && !options_.is_headless) {
        return;
    }
    next_debug_at_ = now + kDebugEvery;
    debug_shapes_.clear();
    const Vec3& eye = camera_.position();
    const DebugPicture& picture = zone_->session().debug_picture();
    if (views.has(DebugView::masks)) {
        add_masks(zone_->terrain().masks(), eye, debug_shapes_);
    }
    if (views.has(DebugView::cells)) {
        add_cells(zone_->terrain().masks(), eye, debug_shapes_);
    }
    if (views.has(DebugView::quads)) {
        add_quads(zone_->terrain(), eye, debug_shapes_);
    }
    if (views.has(DebugView::contacts)) {
        add_contacts(picture.touches, debug_shapes_);
    }
    if (views.has(DebugView::water)) {
        add_afloat(picture.afloat, debug_shapes_);
    }
    if (views.has(DebugView::bvh)) {
        add_trees(bodies);
    }
    target_.renderer->set_debug(debug_shapes_);
    report_.debug = {names_of(views), debug_shapes_.lines.size(), debug_shapes_.cubes.size(),
                     debug_shapes_.left_out};
}

/// What stands before the rest of the title.
std::string Viewer::debug_title() const {
    const DebugViewSet views = hud_input_.views();
    if (views.is_empty()) {
        return {};
    }
    const bool is_refused = needs_zone(views) && zone_->session().debug_picture().is_refused;
    return fmt::format(
        "[{}{}{}] ", names_of(views), is_refused ? ": refused by the zone" : "",
        debug_shapes_.left_out == 0 ? "" : fmt::format(": {} too many", debug_shapes_.left_out));
}

}  // namespace terrane
