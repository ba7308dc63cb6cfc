// The zone's end of a session, in the test's hands: it speaks real messages through a stream inside
// the process, and reads what the client sent with the zone's own verifier.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client-stub/session/client_session.h"
#include "shared/core/assert.h"
#include "shared/protocol/encode.h"
#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"

namespace terrane::test {

inline constexpr MaterialId kRock = 2;
inline constexpr MaterialId kPlanks = 3;
inline constexpr MaterialId kBedrock = 4;

/// Both directions of one connection.
struct Pipe {
    Bytes to_client;
    Bytes to_zone;
    bool is_connecting = false;
    bool is_open = true;
    std::string reason;
};

class PipeStream final : public ByteStream {
  public:
    explicit PipeStream(std::shared_ptr<Pipe> pipe) : pipe_(std::move(pipe)) {}

    void send(std::span<const std::uint8_t> bytes) override {
        if (pipe_->is_open) {
            pipe_->to_zone.insert(pipe_->to_zone.end(), bytes.begin(), bytes.end());
        }
    }
    std::size_t receive(std::vector<std::uint8_t>& out) override {
        const std::size_t count = pipe_->to_client.size();
        out.insert(out.end(), pipe_->to_client.begin(), pipe_->to_client.end());
        pipe_->to_client.clear();
        return count;
    }
    bool is_open() const override { return pipe_->is_open; }
    bool is_connecting() const override { return pipe_->is_connecting; }
    const std::string& close_reason() const override { return pipe_->reason; }
    void close(std::string_view reason) override {
        if (pipe_->is_open) {
            pipe_->is_open = false;
            pipe_->reason = reason;
        }
    }

  private:
    std::shared_ptr<Pipe> pipe_;
};

inline WelcomeMessage small_welcome() {
    WelcomeMessage welcome;
    welcome.server_version = "9.9.9";
    welcome.player_id = 77;
    welcome.tick = 100;
    welcome.bounds = {{-2, -1, -2}, {2, 2, 2}};
    welcome.view_chunks = 3;
    welcome.materials = {{"air", 0, 0, 0, 0, false},
                         {"water", 0, 0, 1, 0, false},
                         {"rock", 0.5F, 0.5F, 0.5F, 0.8F, true},
                         {"planks", 0.4F, 0.3F, 0.2F, 0.8F, true},
                         {"bedrock", 0.1F, 0.1F, 0.1F, 0.8F, false}};
    welcome.kinds = {
        {"player", wire::KindShape::player, Vec3(0.35F, 0.9F, 0.35F), 1, 1, 1},
        {"crate", wire::KindShape::box, Vec3(0.5F), 0.5F, 0.4F, 0.3F},
        {"boat",
         wire::KindShape::box,
         Vec3(1.8F, 0.35F, 0.75F),
         0.5F,
         0.4F,
         0.3F,
         false,
         {Vec3(-0.8F, -0.2F, 0.0F), Vec3(0.8F, -0.2F, 0.0F)}},
        {"pine", wire::KindShape::cylinder, Vec3(0.25F, 3.0F, 0.25F), 0.2F, 0.1F, 0.05F, true},
        {"piece", wire::KindShape::piece, Vec3(0.0F)}};
    return welcome;
}

/// A verified message and the memory it lies in.
template <typename Root>
struct Held {
    Bytes frame;
    AlignedBytes scratch;
    const Root* root = nullptr;
};

inline std::unique_ptr<Held<wire::ToClient>> hold_to_client(Bytes frame) {
    auto held = std::make_unique<Held<wire::ToClient>>();
    held->frame = std::move(frame);
    const auto root = verify_to_client(held->frame, held->scratch);
    TERRANE_ASSERT_MSG(root.has_value(), "a test wrote a bad message");
    held->root = *root;
    return held;
}

inline ZoneInfo small_zone_info() {
    return to_zone_info(
        *hold_to_client(encode_welcome(small_welcome()))->root->message_as_Welcome());
}

/// A State of values; replication's own writer is not needed for a few nodes.
struct NodeEnterMessage {
    std::uint16_t slot = 0;
    std::uint8_t generation = 0;
    std::uint8_t kind = 0;
    std::uint64_t id = 0;
    std::string name;
};
struct StateMessage {
    std::uint32_t tick = 0;
    std::uint32_t applied_input = 0;
    PlayerState own;
    std::vector<NodeEnterMessage> enters;
    std::vector<std::uint16_t> exits;
    std::vector<wire::NodeTransform> nodes;
    std::vector<wire::NodeSeat> seats;
    std::uint64_t vehicle = 0;
    std::uint8_t seat = 0;
};

inline StateMessage state_at(std::uint32_t tick, std::uint32_t applied_input = 0) {
    StateMessage state;
    state.tick = tick;
    state.applied_input = applied_input;
    return state;
}

inline Bytes encode_state(const StateMessage& state) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<wire::NodeEnter>> enters;
    for (const NodeEnterMessage& enter : state.enters) {
        enters.push_back(wire::CreateNodeEnterDirect(builder, enter.slot, enter.generation,
                                                     enter.kind, enter.id, enter.name.c_str()));
    }
    const wire::OwnState own = to_wire(state.own, state.vehicle, state.seat);
    const auto message = wire::CreateStateDirect(builder, state.tick, state.applied_input, &own,
                                                 &enters, &state.exits, &state.nodes, &state.seats);
    return finish_message(builder, wire::ToClientMessage::State, message.Union());
}

inline wire::NodeTransform node_at(const Vec3& position, std::uint16_t slot,
                                   std::uint8_t generation, std::uint8_t flags = 0) {
    return to_wire(quantise_position(position), quantise_rotation(kNoRotation), slot, generation,
                   flags);
}

class ScriptedZone {
  public:
    ScriptedZone() : pipe(std::make_shared<Pipe>()) {}

    std::unique_ptr<ByteStream> stream() { return std::make_unique<PipeStream>(pipe); }
    void send(const Bytes& bytes) {
        pipe->to_client.insert(pipe->to_client.end(), bytes.begin(), bytes.end());
    }
    void send_chunk(const ChunkCoord& c, const Chunk& chunk) {
        send(encode_chunk(c, encode_chunk(chunk)));
    }

    /// The client's next message, or nullptr. Asserts that it is a good one. Valid until the next.
    const wire::ToServer* next() {
        arrived_.insert(arrived_.end(), pipe->to_zone.begin(), pipe->to_zone.end());
        pipe->to_zone.clear();
        std::span<const std::uint8_t> input(arrived_);
        const auto frame = reader_.next(input);
        TERRANE_ASSERT_MSG(frame.has_value(), "the client sent no frame");
        arrived_.erase(arrived_.begin(),
                       arrived_.end() - static_cast<std::ptrdiff_t>(input.size()));
        if (frame->empty()) {
            return nullptr;
        }
        const auto root = verify_to_server(*frame, scratch_);
        TERRANE_ASSERT_MSG(root.has_value(), "the client sent a bad message");
        return *root;
    }

    std::shared_ptr<Pipe> pipe;

  private:
    FrameReader reader_{kToServerBytesMax};
    Bytes arrived_;
    AlignedBytes scratch_;
};

}  // namespace terrane::test
