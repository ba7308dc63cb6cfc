// Sessions over the loopback carrier, ticked by hand, and a client that reads whole messages: what
// the tests of this room play on.
#pragma once

#include <deque>
#include <string>

#include <doctest/doctest.h>

#include "server/net/loopback.h"
#include "server/session/sessions.h"
#include "shared/protocol/encode.h"
#include "shared/protocol/messages.h"

namespace terrane {

struct TestClient {
    LoopbackClient end;
    FrameReader reader{kToClientBytesMax};
    std::deque<Bytes> frames;

    explicit TestClient(LoopbackCarrier& carrier) : end(carrier.connect()) {}

    void read() {
        for (;;) {
            Bytes stream;
            if (end.receive(stream) == 0) {
                return;
            }
            std::span<const std::uint8_t> input = stream;
            for (;;) {
                const auto frame = reader.next(input);
                REQUIRE(frame.has_value());
                if (frame->empty()) {
                    break;
                }
                frames.emplace_back(frame->begin(), frame->end());
            }
        }
    }
    /// The last message must be a Leave: its reason, and its text in `text`.
    wire::LeaveReason leave_reason(std::string* text = nullptr) {
        read();
        REQUIRE_FALSE(frames.empty());
        AlignedBytes scratch;
        const auto message = verify_to_client(frames.back(), scratch);
        REQUIRE(message.has_value());
        const wire::Leave* leave = (*message)->message_as_Leave();
        REQUIRE(leave != nullptr);
        if (text != nullptr) {
            *text = leave->text()->str();
        }
        return leave->reason();
    }
};

struct TestZone {
    LoopbackCarrier carrier;
    Sessions sessions;
    std::uint32_t tick = 100;
    EntityId last_player = 1000;
    Received received;  ///< of the last step

    explicit TestZone(const SessionConfig& config = {}, const LoopbackConfig& loopback = {})
        : carrier(loopback), sessions(config, carrier) {}

    /// One tick; admits whoever asks, unless `admits` is false.
    void step(bool admits = true) {
        ++tick;
        received = sessions.receive(tick);
        if (admits) {
            for (const JoinRequest& join : received.joins) {
                sessions.admit(join.session, ++last_player, welcome(), tick);
            }
        }
        sessions.flush();
    }
    void step_many(int ticks) {
        for (int i = 0; i < ticks; ++i) {
            step();
        }
    }
    SharedBytes welcome() const {
        WelcomeMessage message;
        message.player_id = last_player;
        message.materials.resize(3);
        message.kinds.resize(1);
        return std::make_shared<const Bytes>(encode_welcome(message));
    }
    /// A client that plays under `name`.
    TestClient join(const std::string& name) {
        TestClient client(carrier);
        client.end.send(encode_hello({.name = name}));
        step();
        client.read();
        REQUIRE(client.frames.size() == 1);
        client.frames.clear();
        return client;
    }
    std::vector<const InputCommand*> inputs() const {
        std::vector<const InputCommand*> out;
        for (const Command& command : received.commands) {
            if (const auto* input = std::get_if<InputCommand>(&command)) {
                out.push_back(input);
            }
        }
        return out;
    }
};

}  // namespace terrane
