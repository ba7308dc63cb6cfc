// A session: one player's stay, from the connection to its end. Its state says which messages are
// legal (the table is in inbox.cpp).
//
//    carrier: opened
//          |
//          v      Hello             Sessions::admit
//     hello_wait -------> joining -----------------> playing
//          |                 |                          |     any message that is wrong, over its
//          +-----------------+--------------------------+     rate or out of state; Quit; timeout;
//          |                                                  close(): Leave is sent, the player
//          v                      carrier: closed             leaves the world
//       leaving -----------------------------------------> gone: no longer in the table
//
// A connection that closes by itself goes to gone at once. `joining` is the time in which the
// program finds the player's stored state and gives it an entity.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "schemas/types_generated.h"
#include "server/net/carrier.h"
#include "server/session/rate_limit.h"
#include "server/world/command.h"

namespace terrane {

/// Grows from 1, never used again in a process.
using SessionId = std::uint64_t;
using wire::LeaveReason;

enum class SessionState : std::uint8_t { hello_wait, joining, playing, leaving };
inline constexpr std::size_t kSessionStateCount = 4;
const char* name_of(SessionState state);

struct SessionConfig {
    std::uint32_t tick_rate_hz = 20;
    std::uint32_t players_max = 1024;
    std::uint8_t view_chunks_max = 8;
    std::uint32_t hello_timeout_s = 5;   ///< from opened to Hello
    std::uint32_t join_timeout_s = 30;   ///< from Hello to admit
    std::uint32_t input_timeout_s = 30;  ///< since the last Input
    Rate inputs{.per_second = 64, .burst = 128};
    Rate edits{.per_second = 10, .burst = 20};
    Rate hash_requests{.per_second = 4, .burst = 8};
    Rate lines{.per_second = 1, .burst = 5};  ///< of chat
    Rate bytes{.per_second = 64 * 1024, .burst = 256 * 1024};
    std::uint32_t inputs_per_tick_max = 3;
    std::uint32_t input_queue_max = 32;
    /// Inputs run on average one a tick, and this many late ones at once: a client cannot gain more
    /// than a quarter of a second by sending its inputs faster.
    std::uint32_t input_burst_ticks = 5;
};

/// Owner: SessionTable. Thread: tick.
struct Session {
    Session(SessionId session_id, ConnectionId connection_id, std::uint32_t tick,
            const SessionConfig& config);

    SessionId id;
    ConnectionId connection;
    SessionState state = SessionState::hello_wait;
    LeaveReason leave_reason = LeaveReason::none;
    EntityId player = 0;  ///< 0 until admitted
    std::string name;     ///< empty until Hello
    std::string address;
    std::uint8_t view_chunks = 0;     ///< granted
    std::uint32_t state_tick;         ///< when `state` began
    std::uint32_t input_tick;         ///< zone tick of the last Input
    std::uint32_t client_tick = 0;    ///< of the newest Input that came
    std::uint32_t last_edit_id = 0;   ///< newest that came
    std::deque<InputCommand> inputs;  ///< wait for their tick, oldest first

    TokenBucket input_messages;
    TokenBucket input_runs;  ///< see input_burst_ticks
    TokenBucket edits;
    TokenBucket hash_requests;
    TokenBucket lines;
    TokenBucket bytes;
};

}  // namespace terrane
