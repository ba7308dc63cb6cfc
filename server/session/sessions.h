// The zone's side of all its players' stays: polls the carrier, runs the state machine drawn in
// session.h, and hands the program what it must decide or carry into the world. A tick calls
//
//   receive(tick)            -> Received: left, joins, commands, hash requests, refused edits
//   admit / close / send     any number
//   flush()                  once, at the end
//
// so that a session's last message, Leave, goes out with the tick that ended it.
#pragma once

#include <string_view>

#include "server/net/carrier.h"
#include "server/session/inbox.h"

namespace terrane {

/// Thread: tick; send() also from workers.
class Sessions {
  public:
    /// The carrier must be started, and outlive this.
    Sessions(const SessionConfig& config, Carrier& carrier);
    Sessions(const Sessions&) = delete;
    Sessions& operator=(const Sessions&) = delete;

    /// Everything of this tick. Valid until the next call.
    const Received& receive(std::uint32_t tick);
    /// Answer to a JoinRequest: the session plays as `player`. false: it is no longer joining.
    bool admit(SessionId session, EntityId player, SharedBytes welcome, std::uint32_t tick);
    /// Sends Leave and ends the session; it is in the next Received.left. Nothing if it is leaving.
    void close(SessionId session, LeaveReason reason, std::string_view text);
    void close_all(LeaveReason reason, std::string_view text);
    /// false: unknown, leaving, or slow (then it ends by itself).
    bool send(SessionId session, SharedBytes frame);
    /// Bytes sent that its socket has not taken yet: bulk waits while this is high.
    std::size_t queued_bytes(SessionId session) const;
    void flush() { carrier_.flush(); }

    /// Playing sessions in this tick's order (id order rotated). Valid until the next receive or
    /// list.
    const std::vector<Session*>& list_playing(std::uint32_t tick);
    Session* find(SessionId session) { return table_.find(session); }
    /// Among those joining or playing.
    const Session* find_name(std::string_view name) const { return table_.find_name(name); }
    Session* find_player(EntityId player) { return table_.find_player(player); }
    std::size_t count(SessionState state) const { return table_.count(state); }
    const SessionStats& stats() const { return stats_; }

  private:
    void take_event(const CarrierEvent& event, std::uint32_t tick);
    void take_closed(Session& session, CloseReason reason);
    void end(Session& session, LeaveReason reason, std::string_view text);
    void note_left(Session& session, LeaveReason reason);
    void close_overdue(std::uint32_t tick);
    bool may_log();
    void start_log_second(std::uint32_t tick);

    SessionConfig config_;
    Carrier& carrier_;
    SessionTable table_;
    SessionStats stats_;
    Inbox inbox_;
    CarrierEvents events_;
    Received received_;
    std::vector<LeftSession> left_;  ///< since the last receive
    std::vector<Session*> listed_;
    std::uint32_t log_second_ = 0;
    std::uint32_t logged_count_ = 0;    ///< lines in this second
    std::uint32_t unlogged_count_ = 0;  ///< comings and goings over the limit, in this second
};

}  // namespace terrane
