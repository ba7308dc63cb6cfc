#include "server/session/sessions.h"

#include <utility>

#include "shared/core/log.h"
#include "shared/protocol/encode.h"

namespace terrane {
namespace {

LeaveReason leave_reason_of(CloseReason reason) {
    switch (reason) {
        case CloseReason::slow:
            return LeaveReason::slow;
        case CloseReason::bad_frame:
            return LeaveReason::bad_message;
        case CloseReason::login_deadline:
            return LeaveReason::timeout;
        case CloseReason::stopping:
        case CloseReason::by_zone:
            return LeaveReason::server_stopping;
        case CloseReason::none:
        case CloseReason::by_peer:
        case CloseReason::io_error:
            break;
    }
    return LeaveReason::quit;
}

}  // namespace

Sessions::Sessions(const SessionConfig& config, Carrier& carrier)
    : config_(config), carrier_(carrier), inbox_(config_, table_, stats_) {}

const Received& Sessions::receive(std::uint32_t tick) {
    start_log_second(tick);
    received_.clear();
    carrier_.poll(events_);
    for (const CarrierEvent& event : events_.events) {
        take_event(event, tick);
    }
    close_overdue(tick);
    received_.left.swap(left_);
    for (const LeftSession& left : received_.left) {
        if (left.player != 0) {
            received_.commands.emplace_back(LeaveCommand{left.player});
        }
    }
    for (Session* session : list_playing(tick)) {
        inbox_.run_inputs(*session, tick, received_);
    }
    return received_;
}

void Sessions::take_event(const CarrierEvent& event, std::uint32_t tick) {
    if (event.kind == CarrierEventKind::opened) {
        ++stats_.opened;
        table_.open(event.connection, tick, config_).address = events_.address_of(event);
        return;
    }
    Session* session = table_.find_connection(event.connection);
    if (session == nullptr) {
        return;
    }
    if (event.kind == CarrierEventKind::closed) {
        return take_closed(*session, event.reason);
    }
    if (session->state == SessionState::leaving) {
        return;
    }
    if (const auto refusal = inbox_.receive(*session, events_.frame_of(event), tick, received_)) {
        end(*session, refusal->reason, refusal->text);
    }
}

void Sessions::take_closed(Session& session, CloseReason reason) {
    if (session.state != SessionState::leaving) {
        note_left(session, leave_reason_of(reason));
    }
    table_.erase(session.id);
}

bool Sessions::admit(SessionId id, EntityId player, SharedBytes welcome, std::uint32_t tick) {
    Session* session = table_.find(id);
    if (session == nullptr || session->state != SessionState::joining) {
        return false;
    }
    table_.set_player(*session, player);
    session->state = SessionState::playing;
    session->state_tick = tick;
    session->input_tick = tick;
    ++stats_.admitted;
    carrier_.admit(session->connection);
    carrier_.send(session->connection, std::move(welcome));
    if (may_log()) {
        log_info("session {}: '{}' joins from {}", session->id, session->name, session->address);
    }
    return true;
}

void Sessions::close(SessionId id, LeaveReason reason, std::string_view text) {
    if (Session* session = table_.find(id); session != nullptr) {
        end(*session, reason, text);
    }
}

void Sessions::close_all(LeaveReason reason, std::string_view text) {
    table_.list_all(listed_);
    for (Session* session : listed_) {
        end(*session, reason, text);
    }
}

void Sessions::end(Session& session, LeaveReason reason, std::string_view text) {
    if (session.state == SessionState::leaving) {
        return;
    }
    carrier_.send(session.connection, std::make_shared<const Bytes>(encode_leave(reason, text)));
    carrier_.close(session.connection);
    note_left(session, reason);
    session.state = SessionState::leaving;
    session.leave_reason = reason;
    session.inputs.clear();
}

void Sessions::note_left(Session& session, LeaveReason reason) {
    table_.release_player(session);
    ++stats_.left[static_cast<std::size_t>(reason)];
    if (!session.name.empty() && may_log()) {
        log_info("session {}: '{}' leaves: {}", session.id, session.name,
                 wire::EnumNameLeaveReason(reason));
    }
    left_.push_back(
        {.session = session.id, .player = session.player, .name = session.name, .reason = reason});
}

void Sessions::close_overdue(std::uint32_t tick) {
    table_.list_all(listed_);
    for (Session* session : listed_) {
        const std::uint32_t in_state_s = (tick - session->state_tick) / config_.tick_rate_hz;
        const std::uint32_t silent_s = (tick - session->input_tick) / config_.tick_rate_hz;
        switch (session->state) {
            case SessionState::hello_wait:
                if (in_state_s >= config_.hello_timeout_s) {
                    end(*session, LeaveReason::timeout, "no Hello came");
                }
                break;
            case SessionState::joining:
                if (in_state_s >= config_.join_timeout_s) {
                    end(*session, LeaveReason::timeout, "the zone did not answer in time");
                }
                break;
            case SessionState::playing:
                if (silent_s >= config_.input_timeout_s) {
                    end(*session, LeaveReason::timeout, "no input came");
                }
                break;
            case SessionState::leaving:
                break;
        }
    }
}

/// Strangers decide how often sessions come and go, not how long the log gets.
bool Sessions::may_log() {
    constexpr std::uint32_t kLinesPerSecondMax = 20;
    if (logged_count_ < kLinesPerSecondMax) {
        ++logged_count_;
        return true;
    }
    ++unlogged_count_;
    return false;
}

void Sessions::start_log_second(std::uint32_t tick) {
    const std::uint32_t second = tick / config_.tick_rate_hz;
    if (second == log_second_) {
        return;
    }
    if (unlogged_count_ > 0) {
        log_info("{} more sessions came or went in this second", unlogged_count_);
    }
    log_second_ = second;
    logged_count_ = 0;
    unlogged_count_ = 0;
}

bool Sessions::send(SessionId id, SharedBytes frame) {
    const Session* session = std::as_const(table_).find(id);
    return session != nullptr && session->state != SessionState::leaving &&
           carrier_.send(session->connection, std::move(frame));
}

std::size_t Sessions::queued_bytes(SessionId id) const {
    const Session* session = table_.find(id);
    return session == nullptr ? 0 : carrier_.queued_bytes(session->connection);
}

const std::vector<Session*>& Sessions::list_playing(std::uint32_t tick) {
    table_.list(SessionState::playing, tick, listed_);
    return listed_;
}

}  // namespace terrane
