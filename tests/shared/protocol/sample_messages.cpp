#include "tests/shared/protocol/sample_messages.h"

#include "shared/core/assert.h"

namespace terrane {

std::vector<EditMessage> sample_edits() {
    return {
        {.id = 7,
         .brush = {.shape = BrushShape::sphere,
                   .mode = BrushMode::dig,
                   .material = kAir,
                   .centre_x = -1000,
                   .centre_y = 333,
                   .centre_z = 16384,
                   .size_x = 40,
                   .size_y = 0,
                   .size_z = 0}},
        {.id = 8,
         .brush = {.shape = BrushShape::box,
                   .mode = BrushMode::place,
                   .material = 3,
                   .centre_x = 16,
                   .centre_y = 32,
                   .centre_z = -48,
                   .size_x = 16,
                   .size_y = 24,
                   .size_z = 64}},
    };
}

WelcomeMessage sample_welcome() {
    WelcomeMessage welcome;
    welcome.server_version = "0.1.0";
    welcome.player_id = 0x0102030405060708;
    welcome.tick = 1234;
    welcome.reach_m = 8.125F;
    welcome.edits_per_s = 10.5F;
    welcome.materials = {
        {.name = "air", .red = 0.01F, .green = 0.02F, .blue = 0.03F, .can_place = false},
        {.name = "water", .red = 0.04F, .green = 0.05F, .blue = 0.06F, .can_place = false},
        {.name = "stone", .red = 0.07F, .green = 0.08F, .blue = 0.09F, .can_place = true}};
    welcome.kinds = {{.name = "player",
                      .shape = wire::KindShape::player,
                      .half_extents = Vec3{0.351F, 0.9F, 0.352F},
                      .red = 0.11F,
                      .green = 0.12F,
                      .blue = 0.13F},
                     {.name = "crate",
                      .shape = wire::KindShape::box,
                      .half_extents = Vec3{0.501F, 0.502F, 0.503F},
                      .red = 0.14F,
                      .green = 0.15F,
                      .blue = 0.16F},
                     {.name = "boat",
                      .shape = wire::KindShape::box,
                      .half_extents = Vec3{0.504F, 0.505F, 0.506F},
                      .red = 0.17F,
                      .green = 0.18F,
                      .blue = 0.19F,
                      .seats = {Vec3{0.21F, 0.22F, -0.23F}, Vec3{0.24F, 0.25F, 0.26F}},
                      .mass_kg = 260.25F}};
    welcome.sky = {1200, 0.375F, 1201.5F};
    return welcome;
}

PlayerState sample_player() {
    return {.position = Vec3{12.25F, -3.5F, 100.75F},
            .velocity = Vec3{1.5F, -9.75F, 0.375F},
            .yaw = 40000,
            .pitch = -1234,
            .is_grounded = true,
            .is_swimming = false,
            .carrier = 0x1112131415161718,
            .carrier_point = Vec3{0.625F, 0.1875F, -0.3125F}};
}

Bytes encode_sample_state(const PlayerState& player) {
    flatbuffers::FlatBufferBuilder builder(1024);
    const auto name = builder.CreateString("Ada");
    const std::vector<flatbuffers::Offset<wire::NodeEnter>> enters{
        wire::CreateNodeEnter(builder, 3, 1, 0, 99, name),
        wire::CreateNodeEnter(builder, 4, 2, 1, 100)};
    const auto enters_offset = builder.CreateVector(enters);
    const std::vector<std::uint16_t> exits{5, 6};
    const auto exits_offset = builder.CreateVector(exits);
    const std::vector<wire::NodeTransform> nodes{
        to_wire(quantise_position({1.0F, 2.0F, -3.0F}), quantise_rotation(kNoRotation), 3, 1, 0),
        to_wire(quantise_position({-4.5F, 60.0F, 7.0F}),
                quantise_rotation(Quat{0.5F, 0.5F, -0.5F, 0.5F}), 4, 2, kNodeAsleep)};
    const auto nodes_offset = builder.CreateVectorOfStructs(nodes);
    const std::vector<wire::NodeSeat> seats{{3, 4, 1, 2, 1}, {7, kNoParentSlot, 5, 0, 0}};
    const auto seats_offset = builder.CreateVectorOfStructs(seats);
    const wire::OwnState own = to_wire(player, 0x2122232425262728, 1);
    const auto state = wire::CreateState(builder, 77, 70, &own, enters_offset, exits_offset,
                                         nodes_offset, seats_offset);
    return finish_message(builder, wire::ToClientMessage::State, state.Union());
}

std::vector<SampleMessage> sample_messages() {
    const PlayerControls controls{.move_right = -127,
                                  .move_forward = 64,
                                  .buttons = kButtonJump | kButtonRun,
                                  .yaw = 54321,
                                  .pitch = -16384};
    const std::vector<ChunkCoord> chunks{{0, 0, 0}, {-1, 2, -3}, {kChunkCoordMax, 0, 5}};
    const std::vector<ChunkOp> ops{
        {BrushShape::sphere, BrushMode::dig, kAir, 32, 0, 0, -5, 511, 100},
        {BrushShape::voxel, BrushMode::place, 4, 0, 0, 0, 8, 24, 40}};
    const std::vector<std::uint32_t> own_edits{7};
    const std::vector<std::uint8_t> blob{1, 2, 3, 4, 5};
    const std::vector<PropPlacement> props{{0, 2, 40000, 7, 500, 300}, {63, 5, 7, 16, 511, 8}};
    const std::vector<std::uint8_t> gone{0, 63};
    const std::vector<VoxelRun> runs{{0, 3, {kWater, 255}}, {32767, 1, {kWater, 90}}};
    const std::vector<wire::DebugContact> contacts{
        {to_wire(Vec3{1.5F, -2.5F, 3.0F}), to_wire(Vec3{0.0F, 1.0F, 0.0F}), -0.0625F, true}};
    const std::vector<wire::DebugWater> water{{to_wire(Vec3{4.0F, 5.5F, -6.0F}), 5.25F, 0.375F}};
    const std::vector<HashMessage> hashes{
        {.chunk = {1, -2, 3}, .revision = 9, .hash = 0xfeedfacecafebeef},
        {.chunk = {4, 5, 6}, .revision = 0, .hash = 0}};
    return {
        {"hello", true,
         encode_hello({.name = "Ada_1", .view_chunks = 6, .client_version = "stub 0.1.0"})},
        {"input", true, encode_input(12345, controls, sample_edits())},
        {"input_without_edits", true, encode_input(1, {}, {})},
        {"hash_request", true, encode_hash_request(chunks)},
        {"quit", true, encode_quit()},
        {"say", true, encode_say("Grüße, all")},
        {"debug_request", true, encode_debug_request(true, false)},
        {"welcome", false, encode_welcome(sample_welcome())},
        {"state", false, encode_sample_state(sample_player())},
        {"chunk", false, encode_chunk({-7, 1, 2}, blob, props)},
        {"chunk_runs", false, encode_chunk_runs({3, -1, 4}, 43, runs)},
        {"props_gone", false, encode_props_gone({-7, 1, 2}, gone)},
        {"chunk_ops", false, encode_chunk_ops({3, -1, 4}, 42, ops, own_edits)},
        {"forget", false, encode_forget(chunks)},
        {"hash", false, encode_hash(55, hashes)},
        {"reject", false, encode_reject(8, wire::RejectReason::no_sight, {1, 2, 3}, 17)},
        {"chat", false, encode_chat("Ada", "hello")},
        {"sky_changed", false, encode_sky_changed({1300, 0.75F, 0.0F})},
        {"piece", false, encode_piece(0x3132333435363738, blob)},
        {"debug_contacts", false, encode_debug_contacts(78, contacts, water)},
        {"leave", false, encode_leave(wire::LeaveReason::slow, "your outbox was full")},
    };
}

Bytes sample_frame(const std::string& name) {
    for (SampleMessage& sample : sample_messages()) {
        if (sample.name == name) {
            return std::move(sample.frame);
        }
    }
    TERRANE_ASSERT_MSG(false, "no such sample");
    return {};
}

}  // namespace terrane
