#include "server/session/inbox.h"

#include <algorithm>

#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"

namespace terrane {
namespace {

std::string text_of(const flatbuffers::String* text) {
    return text == nullptr ? std::string{} : text->str();
}

ChunkCoord chunk_of_centre(const Brush& brush) {
    constexpr int kShift = 4 + kChunkShift;  // 16 brush units a voxel
    static_assert(kBrushUnitsPerVoxel == 1 << 4);
    return {brush.centre_x >> kShift, brush.centre_y >> kShift, brush.centre_z >> kShift};
}

RefusedEdit refused(const Session& session, std::uint32_t edit, const Brush& brush) {
    return {.session = session.id, .edit = edit, .chunk = chunk_of_centre(brush)};
}

}  // namespace

void Received::clear() {
    left.clear();
    joins.clear();
    commands.clear();
    hash_requests.clear();
    debug_requests.clear();
    refused_edits.clear();
    refused_lines.clear();
}

/// One message on its way.
struct Inbox::Turn {
    Session& session;
    const wire::ToServer& message;
    std::uint32_t tick;
    Received& received;
};

/// What is legal when.
struct Inbox::Rule {
    wire::ToServerMessage type;
    SessionState state;
    std::optional<Refusal> (Inbox::*take)(Turn&);
};

const Inbox::Rule Inbox::kRules[] = {
    {wire::ToServerMessage::Hello, SessionState::hello_wait, &Inbox::take_hello},
    {wire::ToServerMessage::Input, SessionState::playing, &Inbox::take_input},
    {wire::ToServerMessage::HashRequest, SessionState::playing, &Inbox::take_hash_request},
    {wire::ToServerMessage::DebugRequest, SessionState::playing, &Inbox::take_debug_request},
    {wire::ToServerMessage::Say, SessionState::playing, &Inbox::take_say},
    {wire::ToServerMessage::Quit, SessionState::joining, &Inbox::take_quit},
    {wire::ToServerMessage::Quit, SessionState::playing, &Inbox::take_quit},
};

std::optional<Refusal> Inbox::receive(Session& session, std::span<const std::uint8_t> frame,
                                      std::uint32_t tick, Received& received) {
    ++stats_.messages;
    if (!session.bytes.take(tick, frame.size())) {
        return Refusal{LeaveReason::rate,
                       fmt::format("more than {} bytes/s", config_.bytes.per_second)};
    }
    const auto message = verify_to_server(frame, scratch_);
    if (!message) {
        return Refusal{LeaveReason::bad_message, message.error().message};
    }
    const wire::ToServerMessage type = (*message)->message_type();
    for (const Rule& rule : kRules) {
        if (rule.type == type && rule.state == session.state) {
            Turn turn{session, **message, tick, received};
            return (this->*rule.take)(turn);
        }
    }
    return Refusal{LeaveReason::bad_state,
                   fmt::format("{} is not allowed in state {}", wire::EnumNameToServerMessage(type),
                               name_of(session.state))};
}

std::optional<Refusal> Inbox::take_hello(Turn& turn) {
    const wire::Hello& hello = *turn.message.message_as_Hello();
    if (hello.protocol_version() != kProtocolVersion) {
        return Refusal{LeaveReason::bad_version,
                       fmt::format("this zone speaks protocol version {}, the client version {}",
                                   kProtocolVersion, hello.protocol_version())};
    }
    std::string name = text_of(hello.name());
    if (!is_valid_name(name)) {
        return Refusal{
            LeaveReason::bad_name,
            fmt::format("a name has 1 to {} letters, digits, '_' or '-'", kNameBytesMax)};
    }
    if (table_.find_name(name) != nullptr) {
        return Refusal{LeaveReason::name_taken, fmt::format("'{}' is already in the zone", name)};
    }
    if (table_.count(SessionState::joining) + table_.count(SessionState::playing) >=
        config_.players_max) {
        return Refusal{LeaveReason::zone_full,
                       fmt::format("the zone holds {} players", config_.players_max)};
    }
    Session& session = turn.session;
    session.name = name;
    session.view_chunks = std::clamp<std::uint8_t>(hello.view_chunks(), 1, config_.view_chunks_max);
    session.state = SessionState::joining;
    session.state_tick = turn.tick;
    turn.received.joins.push_back(
        {.session = session.id, .name = std::move(name), .view_chunks = session.view_chunks});
    return std::nullopt;
}

std::optional<Refusal> Inbox::take_input(Turn& turn) {
    const wire::Input& input = *turn.message.message_as_Input();
    Session& session = turn.session;
    session.input_tick = turn.tick;
    if (input.tick() <= session.client_tick) {
        ++stats_.inputs_duplicate;
        return std::nullopt;
    }
    if (!session.input_messages.take(turn.tick)) {
        ++stats_.inputs_over_rate;
        refuse_edits(turn, input);
        return std::nullopt;
    }
    stats_.inputs_missing += input.tick() - session.client_tick - 1;
    session.client_tick = input.tick();
    InputCommand command{.player = session.player,
                         .client_tick = input.tick(),
                         .controls = from_wire(*input.controls()),
                         .edits = {}};
    take_edits(turn, input, command);
    if (session.inputs.size() >= config_.input_queue_max) {
        // The oldest goes: what the player wants now is worth more than what it wanted then.
        ++stats_.inputs_overflowed;
        for (const EditRequest& edit : session.inputs.front().edits) {
            ++stats_.edits_over_rate;
            turn.received.refused_edits.push_back(refused(session, edit.id, edit.brush));
        }
        session.inputs.pop_front();
    }
    session.inputs.push_back(std::move(command));
    return std::nullopt;
}

void Inbox::take_edits(Turn& turn, const wire::Input& input, InputCommand& command) {
    if (input.edits() == nullptr) {
        return;
    }
    Session& session = turn.session;
    for (const wire::EditRequest* edit : *input.edits()) {
        if (edit->id() <= session.last_edit_id) {
            ++stats_.edits_duplicate;
            continue;
        }
        session.last_edit_id = edit->id();
        const Brush brush = from_wire(*edit);
        if (!session.edits.take(turn.tick)) {
            ++stats_.edits_over_rate;
            turn.received.refused_edits.push_back(refused(session, edit->id(), brush));
            continue;
        }
        command.edits.push_back({.id = edit->id(), .brush = brush});
    }
}

void Inbox::refuse_edits(Turn& turn, const wire::Input& input) {
    if (input.edits() == nullptr) {
        return;
    }
    for (const wire::EditRequest* edit : *input.edits()) {
        if (edit->id() > turn.session.last_edit_id) {
            turn.session.last_edit_id = edit->id();
            ++stats_.edits_over_rate;
            turn.received.refused_edits.push_back(
                refused(turn.session, edit->id(), from_wire(*edit)));
        }
    }
}

std::optional<Refusal> Inbox::take_hash_request(Turn& turn) {
    if (!turn.session.hash_requests.take(turn.tick)) {
        ++stats_.hash_requests_over_rate;
        return std::nullopt;
    }
    ++stats_.hash_requests;
    HashRequest request{.session = turn.session.id, .chunks = {}};
    for (const wire::ChunkPos* position : *turn.message.message_as_HashRequest()->chunks()) {
        request.chunks.push_back(from_wire(*position));
    }
    turn.received.hash_requests.push_back(std::move(request));
    return std::nullopt;
}

/// Counts against the same rate as requests for hashes: both are asked for by hand or now and then.
std::optional<Refusal> Inbox::take_debug_request(Turn& turn) {
    if (!turn.session.hash_requests.take(turn.tick)) {
        ++stats_.hash_requests_over_rate;
        return std::nullopt;
    }
    const wire::DebugRequest& request = *turn.message.message_as_DebugRequest();
    turn.received.debug_requests.push_back({turn.session.id, request.contacts(), request.water()});
    return std::nullopt;
}

std::optional<Refusal> Inbox::take_say(Turn& turn) {
    if (!turn.session.lines.take(turn.tick)) {
        ++stats_.lines_over_rate;
        turn.received.refused_lines.push_back({turn.session.id});
        return std::nullopt;
    }
    ++stats_.lines;
    turn.received.commands.emplace_back(
        ChatCommand{turn.session.player, text_of(turn.message.message_as_Say()->text())});
    return std::nullopt;
}

std::optional<Refusal> Inbox::take_quit(Turn&) {
    return Refusal{LeaveReason::quit, "goodbye"};
}

/// Inputs that a stall of either side piled up would lag behind for minutes, since they run at one
/// a tick: all but the newest few are left out. Their edits move on to the next input that has
/// room.
void Inbox::shrink_queue(Session& session) {
    while (session.inputs.size() > config_.input_burst_ticks) {
        InputCommand dropped = std::move(session.inputs.front());
        session.inputs.pop_front();
        std::vector<EditRequest>& edits = session.inputs.front().edits;
        edits.insert(edits.begin(), dropped.edits.begin(), dropped.edits.end());
        ++stats_.inputs_overflowed;
    }
}

void Inbox::run_inputs(Session& session, std::uint32_t tick, Received& received) {
    shrink_queue(session);
    for (std::uint32_t i = 0; i < config_.inputs_per_tick_max && !session.inputs.empty(); ++i) {
        if (!session.input_runs.take(tick)) {
            return;
        }
        ++stats_.inputs;
        stats_.edits += session.inputs.front().edits.size();
        received.commands.emplace_back(std::move(session.inputs.front()));
        session.inputs.pop_front();
    }
}

}  // namespace terrane
