#include <algorithm>

#include <doctest/doctest.h>

#include "shared/core/random.h"
#include "shared/math/trig.h"
#include "shared/protocol/limits.h"
#include "tests/client-stub/session/replica_feed.h"

namespace terrane::test {
namespace {

constexpr std::uint8_t kPlayerKind = 0;
constexpr std::uint8_t kCrateKind = 1;
constexpr std::uint8_t kBoatKind = 2;
constexpr std::uint8_t kPieceKind = 4;

/// Ann (slot 1, id 41), a boat (slot 2, id 50) and a crate (slot 3, id 60), all with poses.
StateMessage harbour(std::uint32_t tick) {
    StateMessage state = state_at(tick);
    state.enters = {{.slot = 1, .generation = 4, .kind = kPlayerKind, .id = 41, .name = "ann"},
                    {.slot = 2, .generation = 5, .kind = kBoatKind, .id = 50, .name = ""},
                    {.slot = 3, .generation = 6, .kind = kCrateKind, .id = 60, .name = ""}};
    state.nodes = {node_at({1, 0, 0}, 1, 4), node_at({10, 2, 0}, 2, 5), node_at({0, 0, 9}, 3, 6)};
    return state;
}

StateMessage seated(std::uint32_t tick, wire::NodeSeat seat) {
    StateMessage state = state_at(tick);
    state.seats = {seat};
    return state;
}

/// `seat` of the boat for ann.
wire::NodeSeat ann_in_boat(std::uint8_t seat) {
    return {1, 2, 4, 5, seat};
}

bool has_pose(const Feed& feed, std::uint64_t id, double tick, NodePose& pose) {
    const ReplicaNode* node = feed.replica.find_node(id);
    return node != nullptr && feed.replica.find_pose(*node, tick, pose);
}

TEST_CASE("C3 replica_nodes: who sits is where its seat is, while the vehicle moves and turns") {
    Feed feed;
    REQUIRE(feed.take(encode_state(harbour(10))));
    REQUIRE(feed.take(encode_state(seated(11, ann_in_boat(1)))));
    NodePose pose;
    REQUIRE(has_pose(feed, 41, 11, pose));
    CHECK(glm::length(pose.position - Vec3(10.8F, 1.8F, 0)) < 1e-5F);

    // A quarter turn to the left: what was +X is -Z.
    StateMessage state = state_at(12);
    const Quat turned = rotation_about({0, 1, 0}, kQuarterTurn);
    state.nodes = {
        to_wire(quantise_position({12, 2, 0}), quantise_rotation(turned), 2, 5, std::uint8_t{0})};
    REQUIRE(feed.take(encode_state(state)));
    REQUIRE(has_pose(feed, 41, 12, pose));
    CHECK(glm::length(pose.position - Vec3(12, 1.8F, -0.8F)) < 2e-3F);
    CHECK(glm::length(pose.rotation * Vec3(1, 0, 0) - Vec3(0, 0, -1)) < 2e-3F);
    REQUIRE(has_pose(feed, 41, 11, pose));  // and before, between its own poses of then
    CHECK(glm::length(pose.position - Vec3(10.8F, 1.8F, 0)) < 2e-3F);

    // It stands up beside the boat: there at once, not on a line from where it sat down.
    state = seated(13, {1, kNoParentSlot, 4, 0, 0});
    state.nodes = {node_at({14, 0, 3}, 1, 4)};
    REQUIRE(feed.take(encode_state(state)));
    REQUIRE(has_pose(feed, 41, 12.5, pose));
    CHECK(pose.position == Vec3(14, 0, 3));
}

Bytes rock_piece(std::uint64_t id) {
    VoxelPiece voxels = empty_piece({2, 1, 1});
    std::ranges::fill(voxels.voxels, Voxel{kFirstSolid, kFullOccupancy});
    return encode_piece(id, encode_piece(voxels));
}

StateMessage piece_enters(std::uint32_t tick, std::uint64_t id) {
    StateMessage state = state_at(tick);
    state.enters = {{.slot = 9, .generation = 1, .kind = kPieceKind, .id = id, .name = ""}};
    state.nodes = {node_at({1, 0, 0}, 9, 1)};
    return state;
}

TEST_CASE("A18 replica_nodes: a piece has its voxels as long as it is in view") {
    Feed feed({.has_piece_shapes = true});
    REQUIRE(feed.take(rock_piece(70)));
    REQUIRE(feed.take(encode_state(piece_enters(10, 70))));
    const ReplicaNode* node = feed.replica.find_node(70);
    REQUIRE(node != nullptr);
    REQUIRE(node->piece != nullptr);
    CHECK(node->piece->mass.centre.x == doctest::Approx(1.0F));
    CHECK(!node->piece->shape.parts.empty());
    const std::weak_ptr<const ReplicaPiece> piece = node->piece;
    StateMessage gone = state_at(11);
    gone.exits = {9};
    REQUIRE(feed.take(encode_state(gone)));
    CHECK(piece.expired());

    Feed plain;  // one that does not predict needs no shapes
    REQUIRE(plain.take(rock_piece(70)));
    REQUIRE(plain.take(encode_state(piece_enters(10, 70))));
    CHECK(plain.replica.find_node(70)->piece->shape.parts.empty());
}

TEST_CASE("A18 replica_nodes: pieces that cannot be end the session with their reason") {
    Feed feed;
    CHECK(message_of(feed.take(encode_state(piece_enters(10, 70)))) ==
          "State.enters.id: piece 70 enters without its voxels");
    const std::vector<std::uint8_t> nonsense{1, 2, 3};
    CHECK(message_of(feed.take(encode_piece(71, nonsense))).starts_with("Piece.voxels of 71: "));
    for (std::uint64_t id = 100; id < 100 + kEntersPerStateMax; ++id) {
        REQUIRE(feed.take(rock_piece(id)));
    }
    CHECK(message_of(feed.take(rock_piece(999))) == "Piece: more than 256 wait for their nodes");
}

TEST_CASE("replica_nodes: a vehicle that leaves takes the pose of who sits in it along") {
    Feed feed;
    REQUIRE(feed.take(encode_state(harbour(10))));
    REQUIRE(feed.take(encode_state(seated(11, ann_in_boat(0)))));
    NodePose pose;
    StateMessage state = state_at(12);
    SUBCASE("it exits") {
        state.exits = {2};
    }
    SUBCASE("its slot is used again, even with the same generation") {
        state.enters = {{.slot = 2, .generation = 5, .kind = kBoatKind, .id = 51, .name = ""}};
        state.nodes = {node_at({10, 2, 0}, 2, 5)};
    }
    REQUIRE(feed.take(encode_state(state)));
    CHECK_FALSE(has_pose(feed, 41, 12, pose));
    // The zone says more: it stands, or it sits elsewhere.
    state = seated(13, {1, kNoParentSlot, 4, 0, 0});
    REQUIRE(feed.take(encode_state(state)));
    CHECK_FALSE(has_pose(feed, 41, 13, pose));  // where it sat down long ago is not where it is
    state = state_at(14);
    state.nodes = {node_at({7, 7, 7}, 1, 4)};
    REQUIRE(feed.take(encode_state(state)));
    REQUIRE(has_pose(feed, 41, 14, pose));
    CHECK(pose.position == Vec3(7, 7, 7));
}

TEST_CASE("replica_nodes: seats of unknown slots and old generations are counted, no more") {
    Feed feed;
    REQUIRE(feed.take(encode_state(harbour(10))));
    std::uint32_t tick = 10;
    for (const wire::NodeSeat& stale :
         {wire::NodeSeat{9, 2, 4, 5, 0}, wire::NodeSeat{1, 2, 3, 5, 0},
          wire::NodeSeat{1, 2, 4, 6, 0}, wire::NodeSeat{1, 60000, 4, 5, 0},
          wire::NodeSeat{0, 2, 0, 5, 0}}) {
        REQUIRE(feed.take(encode_state(seated(++tick, stale))));
        CHECK(feed.counters().poses_stale == tick - 10);
        CHECK(feed.replica.nodes()[1].vehicle == 0);
    }
}

TEST_CASE("replica_nodes: seats that cannot be end the session with their field") {
    const auto refusal = [](wire::NodeSeat seat) {
        Feed feed;
        REQUIRE(feed.take(encode_state(harbour(10))));
        return message_of(feed.take(encode_state(seated(11, seat))));
    };
    CHECK(refusal(ann_in_boat(2)) == "State.seats.seat: 2 of a boat, which has 2");
    CHECK(refusal({1, 3, 4, 6, 0}) == "State.seats.seat: 0 of a crate, which has 0");
    CHECK(refusal({1, 1, 4, 4, 0}) == "State.seats.seat: 0 of a player, which has 0");
    CHECK(refusal({3, 2, 6, 5, 0}) == "State.seats.slot: 3 is a crate: only players sit");
    CHECK(refusal({2, 2, 5, 5, 0}) == "State.seats.slot: 2 is a boat: only players sit");
}

TEST_CASE("replica_nodes: whatever nodes and seats come, no pose is made of nothing") {
    Random random(3);
    int refused = 0;
    int seated = 0;
    for (int round = 0; round < 300; ++round) {
        Feed feed;
        for (std::uint32_t tick = 1; tick < 60; ++tick) {
            StateMessage state = state_at(tick);
            const auto slot = [&] { return static_cast<std::uint16_t>(random.below(5)); };
            const auto generation = [&] { return static_cast<std::uint8_t>(random.below(2)); };
            if (random.below(3) == 0) {
                state.exits = {slot()};
            }
            if (random.below(2) == 0) {
                state.enters = {{.slot = slot(),
                                 .generation = generation(),
                                 .kind = static_cast<std::uint8_t>(random.below(4)),
                                 .id = 1 + random.below(9),
                                 .name = ""}};
            }
            for (std::uint32_t i = random.below(4); i > 0; --i) {
                state.nodes.push_back(node_at({1, 2, 3}, slot(), generation()));
            }
            if (random.below(2) == 0) {
                const std::uint16_t parent = random.below(3) == 0 ? kNoParentSlot : slot();
                state.seats = {{slot(), parent, generation(), generation(),
                                static_cast<std::uint8_t>(random.below(3))}};
            }
            if (!feed.take(encode_state(state)).has_value()) {
                ++refused;
                break;
            }
            for (const ReplicaNode& node : feed.replica.nodes()) {
                NodePose pose;
                if (!feed.replica.find_pose(node, tick, pose)) {
                    continue;
                }
                REQUIRE(node.id != 0);
                REQUIRE(glm::length(pose.position - Vec3(1, 2, 3)) < 1.0F);
                if (node.vehicle != 0) {
                    ++seated;
                    const ReplicaNode& vehicle = feed.replica.nodes()[node.vehicle_slot];
                    REQUIRE(vehicle.id == node.vehicle);
                    REQUIRE(vehicle.kind == kBoatKind);
                    REQUIRE(node.kind == kPlayerKind);
                }
            }
        }
    }
    CHECK(refused > 50);
    CHECK(seated > 10);
}

TEST_CASE("replica_nodes: the own seat is told with the own state") {
    Feed feed;
    StateMessage state = state_at(1);
    state.vehicle = 50;
    state.seat = 1;
    REQUIRE(feed.take(encode_state(state)));
    CHECK(feed.replica.own_seat().vehicle == 50);
    CHECK(feed.replica.own_seat().seat == 1);
    REQUIRE(feed.take(encode_state(state_at(2))));
    CHECK(feed.replica.own_seat().vehicle == 0);
}

}  // namespace
}  // namespace terrane::test
