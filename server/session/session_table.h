// All sessions, found by id, by connection, by player and by name. Iteration runs in id order,
// rotated by the tick, so that nobody is always served first and a replay serves in the same order.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/session/session.h"

namespace terrane {

/// Pointers stay valid until erase. Thread: tick.
class SessionTable {
  public:
    Session& open(ConnectionId connection, std::uint32_t tick, const SessionConfig& config);
    void set_player(Session& session, EntityId player);
    /// It leaves: find_player no longer finds it, and its name and player may join anew.
    void release_player(const Session& session);
    void erase(SessionId id);

    Session* find(SessionId id);
    const Session* find(SessionId id) const;
    Session* find_connection(ConnectionId connection);
    Session* find_player(EntityId player);
    /// Among those joining or playing.
    const Session* find_name(std::string_view name) const;
    std::size_t size() const { return by_id_.size(); }
    std::size_t count(SessionState state) const;
    /// In state `state`, in this tick's order. `out` is replaced.
    void list(SessionState state, std::uint32_t tick, std::vector<Session*>& out);
    /// Everyone, ascending by id.
    void list_all(std::vector<Session*>& out);

  private:
    std::map<SessionId, std::unique_ptr<Session>> by_id_;
    std::unordered_map<ConnectionId, Session*> by_connection_;
    std::unordered_map<EntityId, Session*> by_player_;
    SessionId last_id_ = 0;
};

}  // namespace terrane
