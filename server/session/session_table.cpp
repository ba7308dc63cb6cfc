#include "server/session/session_table.h"

#include <algorithm>

#include "shared/core/assert.h"

namespace terrane {

const char* name_of(SessionState state) {
    constexpr std::array<const char*, kSessionStateCount> kNames{"hello_wait", "joining", "playing",
                                                                 "leaving"};
    return kNames[static_cast<std::size_t>(state)];
}

Session::Session(SessionId session_id, ConnectionId connection_id, std::uint32_t tick,
                 const SessionConfig& config)
    : id(session_id),
      connection(connection_id),
      state_tick(tick),
      input_tick(tick),
      input_messages(config.inputs, config.tick_rate_hz, tick),
      // One a tick and 1 % more, so that a client whose clock is a little fast does not fill its
      // queue.
      input_runs({.per_second = 101, .burst = config.input_burst_ticks}, 100, tick),
      edits(config.edits, config.tick_rate_hz, tick),
      hash_requests(config.hash_requests, config.tick_rate_hz, tick),
      lines(config.lines, config.tick_rate_hz, tick),
      bytes(config.bytes, config.tick_rate_hz, tick) {}

Session& SessionTable::open(ConnectionId connection, std::uint32_t tick,
                            const SessionConfig& config) {
    const SessionId id = ++last_id_;
    auto& session = by_id_[id];
    session = std::make_unique<Session>(id, connection, tick, config);
    by_connection_[connection] = session.get();
    return *session;
}

void SessionTable::set_player(Session& session, EntityId player) {
    TERRANE_ASSERT(player != 0 && session.player == 0 && !by_player_.contains(player));
    session.player = player;
    by_player_[player] = &session;
}

void SessionTable::erase(SessionId id) {
    const auto it = by_id_.find(id);
    if (it == by_id_.end()) {
        return;
    }
    by_connection_.erase(it->second->connection);
    release_player(*it->second);
    by_id_.erase(it);
}

void SessionTable::release_player(const Session& session) {
    const auto player = by_player_.find(session.player);
    if (player != by_player_.end() && player->second == &session) {
        by_player_.erase(player);
    }
}

Session* SessionTable::find(SessionId id) {
    const auto it = by_id_.find(id);
    return it == by_id_.end() ? nullptr : it->second.get();
}

const Session* SessionTable::find(SessionId id) const {
    const auto it = by_id_.find(id);
    return it == by_id_.end() ? nullptr : it->second.get();
}

Session* SessionTable::find_connection(ConnectionId connection) {
    const auto it = by_connection_.find(connection);
    return it == by_connection_.end() ? nullptr : it->second;
}

Session* SessionTable::find_player(EntityId player) {
    const auto it = by_player_.find(player);
    return it == by_player_.end() ? nullptr : it->second;
}

const Session* SessionTable::find_name(std::string_view name) const {
    for (const auto& [id, session] : by_id_) {
        const bool is_in =
            session->state == SessionState::joining || session->state == SessionState::playing;
        if (is_in && session->name == name) {
            return session.get();
        }
    }
    return nullptr;
}

std::size_t SessionTable::count(SessionState state) const {
    return static_cast<std::size_t>(
        std::count_if(by_id_.begin(), by_id_.end(),
                      [state](const auto& entry) { return entry.second->state == state; }));
}

void SessionTable::list(SessionState state, std::uint32_t tick, std::vector<Session*>& out) {
    out.clear();
    for (const auto& [id, session] : by_id_) {
        if (session->state == state) {
            out.push_back(session.get());
        }
    }
    if (!out.empty()) {
        const auto first = static_cast<std::ptrdiff_t>(tick % out.size());
        std::rotate(out.begin(), out.begin() + first, out.end());
    }
}

void SessionTable::list_all(std::vector<Session*>& out) {
    out.clear();
    for (const auto& [id, session] : by_id_) {
        out.push_back(session.get());
    }
}

}  // namespace terrane
