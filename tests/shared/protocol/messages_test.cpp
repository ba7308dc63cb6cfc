// What verified messages may mean: each field out of its range, one at a time.
#include "shared/protocol/messages.h"

#include <functional>

#include <limits>

#include <doctest/doctest.h>

#include "tests/shared/protocol/sample_messages.h"

namespace terrane {
namespace {

using flatbuffers::FlatBufferBuilder;

/// "" if accepted, else the reason.
std::string refusal_to_server(const Bytes& frame) {
    AlignedBytes scratch;
    const auto message = verify_to_server(frame, scratch);
    return message ? "" : message.error().message;
}

std::string refusal_to_client(const Bytes& frame) {
    AlignedBytes scratch;
    const auto message = verify_to_client(frame, scratch);
    return message ? "" : message.error().message;
}

bool names(const std::string& refusal, const std::string& field) {
    INFO(refusal, " should name ", field);
    return refusal.starts_with(field + ":");
}

Bytes input_with(std::uint32_t tick, const wire::Controls* controls,
                 const std::vector<wire::EditRequest>& edits) {
    FlatBufferBuilder builder;
    const auto edits_offset = builder.CreateVectorOfStructs(edits);
    return finish_message(builder, wire::ToServerMessage::Input,
                          wire::CreateInput(builder, tick, controls, edits_offset).Union());
}

Bytes input_with(const wire::Controls& controls) {
    return input_with(1, &controls, {});
}

Bytes input_with(const std::vector<wire::EditRequest>& edits) {
    const wire::Controls controls{0, 0, 0, 0, 0};
    return input_with(1, &controls, edits);
}

wire::EditRequest edit(std::uint32_t id, std::uint8_t shape = 0, std::uint8_t mode = 0) {
    return {id, 0, 0, 0, static_cast<wire::BrushShape>(shape), static_cast<wire::BrushMode>(mode),
            2,  0, 0, 0};
}

Bytes hello_with(const std::string& name, const std::string& version = "v") {
    return encode_hello({.name = name, .client_version = version});
}

TEST_CASE("messages: all samples are accepted by their side only") {
    for (const SampleMessage& sample : sample_messages()) {
        CAPTURE(sample.name);
        CHECK((refusal_to_server(sample.frame) == "") == sample.is_to_server);
        CHECK((refusal_to_client(sample.frame) == "") == !sample.is_to_server);
    }
}

TEST_CASE("messages: Hello's texts are bounded, a bad name is left to the session") {
    CHECK(refusal_to_server(hello_with("")) == "");
    CHECK(refusal_to_server(hello_with("a b")) == "");
    CHECK(refusal_to_server(hello_with(std::string(kHelloNameBytesMax, 'a'))) == "");
    CHECK(names(refusal_to_server(hello_with(std::string(kHelloNameBytesMax + 1, 'a'))),
                "Hello.name"));
    CHECK(names(refusal_to_server(hello_with("a", std::string(kVersionTextBytesMax + 1, 'v'))),
                "Hello.client_version"));
    // Another version's Hello must get through, or nobody could be told.
    CHECK(refusal_to_server(encode_hello({.protocol_version = 9999, .name = "x"})) == "");
}

TEST_CASE("T38 messages: names are 1 to 24 ASCII letters, digits, '_' and '-'") {
    CHECK(is_valid_name("a"));
    CHECK(is_valid_name("Ada_Lovelace-1815"));
    CHECK(is_valid_name(std::string(kNameBytesMax, 'z')));
    for (const std::string& name :
         {std::string{}, std::string(kNameBytesMax + 1, 'z'), std::string(32767, 'z'),
          std::string("a b"), std::string("a\0b", 3), std::string("a\nb"),
          std::string("\x1b[31mred"), std::string("\xe2\x80\xae txt"), std::string("\xff\xfe"),
          std::string("%n%s"), std::string("'; DROP TABLE"), std::string("\xc3\xa4")}) {
        CAPTURE(name);
        CHECK_FALSE(is_valid_name(name));
    }
}

TEST_CASE("messages: Input's controls") {
    CHECK(refusal_to_server(input_with(wire::Controls{127, -127, 7, 65535, 16384})) == "");
    CHECK(names(refusal_to_server(input_with(wire::Controls{-128, 0, 0, 0, 0})),
                "Input.controls.move_right"));
    CHECK(names(refusal_to_server(input_with(wire::Controls{0, -128, 0, 0, 0})),
                "Input.controls.move_forward"));
    CHECK(names(refusal_to_server(input_with(wire::Controls{0, 0, 16, 0, 0})),
                "Input.controls.buttons"));
    CHECK(names(refusal_to_server(input_with(wire::Controls{0, 0, 255, 0, 0})),
                "Input.controls.buttons"));
    CHECK(names(refusal_to_server(input_with(wire::Controls{0, 0, 0, 0, 16385})),
                "Input.controls.pitch"));
    CHECK(names(refusal_to_server(input_with(wire::Controls{0, 0, 0, 0, -32768})),
                "Input.controls.pitch"));
    CHECK(names(refusal_to_server(input_with(1, nullptr, {})), "Input.controls"));
    const wire::Controls still{0, 0, 0, 0, 0};
    CHECK(names(refusal_to_server(input_with(0, &still, {})), "Input.tick"));
}

TEST_CASE("T17 messages: Input's edits") {
    CHECK(refusal_to_server(input_with({edit(1, 2, 3)})) == "");
    CHECK(names(refusal_to_server(input_with({edit(1, 3)})), "Input.edits.shape"));
    CHECK(names(refusal_to_server(input_with({edit(1, 250)})), "Input.edits.shape"));
    CHECK(names(refusal_to_server(input_with({edit(1, 0, 4)})), "Input.edits.mode"));
    CHECK(names(refusal_to_server(input_with({edit(1, 0, 250)})), "Input.edits.mode"));
    CHECK(names(refusal_to_server(input_with({edit(0)})), "Input.edits.id"));
    CHECK(names(refusal_to_server(input_with({edit(5), edit(5)})), "Input.edits.id"));
    CHECK(names(refusal_to_server(input_with({edit(5), edit(7)})), "Input.edits.id"));
    CHECK(names(refusal_to_server(input_with({edit(UINT32_MAX), edit(0)})), "Input.edits.id"));
    std::vector<wire::EditRequest> many;
    for (std::uint32_t i = 0; i < kEditsPerInputMax; ++i) {
        many.push_back(edit(10 + i));
    }
    CHECK(refusal_to_server(input_with(many)) == "");
    many.push_back(edit(10 + kEditsPerInputMax));
    CHECK(names(refusal_to_server(input_with(many)), "Input.edits"));
}

Bytes hash_request_with(const std::vector<wire::ChunkPos>& chunks) {
    FlatBufferBuilder builder;
    const auto offset = builder.CreateVectorOfStructs(chunks);
    return finish_message(builder, wire::ToServerMessage::HashRequest,
                          wire::CreateHashRequest(builder, offset).Union());
}

TEST_CASE("messages: HashRequest's chunks") {
    constexpr std::int32_t kMax = kChunkCoordMax;
    CHECK(refusal_to_server(hash_request_with({{kMax, -kMax, 0}})) == "");
    for (const wire::ChunkPos& position :
         {wire::ChunkPos{kMax + 1, 0, 0}, wire::ChunkPos{0, -kMax - 1, 0},
          wire::ChunkPos{0, 0, INT32_MIN}, wire::ChunkPos{INT32_MAX, 0, 0}}) {
        CHECK(names(refusal_to_server(hash_request_with({position})), "HashRequest.chunks"));
    }
    CHECK(names(refusal_to_server(hash_request_with({})), "HashRequest.chunks"));
    const wire::ChunkPos zero{0, 0, 0};
    CHECK(refusal_to_server(hash_request_with({kHashRequestChunksMax, zero})) == "");
    CHECK(names(refusal_to_server(hash_request_with({kHashRequestChunksMax + 1, zero})),
                "HashRequest.chunks"));
}

TEST_CASE("messages: pieces and views of physics keep their limits") {
    const auto refusal = [](FlatBufferBuilder& builder, wire::ToClientMessage type,
                            flatbuffers::Offset<void> message) {
        AlignedBytes scratch;
        const auto read = verify_to_client(finish_message(builder, type, message), scratch);
        return read ? std::string() : read.error().message;
    };
    FlatBufferBuilder builder;
    const std::vector<std::uint8_t> bytes{1, 2, 3};
    const auto voxels = builder.CreateVector(bytes);
    CHECK(refusal(builder, wire::ToClientMessage::Piece,
                  wire::CreatePiece(builder, 0, voxels).Union())
              .starts_with("Piece.id"));
    CHECK(refusal(builder, wire::ToClientMessage::Piece, wire::CreatePiece(builder, 7).Union())
              .starts_with("Piece.voxels"));
    const std::vector<wire::DebugWater> water{{wire::Vec3f(0.0F, 0.0F, 0.0F), 1.0F, 1.5F}};
    const auto water_at = builder.CreateVectorOfStructs(water);
    CHECK(refusal(builder, wire::ToClientMessage::DebugContacts,
                  wire::CreateDebugContacts(builder, 1, 0, water_at).Union())
              .starts_with("DebugContacts.water.share"));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<wire::DebugContact> contacts{
        {wire::Vec3f(0.0F, nan, 0.0F), wire::Vec3f(0.0F, 1.0F, 0.0F), 0.0F, true}};
    const auto contacts_at = builder.CreateVectorOfStructs(contacts);
    CHECK(refusal(builder, wire::ToClientMessage::DebugContacts,
                  wire::CreateDebugContacts(builder, 1, contacts_at).Union())
              .starts_with("DebugContacts.contacts.position"));
}

TEST_CASE("messages: a union of unknown type, without value, or absent") {
    for (const int type : {0, static_cast<int>(wire::ToServerMessage::MAX) + 1, 200, 255}) {
        FlatBufferBuilder builder;
        const auto quit = wire::CreateQuit(builder);
        CHECK(names(refusal_to_server(finish_message(
                        builder, static_cast<wire::ToServerMessage>(type), quit.Union())),
                    "ToServer.message_type"));
    }
    for (const auto type : {wire::ToServerMessage::Input, wire::ToServerMessage::NONE}) {
        FlatBufferBuilder builder;
        CHECK(names(refusal_to_server(finish_message(builder, type, 0)), "ToServer.message"));
    }
    for (std::uint8_t type = 0; type <= 13; ++type) {
        FlatBufferBuilder builder;
        CHECK(names(
            refusal_to_client(finish_message(builder, static_cast<wire::ToClientMessage>(type), 0)),
            "ToClient.message"));
    }
}

TEST_CASE("messages: structs that a message needs may be absent in the bytes") {
    const auto absent = [](wire::ToClientMessage type, auto create) {
        FlatBufferBuilder builder;
        const auto offset = create(builder).Union();
        return refusal_to_client(finish_message(builder, type, offset));
    };
    CHECK(names(absent(wire::ToClientMessage::State,
                       [](FlatBufferBuilder& b) { return wire::CreateState(b, 1, 1); }),
                "State.own"));
    CHECK(names(absent(wire::ToClientMessage::Chunk,
                       [](FlatBufferBuilder& b) { return wire::CreateChunk(b); }),
                "Chunk.position"));
    CHECK(names(absent(wire::ToClientMessage::ChunkOps,
                       [](FlatBufferBuilder& b) { return wire::CreateChunkOps(b); }),
                "ChunkOps.position"));
    CHECK(names(absent(wire::ToClientMessage::Reject,
                       [](FlatBufferBuilder& b) {
                           return wire::CreateReject(b, 1, wire::RejectReason::rate);
                       }),
                "Reject.position"));
    CHECK(names(absent(wire::ToClientMessage::Forget,
                       [](FlatBufferBuilder& b) { return wire::CreateForget(b); }),
                "Forget.chunks"));
    CHECK(names(absent(wire::ToClientMessage::Hash,
                       [](FlatBufferBuilder& b) { return wire::CreateHash(b); }),
                "Hash.hashes"));
    CHECK(names(absent(wire::ToClientMessage::Welcome,
                       [](FlatBufferBuilder& b) { return wire::CreateWelcome(b, 1, 0, 1, 1, 1); }),
                "Welcome.tick_rate_hz"));
}

TEST_CASE("messages: Welcome's fields, one wrong at a time") {
    const auto with = [](const std::function<void(WelcomeMessage&)>& change) {
        WelcomeMessage welcome = sample_welcome();
        change(welcome);
        return refusal_to_client(encode_welcome(welcome));
    };
    CHECK(with([](WelcomeMessage&) {}) == "");
    CHECK(names(with([](WelcomeMessage& w) { w.player_id = 0; }), "Welcome.player_id"));
    CHECK(names(with([](WelcomeMessage& w) { w.tick_rate_hz = 0; }), "Welcome.tick_rate_hz"));
    CHECK(names(with([](WelcomeMessage& w) { w.substeps_per_tick = 0; }),
                "Welcome.substeps_per_tick"));
    CHECK(names(with([](WelcomeMessage& w) { w.view_chunks = 0; }), "Welcome.view_chunks"));
    CHECK(names(with([](WelcomeMessage& w) { w.view_chunks = kViewChunksMax + 1; }),
                "Welcome.view_chunks"));
    CHECK(
        names(with([](WelcomeMessage& w) { w.bounds.max = w.bounds.min; }), "Welcome.bounds_max"));
    CHECK(names(with([](WelcomeMessage& w) { w.bounds.min.x = -kChunkCoordMax - 1; }),
                "Welcome.bounds_min"));
    CHECK(names(with([](WelcomeMessage& w) { w.materials.resize(1); }), "Welcome.materials"));
    CHECK(names(with([](WelcomeMessage& w) { w.kinds.clear(); }), "Welcome.kinds"));
    CHECK(names(with([](WelcomeMessage& w) { w.kinds[0].shape = static_cast<wire::KindShape>(6); }),
                "Welcome.kinds.shape"));
    CHECK(names(with([](WelcomeMessage& w) { w.kinds[0].red = 1.5F; }), "Welcome.kinds.colour"));
    CHECK(names(with([](WelcomeMessage& w) { w.materials[0].blue = -0.5F; }),
                "Welcome.materials.colour"));
    CHECK(names(with([](WelcomeMessage& w) { w.motion.radius_m = 0.0F; }),
                "Welcome.motion.radius_m"));
    CHECK(with([](WelcomeMessage& w) {
              w.materials.resize(kMaterialsMax);
              w.kinds.resize(kKindsMax);
          }) == "");
}

TEST_CASE("messages: Welcome's zone is of a size that a client can keep, and its steps are few") {
    const auto refusal = [](const GridBounds& bounds) {
        WelcomeMessage welcome = sample_welcome();
        welcome.bounds = bounds;
        return refusal_to_client(encode_welcome(welcome));
    };
    CHECK(refusal({{-256, -32, -256}, {256, 32, 256}}) == "");
    CHECK(names(refusal({{-256, -32, -256}, {257, 32, 256}}), "Welcome.bounds"));
    CHECK(names(refusal({{-256, -32, -256}, {256, 33, 256}}), "Welcome.bounds"));
    CHECK(names(refusal({{-kChunkCoordMax, 0, 0}, {kChunkCoordMax, 1, 1}}), "Welcome.bounds"));
    WelcomeMessage welcome = sample_welcome();
    welcome.tick_rate_hz = 60;
    welcome.substeps_per_tick = 4;
    CHECK(refusal_to_client(encode_welcome(welcome)) == "");
    welcome.substeps_per_tick = 5;
    CHECK(names(refusal_to_client(encode_welcome(welcome)), "Welcome.substeps_per_tick"));
}

TEST_CASE("messages: the zone's reasons and operations") {
    const ChunkCoord chunk{0, 0, 0};
    CHECK(names(refusal_to_client(encode_reject(1, wire::RejectReason::none, chunk, 0)),
                "Reject.reason"));
    CHECK(names(refusal_to_client(encode_reject(1, static_cast<wire::RejectReason>(11), chunk, 0)),
                "Reject.reason"));
    CHECK(names(refusal_to_client(encode_reject(0, wire::RejectReason::rate, chunk, 0)),
                "Reject.edit"));
    CHECK(names(refusal_to_client(encode_leave(wire::LeaveReason::none, "")), "Leave.reason"));
    CHECK(names(refusal_to_client(encode_leave(static_cast<wire::LeaveReason>(13), "")),
                "Leave.reason"));
    CHECK(refusal_to_client(encode_leave(wire::LeaveReason::quit, std::string(1000, 'x'))) == "");
    const std::vector<ChunkOp> one(1);
    CHECK(names(refusal_to_client(encode_chunk_ops(chunk, 0, one, {})), "ChunkOps.first_revision"));
    CHECK(names(refusal_to_client(encode_chunk_ops(chunk, UINT32_MAX, one, {})),
                "ChunkOps.first_revision"));
    std::vector<ChunkOp> bad(1);
    bad[0].mode = static_cast<BrushMode>(9);
    CHECK(names(refusal_to_client(encode_chunk_ops(chunk, 1, bad, {})), "ChunkOps.ops.mode"));
    CHECK(names(refusal_to_client(encode_chunk(chunk, {})), "Chunk.blob"));
    const Bytes blob(kToClientBytesMax - 200, 1);
    CHECK(names(refusal_to_client(encode_chunk(chunk, blob)), "Chunk.blob"));
}

/// Replaces the one place in `frame` that holds `value` by `by`.
Bytes replace_float(const Bytes& frame, float value, float by) {
    Bytes changed = frame;
    int found = 0;
    for (std::size_t at = 0; at + sizeof(float) <= frame.size(); at += sizeof(float)) {
        if (std::memcmp(frame.data() + at, &value, sizeof(float)) == 0) {
            std::memcpy(changed.data() + at, &by, sizeof(float));
            ++found;
        }
    }
    CAPTURE(value);
    REQUIRE(found == 1);
    return changed;
}

void check_floats(const Bytes& frame, std::initializer_list<float> values) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    REQUIRE(refusal_to_client(frame) == "");
    for (const float value : values) {
        for (const float bad :
             {std::numeric_limits<float>::quiet_NaN(), kInf, -kInf, 1e38F, -1e38F}) {
            CAPTURE(value);
            CAPTURE(bad);
            CHECK(refusal_to_client(replace_float(frame, value, bad)) != "");
        }
        for (const float odd : {1e-40F, -0.0F}) {
            (void)refusal_to_client(replace_float(frame, value, odd));
        }
    }
}

TEST_CASE("messages: the zone's runs, props, seats and sky") {
    const ChunkCoord chunk{0, 0, 0};
    const auto runs = [&](std::vector<VoxelRun> list, std::uint32_t revision = 1) {
        return refusal_to_client(encode_chunk_runs(chunk, revision, list));
    };
    CHECK(runs({{0, 32768, {kWater, 255}}}) == "");
    CHECK(names(runs({{0, 1, {kWater, 255}}}, 0), "ChunkRuns.revision"));
    CHECK(names(runs({{0, 0, {kWater, 255}}}), "ChunkRuns.runs"));
    CHECK(names(runs({{32767, 2, {kWater, 255}}}), "ChunkRuns.runs"));
    CHECK(names(runs({{4, 2, {kWater, 255}}, {5, 1, {kWater, 255}}}), "ChunkRuns.runs"));
    const std::vector<std::uint8_t> blob{1};
    const std::vector<PropPlacement> player{{0, 0, 0, 0, 0, 0}};
    CHECK(names(refusal_to_client(encode_chunk(chunk, blob, player)), "Chunk.props.kind"));
    const std::vector<PropPlacement> beyond{{kPropsPerChunkMax, 1, 0, 0, 0, 0}};
    CHECK(names(refusal_to_client(encode_chunk(chunk, blob, beyond)), "Chunk.props.index"));
    CHECK(names(refusal_to_client(encode_sky_changed({1, 1.5F, 0.0F})), "SkyChanged.sky"));
    CHECK(names(refusal_to_client(encode_sky_changed({1, 0.5F, -1.0F})), "SkyChanged.sky"));
    FlatBufferBuilder builder;
    const std::vector<wire::NodeSeat> seats{{0, 0, 0, 0, kSeatsPerKindMax}};
    const auto seats_offset = builder.CreateVectorOfStructs(seats);
    const wire::OwnState own = to_wire(sample_player(), 0, 0);
    const auto state = wire::CreateState(builder, 1, 1, &own, 0, 0, 0, seats_offset);
    CHECK(names(
        refusal_to_client(finish_message(builder, wire::ToClientMessage::State, state.Union())),
        "State.seats.seat"));
}

TEST_CASE("messages: a node's flags are asleep and held, and no others") {
    for (unsigned flags = 0; flags < 256; ++flags) {
        CAPTURE(flags);
        FlatBufferBuilder builder;
        const std::vector<wire::NodeTransform> nodes{
            to_wire(QuantisedPosition{}, 0, 3, 1, static_cast<std::uint8_t>(flags))};
        const auto nodes_offset = builder.CreateVectorOfStructs(nodes);
        const wire::OwnState own = to_wire(sample_player(), 0, 0);
        const auto state = wire::CreateState(builder, 1, 1, &own, 0, 0, nodes_offset);
        const std::string refusal =
            refusal_to_client(finish_message(builder, wire::ToClientMessage::State, state.Union()));
        if (flags <= (kNodeAsleep | kNodeHeld)) {
            CHECK(refusal.empty());
        } else {
            CHECK(names(refusal, "State.nodes.flags"));
        }
    }
}

TEST_CASE("messages: chat is one line of UTF-8 without control characters") {
    const auto say = [](const std::string& text) { return refusal_to_server(encode_say(text)); };
    CHECK(say("hello") == "");
    CHECK(say("Gr\u00fc\u00dfe \u20ac \U0001F600") == "");
    CHECK(say(std::string(kChatBytesMax, 'x')) == "");
    for (const char* bad :
         {"a\nb", "\x1b[2J", "\x7f", "\xc2\x85", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
          "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\x80", "\xe2\x82"}) {
        CHECK(names(say(bad), "Say.text"));
    }
    FlatBufferBuilder builder;
    const auto silent = wire::CreateSay(builder);
    CHECK(names(
        refusal_to_server(finish_message(builder, wire::ToServerMessage::Say, silent.Union())),
        "Say.text"));
    const auto long_text = builder.CreateString(std::string(kChatBytesMax + 1, 'x'));
    const auto long_say = wire::CreateSay(builder, long_text);
    CHECK(names(
        refusal_to_server(finish_message(builder, wire::ToServerMessage::Say, long_say.Union())),
        "Say.text"));
    CHECK(refusal_to_client(encode_chat("Ada", "a\nb")) == "");  // cleaned
    FlatBufferBuilder raw;
    const auto bad_text = raw.CreateString("a\nb");
    const auto bad_chat = wire::CreateChat(raw, 0, bad_text);
    CHECK(
        names(refusal_to_client(finish_message(raw, wire::ToClientMessage::Chat, bad_chat.Union())),
              "Chat.text"));
    const auto bad_name = raw.CreateString("A\x1b");
    const auto bad_sender = wire::CreateChat(raw, bad_name);
    CHECK(names(
        refusal_to_client(finish_message(raw, wire::ToClientMessage::Chat, bad_sender.Union())),
        "Chat.sender"));
    CHECK(refusal_to_client(encode_chat("", std::string(1000, 'x'))) == "");
    const std::string euros =
        "x\xe2\x82\xac\xe2\x82\xac";  // cut inside a character, and before one
    for (std::size_t lead = kChatBytesMax - 6; lead < kChatBytesMax; ++lead) {
        CHECK(refusal_to_client(encode_chat("", std::string(lead, 'x') + euros)) == "");
    }
}

TEST_CASE("T19 messages: NaN, infinities and 1e38 in every float of Welcome and State") {
    WelcomeMessage welcome = sample_welcome();
    welcome.motion = {.gravity_mps2 = 9.5F,
                      .walk_mps = 4.25F,
                      .run_mps = 7.25F,
                      .swim_mps = 2.25F,
                      .jump_height_m = 1.125F,
                      .step_height_m = 0.625F,
                      .slope_max_deg = 50.5F,
                      .radius_m = 0.3125F,
                      .height_m = 1.75F,
                      .eye_height_m = 1.625F};
    check_floats(encode_welcome(welcome),
                 {0.01F,   0.02F,  0.03F,  0.04F, 0.05F, 0.06F,   0.07F,  0.08F,  0.09F,  0.11F,
                  0.12F,   0.13F,  0.14F,  0.15F, 0.16F, 0.351F,  0.9F,   0.352F, 0.501F, 0.502F,
                  0.503F,  8.125F, 10.5F,  9.5F,  4.25F, 7.25F,   2.25F,  1.125F, 0.625F, 50.5F,
                  0.3125F, 1.75F,  1.625F, 0.17F, 0.18F, 0.19F,   0.504F, 0.505F, 0.506F, 0.21F,
                  0.22F,   -0.23F, 0.24F,  0.25F, 0.26F, 260.25F, 0.375F, 1201.5F});
    check_floats(sample_frame("state"),
                 {12.25F, -3.5F, 100.75F, 1.5F, -9.75F, 0.375F, 0.625F, 0.1875F, -0.3125F});
}

}  // namespace
}  // namespace terrane
