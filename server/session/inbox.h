// From frames to what the zone acts on. A frame is verified (shared/protocol/messages.h), must be
// legal in the session's state (one table, in inbox.cpp) and within its rates; then it becomes an
// entry of Received. Nothing here changes the world or sends anything.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schemas/to_server_generated.h"
#include "server/session/session_stats.h"
#include "server/session/session_table.h"

namespace terrane {

/// A good Hello: answer it with Sessions::admit or Sessions::close.
struct JoinRequest {
    SessionId session = 0;
    std::string name;
    std::uint8_t view_chunks = 0;  ///< granted
};
struct HashRequest {
    SessionId session = 0;
    std::vector<ChunkCoord> chunks;
};
/// An edit that the session refused before the world saw it: Reject{rate} goes to the client.
struct RefusedEdit {
    SessionId session = 0;
    std::uint32_t edit = 0;
    ChunkCoord chunk;  ///< of its centre
};
/// What a session wants to see of physics; whether it may is the zone's matter.
struct DebugRequest {
    SessionId session = 0;
    bool contacts = false;
    bool water = false;
};
/// A line of chat over the session's rate: it goes nowhere, and its author is told.
struct RefusedLine {
    SessionId session = 0;
};
struct LeftSession {
    SessionId session = 0;
    EntityId player = 0;  ///< 0: was never admitted
    std::string name;
    LeaveReason reason = LeaveReason::none;
};

/// What one tick received. Take `left` first, then `joins`: a name that left may come back at once.
struct Received {
    std::vector<LeftSession> left;
    std::vector<JoinRequest> joins;
    /// LeaveCommand of every player in `left`, lines of chat as they came, then the inputs of this
    /// tick, sessions in id order rotated by the tick.
    std::vector<Command> commands;
    std::vector<HashRequest> hash_requests;
    std::vector<DebugRequest> debug_requests;
    std::vector<RefusedEdit> refused_edits;
    std::vector<RefusedLine> refused_lines;

    void clear();
};

/// Why a session must end; `text` is for the person at the client.
struct Refusal {
    LeaveReason reason = LeaveReason::none;
    std::string text;
};

class Inbox {
  public:
    Inbox(const SessionConfig& config, SessionTable& table, SessionStats& stats)
        : config_(config), table_(table), stats_(stats) {}

    /// Handles one frame of `session`; a Refusal ends the session.
    std::optional<Refusal> receive(Session& session, std::span<const std::uint8_t> frame,
                                   std::uint32_t tick, Received& received);
    /// Moves the inputs whose turn it is into `received.commands`.
    void run_inputs(Session& session, std::uint32_t tick, Received& received);

  private:
    struct Turn;
    struct Rule;
    static const Rule kRules[];

    std::optional<Refusal> take_hello(Turn& turn);
    std::optional<Refusal> take_input(Turn& turn);
    std::optional<Refusal> take_hash_request(Turn& turn);
    std::optional<Refusal> take_debug_request(Turn& turn);
    std::optional<Refusal> take_say(Turn& turn);
    std::optional<Refusal> take_quit(Turn& turn);
    void shrink_queue(Session& session);
    void take_edits(Turn& turn, const wire::Input& input, InputCommand& command);
    void refuse_edits(Turn& turn, const wire::Input& input);

    const SessionConfig& config_;
    SessionTable& table_;
    SessionStats& stats_;
    AlignedBytes scratch_;
};

}  // namespace terrane
