#include "client-stub/viewer/zone_view.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "client-stub/viewer/debug_shapes.h"
#include "tests/support/delayed_stream.h"
#include "tests/support/virtual_zone.h"

using namespace terrane;
using namespace terrane::test;

namespace {

/// A zone and a viewer's eye on it.
struct WatchedZone {
    VirtualZone zone;
    DelayedStream* line = nullptr;
    ZoneView view;
    PlayerControls controls;
    std::vector<Brush> edits;
    int inputs = 0;

    /// `delay`: each way.
    explicit WatchedZone(const ZoneConfig& config, Nanoseconds delay = Nanoseconds(0))
        : zone(config), view(connect(delay), "viewer", 3, zone.clock.now()) {}

    std::unique_ptr<ByteStream> connect(Nanoseconds delay) {
        auto stream = std::make_unique<DelayedStream>(
            std::make_unique<LoopbackStream>(zone.carrier.connect()), zone.clock, delay, delay);
        line = stream.get();
        return stream;
    }
    void tick() {
        line->pass();
        zone.tick();
        const auto received = view.receive(zone.clock.now());
        REQUIRE_MESSAGE(received.has_value(), (received ? "" : received.error().message));
        view.send_inputs(zone.clock.now(), [this](ClientSession& session) {
            session.tick(controls, edits);
            edits.clear();
            ++inputs;
        });
    }
    void settle() {
        for (int i = 0; i < 400 && !view.is_settled(); ++i) {
            tick();
        }
        REQUIRE(view.is_settled());
    }
};

}  // namespace

TEST_CASE("zone_view: it is ready, then settled; every chunk it got waits to be meshed") {
    WatchedZone watched(test_zone_config());
    CHECK_FALSE(watched.view.is_ready());
    watched.settle();
    CHECK(watched.view.view_distance_m() == 96.0F);
    ChunkMeshes meshes;
    watched.view.pass_changes(meshes);
    CHECK(meshes.waiting_count() >= watched.view.replica().grid().chunk_count());
    ChunkMeshes again;
    watched.view.pass_changes(again);
    CHECK(again.waiting_count() == 0);
}

TEST_CASE("zone_view: one input a tick; walking moves the eye by less than a step a tick") {
    WatchedZone watched(test_zone_config());
    watched.settle();
    const int inputs_before = watched.inputs;
    const Vec3 start = watched.view.eye(watched.zone.clock.now());
    watched.controls.move_forward = 127;
    Vec3 before = start;
    for (int i = 0; i < 40; ++i) {
        watched.tick();
        const Vec3 eye = watched.view.eye(watched.zone.clock.now());
        CHECK(glm::length(eye - before) < 1.0F);
        before = eye;
    }
    CHECK(watched.inputs - inputs_before == 40);
    CHECK(glm::length(before - start) > 2.0F);
}

TEST_CASE("zone_view: poses lie between the last two states, part by part") {
    WatchedZone watched(test_zone_config());
    watched.settle();
    watched.controls.move_forward = 127;
    for (int i = 0; i < 20; ++i) {
        watched.tick();
    }
    const Nanoseconds now = watched.zone.clock.now();
    const Vec3 at_first = watched.view.eye(now);
    const Vec3 half_way = watched.view.eye(now + Nanoseconds(25'000'000));
    const Vec3 at_last = watched.view.eye(now + Nanoseconds(50'000'000));
    CHECK(glm::length(at_last - at_first) > 0.1F);
    CHECK(glm::length(half_way - 0.5F * (at_first + at_last)) < 1e-3F);
    CHECK(watched.view.eye(now + Nanoseconds(900'000'000)) == at_last);  // never beyond
}

TEST_CASE("A12 zone_view: contacts come while they are asked for, and bodies tell how they rest") {
    ZoneConfig config = test_zone_config();
    set_first_count(config, "crate", 3);
    WatchedZone watched(config);
    watched.settle();
    const DebugPicture& picture = watched.view.session().debug_picture();
    CHECK(picture.tick == 0);
    watched.view.show_debug(true, false);
    for (int i = 0; i < 40; ++i) {
        watched.tick();
    }
    CHECK(picture.tick > 0);
    CHECK_FALSE(picture.is_refused);
    CHECK(picture.afloat.empty());
    REQUIRE_FALSE(picture.touches.empty());
    for (const DebugTouch& touch : picture.touches) {
        CHECK(glm::length(touch.normal) == doctest::Approx(1.0F).epsilon(0.001));
        CHECK(touch.depth_m > -0.1F);
    }
    const auto bodies = watched.view.bodies(watched.zone.clock.now(), true);
    for (const VisibleBody& body : bodies) {
        CHECK((body.rest == BodyRest::player) == (body.id == watched.view.zone().player_id));
        CHECK((body.rest == BodyRest::fixed) == (body.id == 0));
    }
    watched.view.show_debug(false, false);
    for (int i = 0; i < 10; ++i) {
        watched.tick();
    }
    const std::uint32_t last = picture.tick;
    for (int i = 0; i < 20; ++i) {
        watched.tick();
    }
    CHECK(picture.tick == last);
}

TEST_CASE("A2 zone_view: the masks of its ground are those of the zone's") {
    WatchedZone watched(test_zone_config());
    watched.settle();
    const TerrainMasks& masks = watched.view.terrain().masks();
    DebugShapes shapes;
    add_cells(masks, watched.view.eye(watched.zone.clock.now()), shapes);
    CHECK(shapes.cubes.size() > 500);
    const TerrainMasks& zone_masks = watched.zone.zone->world().terrain.masks();
    const BrickCoord middle = brick_of(voxel_at(watched.view.prediction().own().position));
    for (int y = -2; y <= 2; ++y) {
        for (int x = -2; x <= 2; ++x) {
            const BrickCoord brick{middle.x + x, middle.y + y, middle.z};
            CHECK(masks.mask(brick) == zone_masks.mask(brick));
        }
    }
}

TEST_CASE("zone_view: bodies and another player are seen, the own body only if asked for") {
    ZoneConfig config = test_zone_config();
    set_first_count(config, "crate", 3);
    WatchedZone watched(config);
    ClientSession& other = watched.zone.connect("other");
    watched.settle();
    const Nanoseconds now = watched.zone.clock.now();
    const std::uint64_t own = watched.view.zone().player_id;
    const std::uint64_t others = other.replica()->zone().player_id;
    const auto has = [](const std::vector<VisibleBody>& bodies, std::uint64_t id) {
        return std::ranges::count(bodies, id, &VisibleBody::id);
    };
    const auto bodies = watched.view.bodies(now, false);
    CHECK(has(bodies, own) == 0);
    CHECK(has(bodies, others) == 1);
    CHECK(std::ranges::count(bodies, 1, &VisibleBody::kind) > 0);
    CHECK(has(watched.view.bodies(now, true), own) == 1);
    const auto props = has(bodies, 0);
    CHECK(watched.view.node_count() >= bodies.size() - static_cast<std::size_t>(props));
    std::ptrdiff_t known = 0;
    for (const auto& [chunk, standing] : watched.view.replica().props()) {
        known += std::ssize(standing);
    }
    CHECK(props == known);
}

TEST_CASE("zone_view: an edit reaches the meshes as the chunks around it, not all") {
    WatchedZone watched(test_zone_config());
    watched.settle();
    ChunkMeshes all;
    watched.view.pass_changes(all);
    const Vec3 foot = watched.view.replica().own().position;
    watched.edits.push_back(voxel_brush(BrushMode::dig, voxel_at(foot - Vec3{0.0F, 0.6F, 0.0F})));
    for (int i = 0; i < 5; ++i) {
        watched.tick();
    }
    ChunkMeshes changed;
    watched.view.pass_changes(changed);
    CHECK(watched.view.session().counters().edits_applied == 1);
    CHECK(changed.waiting_count() >= 1);
    CHECK(changed.waiting_count() <= 8);
}

TEST_CASE("zone_view: an own edit is in the picture before the zone has answered") {
    WatchedZone watched(test_zone_config());
    watched.settle();
    const VoxelCoord below = voxel_at(watched.view.replica().own().position - Vec3{0, 0.6F, 0});
    watched.edits.push_back(voxel_brush(BrushMode::dig, below));
    const std::uint64_t applied = watched.view.session().counters().edits_applied;
    watched.tick();  // receives, then sends
    CHECK(watched.view.session().counters().edits_applied == applied);
    CHECK(is_solid(watched.view.replica().grid().voxel(below)));
    CHECK_FALSE(is_solid(watched.view.grid().voxel(below)));
    ChunkMeshes changed;
    watched.view.pass_changes(changed);
    CHECK(changed.waiting_count() >= 1);
}

TEST_CASE("zone_view: who sits is drawn on the seat, with the eye above it") {
    ZoneConfig config = test_zone_config();
    set_first_count(config, "boat", 1);
    WatchedZone watched(config);
    watched.settle();
    const World& world = watched.zone.zone->world();
    REQUIRE_FALSE(world.bodies.empty());
    const std::uint64_t boat = world.bodies.begin()->first;
    const auto find = [&](std::uint64_t id) {
        const auto all = watched.view.bodies(watched.zone.clock.now(), true);
        const auto found = std::ranges::find(all, id, &VisibleBody::id);
        REQUIRE(found != all.end());
        return *found;
    };
    // Put beside the boat, then a press of use.
    watched.zone.zone->submit(TeleportCommand{
        watched.view.zone().player_id,
        world.scene.world(world.bodies.begin()->second.node).position + Vec3{1.2F, 0.3F, 0}});
    watched.settle();
    for (int i = 0; i < 5; ++i) {
        watched.tick();
    }
    watched.controls.buttons = kButtonUse;
    watched.tick();
    watched.controls.buttons = 0;
    for (int i = 0; i < 10; ++i) {
        watched.tick();
    }
    REQUIRE(watched.view.replica().own_seat().vehicle == boat);
    const VisibleBody own = find(watched.view.zone().player_id);
    CHECK(own.is_seated);
    const VisibleBody hull = find(boat);
    CHECK(glm::length(own.position - hull.position) < 1.5F);
    const Vec3 eye = watched.view.eye(watched.zone.clock.now());
    CHECK(eye.y - own.position.y == doctest::Approx(0.68 * 1.62).epsilon(0.01));
    CHECK(watched.view.prediction().is_seated());
}

TEST_CASE("zone_view: who stands on a moving body is drawn on it") {
    ZoneConfig config = test_zone_config();
    set_first_count(config, "boat", 1);
    WatchedZone watched(config, Nanoseconds(150'000'000));
    watched.settle();
    World& world = watched.zone.zone->world();
    const EntityId boat = world.bodies.begin()->first;
    const auto handle = world.bodies.begin()->second.handle;
    watched.zone.zone->submit(TeleportCommand{
        watched.view.zone().player_id, world.physics.state(handle).position + Vec3{0, 0.5F, 0}});
    watched.settle();
    for (int i = 0; i < 60; ++i) {
        watched.tick();
    }
    REQUIRE(watched.view.prediction().own().carrier == boat);
    float farthest_m = 0.0F;
    float boat_mps = 0.0F;
    for (int i = 0; i < 60; ++i) {
        world.physics.apply_impulse(handle, {60.0F, 0.0F, 0.0F},
                                    world.physics.state(handle).position);
        watched.tick();
        const Nanoseconds now = watched.zone.clock.now();
        const auto all = watched.view.bodies(now, true);
        const auto hull = std::ranges::find(all, boat, &VisibleBody::id);
        REQUIRE(hull != all.end());
        const Vec3 away = watched.view.eye(now) - hull->position;
        farthest_m = std::max(farthest_m, std::hypot(away.x, away.z));
        boat_mps = std::max(boat_mps, world.physics.state(handle).linear_velocity.x);
    }
    CHECK(boat_mps > 1.5F);
    CHECK(farthest_m < 0.25F);
}

TEST_CASE("zone_view: a session that ends says why") {
    WatchedZone watched(test_zone_config());
    watched.settle();
    watched.view.quit(watched.zone.clock.now());
    Result<void> received;
    for (int i = 0; i < 40 && received; ++i) {
        watched.zone.tick();
        received = watched.view.receive(watched.zone.clock.now());
    }
    REQUIRE_FALSE(received.has_value());
    CHECK(received.error().message.find("the zone ended the session") != std::string::npos);
}
