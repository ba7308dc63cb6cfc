// One player's session with the zone, over any byte stream. It never waits and asks no clock: the
// owner calls receive() when bytes may have come and tick() once a client tick.
//
//   connecting ──open──> hello_sent ──Welcome──> playing ──quit()──> quitting
//       │                    │                      │                    │
//       └── refused, no      ├── Leave, another     ├── Leave, bytes     ├── Leave, stream ended,
//           answer in time   │   protocol, no       │   that make no     │   no answer in time
//                            │   answer in time     │   sense, lost      │
//                            v                      v                    v
//                                               left (leave_reason, leave_text)
//
// Sent:     Hello once; Input numbered from 1 without gaps, with its edits numbered from 1;
//           HashRequest; Say; Quit.
// Received: every frame is verified (shared/protocol) before a byte of it is believed, then goes to
//           the replica; what an owner wants to know at once is listed in SessionEvents.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client-stub/session/connection.h"
#include "client-stub/session/prediction.h"
#include "client-stub/session/replica.h"
#include "shared/core/clock.h"
#include "shared/protocol/framing.h"
#include "shared/voxel/brush.h"

namespace terrane {

enum class ClientSessionState : std::uint8_t { connecting, hello_sent, playing, quitting, left };

struct ClientSessionConfig {
    std::string name;
    std::uint8_t view_chunks = 8;
    std::string client_version;
    Nanoseconds answer_timeout{10'000'000'000};  ///< for Welcome, and for the end after Quit
    /// The own player and edits are predicted: then the replica's changes go to the prediction,
    /// which passes them on.
    bool is_predicting = false;
    ReplicaConfig replica;
};

/// An edit of ours is in the zone. One event a chunk that it changed.
struct OwnEdit {
    std::uint32_t id = 0;
    ChunkCoord chunk;
    std::uint32_t revision = 0;  ///< that it made; 0 if the zone put other operations in its place
    bool is_first = false;       ///< of this edit's chunks
};

struct RefusedOwnEdit {
    std::uint32_t id = 0;
    wire::RejectReason reason = wire::RejectReason::none;
    ChunkCoord chunk;
    std::uint32_t revision = 0;
};

/// A line for people. No sender: the zone says it.
struct ChatEvent {
    std::string sender;
    std::string text;
};

/// A point where bodies touch, and a body in water: what the zone shows of its physics.
struct DebugTouch {
    Vec3 point{0.0F};
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< towards the body
    float depth_m = 0.0F;           ///< positive: apart
    bool is_ground = false;
};
struct DebugAfloat {
    Vec3 middle{0.0F};
    float level_m = 0.0F;
    float share = 0.0F;  ///< under water
};
/// The newest answer to show_debug().
struct DebugPicture {
    std::uint32_t tick = 0;  ///< 0: none came
    bool is_refused = false;
    std::vector<DebugTouch> touches;
    std::vector<DebugAfloat> afloat;
};

/// What one receive() brought.
struct SessionEvents {
    bool is_welcomed = false;
    unsigned states = 0;
    unsigned chunks = 0;
    unsigned hash_answers = 0;
    std::vector<ChunkCoord> arrived_chunks;  ///< whole, in order; before their operations
    std::vector<AppliedOp> ops;              ///< in the replica now
    std::vector<OwnEdit> own_edits;
    std::vector<RefusedOwnEdit> refused_edits;
    std::vector<ChatEvent> chats;
};

struct SessionCounters {
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t messages_in = 0;
    std::uint64_t inputs_sent = 0;
    std::uint64_t edits_sent = 0;
    std::uint64_t edits_applied = 0;
    std::uint64_t edits_refused = 0;
    std::uint64_t hash_requests = 0;
    std::uint64_t hash_answers = 0;
};

/// Thread: one.
class ClientSession {
  public:
    ClientSession(std::unique_ptr<ByteStream> stream, ClientSessionConfig config, Nanoseconds now);

    /// Reads, verifies and applies what has come. Valid until the next call.
    const SessionEvents& receive(Nanoseconds now);

    /// Sends the next Input. Returns the id of edits[0]; the others follow it. Only while playing,
    /// at most kEditsPerInputMax edits; otherwise no effect and 0.
    std::uint32_t tick(const PlayerControls& controls, std::span<const Brush> edits);
    /// Asks for the zone's hashes of 1 to kHashRequestChunksMax chunks; the replica compares them.
    void request_hashes(std::span<const ChunkCoord> chunks);
    /// A line for everybody, made fit (core/utf8.h). Nothing is sent if nothing is left, and only
    /// while playing.
    void say(std::string_view text);
    /// Asks to be shown contacts and water around the player from now on; both false ends it.
    void show_debug(bool contacts, bool water);
    const DebugPicture& debug_picture() const { return debug_picture_; }
    /// Says goodbye; receive() until left.
    void quit(Nanoseconds now);

    ClientSessionState state() const { return state_; }
    /// nullptr until welcomed; stays after leaving.
    const Replica* replica() const { return replica_ ? &*replica_ : nullptr; }
    Replica* replica() { return replica_ ? &*replica_ : nullptr; }
    /// nullptr until welcomed, or unless asked for.
    const Prediction* prediction() const { return prediction_ ? &*prediction_ : nullptr; }
    Prediction* prediction() { return prediction_ ? &*prediction_ : nullptr; }
    const std::string& name() const { return config_.name; }
    /// Number of the newest Input.
    std::uint32_t client_tick() const { return client_tick_; }
    const SessionCounters& counters() const { return counters_; }

    bool is_left() const { return state_ == ClientSessionState::left; }
    /// The zone's, or none if the stream or this side ended it.
    wire::LeaveReason leave_reason() const { return leave_reason_; }
    /// One line for a person. Empty until left.
    const std::string& leave_text() const { return leave_text_; }

  private:
    struct SentEdit {
        std::uint32_t id = 0;
        Brush brush;
        bool is_applied = false;
    };

    void send(const Bytes& frame);
    void advance(Nanoseconds now);
    void read_frames();
    Result<void> take(const wire::ToClient& root);
    Result<void> take_welcome(const wire::Welcome& welcome);
    Result<void> take_in_zone(const wire::ToClient& root);
    Result<void> take_ops(const wire::ChunkOps& message);
    void take_debug(const wire::DebugContacts& message);
    void take_chat(const wire::Chat& message);
    void take_reject(const wire::Reject& reject);
    void take_leave(const wire::Leave& message);
    void leave(wire::LeaveReason reason, std::string text);
    SentEdit* find_sent(std::uint32_t id);

    std::unique_ptr<ByteStream> stream_;
    ClientSessionConfig config_;
    ClientSessionState state_ = ClientSessionState::connecting;
    Nanoseconds answer_deadline_;
    FrameReader reader_;
    AlignedBytes scratch_;
    Bytes arrived_;
    std::optional<Replica> replica_;
    std::optional<Prediction> prediction_;
    DebugPicture debug_picture_;
    SessionEvents events_;
    SessionCounters counters_;
    std::uint32_t client_tick_ = 0;
    std::uint32_t edit_id_ = 0;
    std::deque<SentEdit> sent_edits_;  ///< newest last, ids without gaps
    wire::LeaveReason leave_reason_ = wire::LeaveReason::none;
    std::string leave_text_;
};

}  // namespace terrane
