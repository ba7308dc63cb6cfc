#include "client-stub/session/prediction.h"

#include <limits>

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/client-stub/session/scripted_zone.h"

namespace terrane::test {
namespace {

using namespace std::chrono_literals;

constexpr Vec3 kStart{16.0F, 32.1F, 16.0F};

ClientSessionConfig predicting_config() {
    ClientSessionConfig config;
    config.name = "ann";
    config.view_chunks = 3;
    config.is_predicting = true;
    return config;
}

/// The zone's end by hand: its own ground of 32 m of rock, one player, and the inputs that have
/// come, run with the zone's order of things as late as the test wants.
struct FlatZone {
    ScriptedZone wire;
    ClientSession session{wire.stream(), predicting_config(), 0s};
    VoxelGrid grid{small_welcome().bounds};
    Terrain terrain{grid};
    MotionWorld motion;
    PlayerState own;
    std::uint32_t tick = 100;
    std::uint32_t applied = 0;
    Nanoseconds now = 0s;

    explicit FlatZone(bool has_chunks = true) {
        for (std::int32_t z = -2; z < 2; ++z) {
            for (std::int32_t x = -2; x < 2; ++x) {
                for (std::int32_t y = 0; y < 2; ++y) {
                    grid.insert({x, y, z},
                                uniform_chunk(y == 0 ? Voxel{kRock, kFullOccupancy} : kAirVoxel));
                    terrain.chunk_arrived({x, y, z});
                }
            }
        }
        motion.terrain = &terrain;
        own.position = kStart;
        REQUIRE(wire.next() != nullptr);
        wire.send(encode_welcome(small_welcome()));
        if (has_chunks) {
            for (const ChunkCoord& c : grid.sorted_coords()) {
                wire.send_chunk(c, *grid.find(c));
            }
        }
        PlayerControls still;
        for (int i = 0; i < 60; ++i) {
            step_player(own, still, {}, motion, 1.0F / 60.0F);
        }
        send_state();
    }
    const Prediction& prediction() const { return *session.prediction(); }
    StateMessage state() {
        StateMessage state = state_at(++tick, applied);
        state.own = own;
        return state;
    }
    void send(const StateMessage& state) {
        wire.send(encode_state(state));
        session.receive(now);
        REQUIRE_MESSAGE(session.state() == ClientSessionState::playing, session.leave_text());
    }
    void send_state() { send(state()); }
    /// One client tick.
    void input(const PlayerControls& controls, const std::vector<Brush>& edits = {}) {
        now += 50ms;
        session.tick(controls, edits);
    }
    /// The zone runs the next input that has come. Edits are applied unless they are refused.
    void run(bool is_refusing = false) {
        const wire::ToServer* message = wire.next();
        REQUIRE(message != nullptr);
        const wire::Input& sent = *message->message_as_Input();
        const std::uint32_t count = sent.edits() == nullptr ? 0 : sent.edits()->size();
        for (std::uint32_t i = 0; i < count; ++i) {
            const wire::EditRequest& edit = *sent.edits()->Get(i);
            const Brush brush = from_wire(edit);
            if (is_refusing) {
                wire.send(encode_reject(edit.id(), wire::RejectReason::too_far, {0, 0, 0}, 0));
                continue;
            }
            apply(brush, {edit.id()});
        }
        for (int substep = 0; substep < 3; ++substep) {
            step_player(own, from_wire(*sent.controls()), {}, motion, 1.0F / 60.0F);
        }
        applied = sent.tick();
    }
    void apply(const Brush& brush, const std::vector<std::uint32_t>& edits = {}) {
        for (const AppliedOp& op : apply_brush(grid, brush)) {
            terrain.voxels_changed(op.changed);
            wire.send(encode_chunk_ops(op.chunk, op.revision, std::vector{op.op}, edits));
        }
    }
    Vec3 picture() const { return prediction().own().position + prediction().picture_offset(now); }
    bool is_grid_equal() const {
        for (const ChunkCoord& c : grid.sorted_coords()) {
            const Chunk* here = prediction().grid().find(c);
            if (here == nullptr || hash_chunk(*here) != hash_chunk(*grid.find(c))) {
                return false;
            }
        }
        return true;
    }
};

PlayerControls forward() {
    PlayerControls controls;
    controls.move_forward = 127;
    return controls;
}

/// The ground under the player's feet.
Brush dig_below(const PlayerState& own) {
    Brush brush = voxel_brush(BrushMode::dig, voxel_at(own.position - Vec3(0, 0.5F, 0)));
    brush.shape = BrushShape::sphere;
    brush.size_x = 24;
    return brush;
}

TEST_CASE("prediction: inputs take effect at once, and the zone's word later is the same") {
    FlatZone zone;
    for (int i = 0; i < 40; ++i) {
        zone.input(forward());
        if (i >= 5) {  // a quarter of a second each way
            zone.run();
            zone.send_state();
        }
    }
    CHECK(zone.prediction().own().position.z < kStart.z - 7.0F);
    CHECK(zone.prediction().own().position.z < zone.own.position.z - 1.0F);  // ahead of the zone
    CHECK(zone.prediction().counters().corrections == 0);
    CHECK(zone.prediction().counters().replays <= 1);  // the first state had no input to compare
    for (int i = 0; i < 5; ++i) {
        zone.run();
        zone.send_state();
    }
    CHECK(zone.prediction().own().position == zone.own.position);
    CHECK(zone.prediction().inputs_waiting() == 0);
}

TEST_CASE("prediction: the own ground dug away while walking is no surprise") {
    FlatZone zone;
    for (int i = 0; i < 120; ++i) {
        std::vector<Brush> edits;
        if (i % 6 == 3) {
            edits.push_back(dig_below(zone.prediction().own()));
        }
        zone.input(forward(), edits);
        if (i >= 6) {
            zone.run();
            zone.send_state();
        }
    }
    CHECK(zone.prediction().own().position.y < kStart.y - 0.5F);
    CHECK(zone.prediction().counters().corrections == 0);
    CHECK(zone.prediction().guesses().confirmed > 10);
}

TEST_CASE("prediction: with bodies near, every state is replayed with the ground of then") {
    FlatZone zone;
    for (int i = 0; i < 60; ++i) {
        std::vector<Brush> edits;
        if (i % 6 == 3) {
            edits.push_back(dig_below(zone.prediction().own()));
        }
        zone.input(forward(), edits);
        if (i >= 6) {
            zone.run();
            StateMessage state = zone.state();
            if (i == 6) {
                state.enters = {{.slot = 0, .generation = 0, .kind = 1, .id = 9, .name = ""}};
                state.nodes = {node_at({22.0F, 32.5F, 10.0F}, 0, 0, kNodeAsleep)};
            }
            zone.send(state);
        }
    }
    CHECK(zone.prediction().counters().replays > 40);
    CHECK(zone.prediction().counters().corrections == 0);
}

TEST_CASE("prediction: refused edits under the own feet roll back to the zone's ground and place") {
    FlatZone zone;
    for (int i = 0; i < 30; ++i) {
        std::vector<Brush> edits;
        if (i == 4) {
            edits.push_back(dig_below(zone.prediction().own()));
        }
        zone.input(PlayerControls{}, edits);
        if (i == 9) {
            CHECK(zone.prediction().own().position.y < 31.8F);  // fell in
        }
        if (i >= 6) {
            zone.run(true);
            zone.send_state();
        }
    }
    CHECK(zone.prediction().guesses().refused == 1);
    CHECK(zone.prediction().counters().corrections >= 1);
    CHECK(zone.is_grid_equal());
    while (zone.prediction().inputs_waiting() > 0) {
        zone.run(true);
        zone.send_state();
    }
    CHECK(zone.prediction().own().position == zone.own.position);
    CHECK(zone.own.position.y > 31.9F);
}

TEST_CASE(
    "prediction: somebody else's wall in the way is smooth in the picture and true in the end") {
    FlatZone zone;
    Vec3 shown = zone.picture();
    float longest_m = 0.0F;
    for (int i = 0; i < 60; ++i) {
        zone.input(forward());
        if (i == 10) {
            Brush wall = voxel_brush(BrushMode::place, voxel_at(zone.own.position), kPlanks);
            wall.shape = BrushShape::box;
            wall.centre_z -= 16;
            wall.size_x = wall.size_y = 64;
            wall.size_z = 8;
            zone.apply(wall);
        }
        if (i >= 5) {
            zone.run();
            zone.send_state();
        }
        // Frames between two ticks.
        for (int frame = 0; frame < 10; ++frame) {
            const float part = static_cast<float>(frame + 1) / 10.0F;
            const Vec3 place = glm::mix(zone.prediction().own_before().position,
                                        zone.prediction().own().position, part) +
                               zone.prediction().picture_offset(zone.now + frame * 5ms);
            longest_m =
                i == 0 && frame == 0 ? 0.0F : std::max(longest_m, glm::length(place - shown));
            shown = place;
        }
    }
    CHECK(zone.prediction().counters().corrections >= 1);
    CHECK(zone.prediction().counters().correction_m_max > 0.5F);
    // Walking is 2 cm a frame; half a metre put right in 100 ms is 5 cm a frame at first.
    CHECK(longest_m < 0.35F);
    CHECK(zone.prediction().picture_offset(zone.now + 100ms) == Vec3(0.0F));
    while (zone.prediction().inputs_waiting() > 0) {
        zone.run();
        zone.send_state();
    }
    CHECK(zone.prediction().own().position == zone.own.position);
    CHECK(zone.is_grid_equal());
}

TEST_CASE(
    "prediction: the picture stays where it was at the moment of a correction, then follows") {
    FlatZone zone;
    zone.input(PlayerControls{});
    zone.run();
    zone.own.position.x += 0.4F;
    const Vec3 before = zone.picture();
    zone.send_state();
    CHECK(zone.prediction().counters().corrections == 1);
    CHECK(zone.prediction().counters().correction_m_max == doctest::Approx(0.4).epsilon(0.01));
    CHECK(glm::length(zone.picture() - before) < 1e-5F);
    float left_m = 0.4F;
    for (int i = 1; i <= 10; ++i) {
        const float now_m = glm::length(zone.prediction().picture_offset(zone.now + i * 10ms));
        CHECK(now_m < left_m);
        left_m = now_m;
    }
    CHECK(left_m == 0.0F);

    // A jump is a jump.
    zone.input(PlayerControls{});
    zone.run();
    zone.own.position.x -= 10.0F;
    zone.send_state();
    CHECK(zone.prediction().picture_offset(zone.now) == Vec3(0.0F));
    CHECK(zone.prediction().counters().jumps == 1);
    CHECK(zone.prediction().counters().corrections == 1);
    CHECK(zone.picture().x == zone.own.position.x);
}

TEST_CASE("prediction: who sits is not moved, and stands up where the zone says") {
    FlatZone zone;
    StateMessage state = zone.state();
    state.vehicle = 50;
    state.seat = 1;
    zone.send(state);
    CHECK(zone.prediction().is_seated());
    for (int i = 0; i < 10; ++i) {
        zone.input(forward());
        CHECK(zone.wire.next() != nullptr);  // the zone steers the vehicle by them
        ++zone.applied;
        zone.own.position.x += 0.1F;  // it drifts
        state = zone.state();
        state.vehicle = 50;
        zone.send(state);
        CHECK(zone.prediction().own().position == zone.own.position);
    }
    CHECK(zone.prediction().counters().corrections == 0);
    zone.send_state();
    CHECK_FALSE(zone.prediction().is_seated());
    zone.input(forward());
    CHECK(zone.prediction().own().position.z < zone.own.position.z);
}

TEST_CASE("prediction: where chunks are missing the player is held and takes the zone's word") {
    FlatZone zone(false);
    for (int i = 0; i < 20; ++i) {
        zone.input(forward());
        zone.run();
        zone.send_state();
        CHECK(zone.prediction().own().position == zone.own.position);
    }
    CHECK(zone.prediction().counters().corrections == 0);
    for (const ChunkCoord& c : zone.grid.sorted_coords()) {
        zone.wire.send_chunk(c, *zone.grid.find(c));
    }
    zone.send_state();
    const float z = zone.prediction().own().position.z;
    zone.input(forward());
    CHECK(zone.prediction().own().position.z < z);
}

TEST_CASE("prediction: a zone that is silent costs no more than so many inputs") {
    FlatZone zone;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kPredictedInputsMax) + 50; ++i) {
        zone.input(forward(), {voxel_brush(BrushMode::dig, {i % 32, 31, i / 32})});
    }
    CHECK(zone.prediction().inputs_waiting() == kPredictedInputsMax);
    CHECK(zone.prediction().counters().inputs_forgotten == 50);
    CHECK(zone.prediction().guess_count() == kGuessesMax);
}

TEST_CASE("prediction: whatever a zone says of us, the session ends or goes on") {
    Random random(11);
    const float strange[] = {0.0F, 16384.0F, -16384.0F, 1e-30F, 33.0F, -0.5F};
    for (int round = 0; round < 40; ++round) {
        FlatZone zone;
        for (int i = 0; i < 20; ++i) {
            zone.input(forward(), {dig_below(zone.own)});
            StateMessage state = zone.state();
            const auto any = [&] { return strange[random.below(6)]; };
            state.own.position = {any(), any(), any()};
            state.own.velocity = Vec3{any(), any(), any()} * 0.5F;
            state.own.carrier = random.below(2) == 0 ? 0 : random.below(10);
            state.own.carrier_point = {any(), any(), any()};
            state.own.is_swimming = random.below(2) == 0;
            state.own.pitch = std::numeric_limits<std::int16_t>::min();
            state.vehicle = random.below(3) == 0 ? 9 : 0;
            state.seat = static_cast<std::uint8_t>(random.below(256));
            state.applied_input = random.below(4) == 0 ? 4'000'000'000U : zone.applied;
            zone.applied = state.applied_input;
            if (i == 3) {
                state.enters = {{.slot = 0, .generation = 0, .kind = 2, .id = 9, .name = ""}};
                state.nodes = {node_at(kStart, 0, 0)};
            }
            zone.send(state);
            zone.wire.send(encode_reject(1 + random.below(30), wire::RejectReason::stale, {}, 0));
            REQUIRE(is_finite(zone.prediction().own().position));
            REQUIRE(is_finite(zone.prediction().picture_offset(zone.now)));
        }
    }
}

}  // namespace
}  // namespace terrane::test
