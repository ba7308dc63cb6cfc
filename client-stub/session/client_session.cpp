#include "client-stub/session/client_session.h"

#include <array>
#include <utility>

#include "shared/core/assert.h"
#include "shared/core/utf8.h"
#include "shared/protocol/encode.h"
#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

/// Edits that we still know by their id; the zone answers within a few ticks.
constexpr std::size_t kSentEditsMax = 1024;

std::string protocol_mismatch(std::uint32_t theirs, const std::string& server_version) {
    return fmt::format(
        "the zone (version {}) speaks protocol {}, this client speaks protocol {}: use the client "
        "of the zone's release",
        server_version, theirs, kProtocolVersion);
}

/// The revision of the operation that `brush` became, looking from operation `next` on; `next`
/// moves behind it. 0 if there is none: the zone is free to answer an edit with other operations.
std::uint32_t find_revision(const wire::ChunkOps& message, const Brush& brush,
                            const ChunkCoord& chunk, std::uint32_t& next) {
    if (is_empty(intersect(reach_of(brush), box_of(chunk)))) {
        return 0;
    }
    const ChunkOp expected = clip_to_chunk(brush, chunk);
    for (std::uint32_t i = next; i < message.ops()->size(); ++i) {
        if (from_wire(*message.ops()->Get(i)) == expected) {
            next = i + 1;
            return message.first_revision() + i;
        }
    }
    return 0;
}

}  // namespace

ClientSession::ClientSession(std::unique_ptr<ByteStream> stream, ClientSessionConfig config,
                             Nanoseconds now)
    : stream_(std::move(stream)),
      config_(std::move(config)),
      answer_deadline_(now + config_.answer_timeout),
      reader_(kToClientBytesMax) {
    config_.replica.is_tracking_changes |= config_.is_predicting;
    config_.replica.has_piece_shapes |= config_.is_predicting;
    advance(now);
}

const SessionEvents& ClientSession::receive(Nanoseconds now) {
    events_.is_welcomed = false;
    events_.states = 0;
    events_.chunks = 0;
    events_.hash_answers = 0;
    events_.arrived_chunks.clear();
    events_.ops.clear();
    events_.own_edits.clear();
    events_.refused_edits.clear();
    events_.chats.clear();
    if (is_left()) {
        return events_;
    }
    arrived_.clear();
    counters_.bytes_in += stream_->receive(arrived_);
    advance(now);
    read_frames();
    if (prediction_.has_value()) {
        prediction_->reconcile(now);
    }
    if (!is_left() && !stream_->is_open()) {
        leave(wire::LeaveReason::none, stream_->close_reason());
    }
    return events_;
}

/// What time and the stream's own state bring about.
void ClientSession::advance(Nanoseconds now) {
    if (state_ == ClientSessionState::connecting && stream_->is_open() &&
        !stream_->is_connecting()) {
        state_ = ClientSessionState::hello_sent;
        answer_deadline_ = now + config_.answer_timeout;
        send(encode_hello({.protocol_version = kProtocolVersion,
                           .name = config_.name,
                           .view_chunks = config_.view_chunks,
                           .client_version = config_.client_version}));
    }
    if (now < answer_deadline_) {
        return;
    }
    if (state_ == ClientSessionState::hello_sent) {
        leave(wire::LeaveReason::none,
              "the zone does not answer the greeting: is it a terrane-server?");
    } else if (state_ == ClientSessionState::quitting) {
        leave(wire::LeaveReason::none, "the zone did not answer the goodbye");
    }
}

void ClientSession::read_frames() {
    std::span<const std::uint8_t> input(arrived_);
    while (!is_left()) {
        const auto frame = reader_.next(input);
        if (!frame.has_value()) {
            leave(wire::LeaveReason::none,
                  fmt::format("the zone sent no frame: {}", frame.error().message));
            return;
        }
        if (frame->empty()) {
            return;
        }
        ++counters_.messages_in;
        const auto root = verify_to_client(*frame, scratch_);
        if (!root.has_value()) {
            leave(wire::LeaveReason::none,
                  fmt::format("the zone sent a bad message: {}", root.error().message));
            return;
        }
        if (const auto taken = take(**root); !taken.has_value()) {
            leave(wire::LeaveReason::none,
                  fmt::format("the zone sent a message that makes no sense: {}",
                              taken.error().message));
            return;
        }
    }
}

Result<void> ClientSession::take(const wire::ToClient& root) {
    const wire::ToClientMessage type = root.message_type();
    if (type == wire::ToClientMessage::Leave) {
        take_leave(*root.message_as_Leave());
        return {};
    }
    if (type == wire::ToClientMessage::Welcome) {
        return take_welcome(*root.message_as_Welcome());
    }
    if (!replica_.has_value()) {
        return fail("{} before Welcome", wire::EnumNameToClientMessage(type));
    }
    return take_in_zone(root);
}

Result<void> ClientSession::take_in_zone(const wire::ToClient& root) {
    const wire::ToClientMessage type = root.message_type();
    switch (type) {
        case wire::ToClientMessage::State:
            ++events_.states;
            return replica_->apply(*root.message_as_State());
        case wire::ToClientMessage::Chunk:
            ++events_.chunks;
            events_.arrived_chunks.push_back(from_wire(*root.message_as_Chunk()->position()));
            return replica_->apply(*root.message_as_Chunk());
        case wire::ToClientMessage::ChunkOps:
            return take_ops(*root.message_as_ChunkOps());
        case wire::ToClientMessage::Forget:
            replica_->apply(*root.message_as_Forget());
            return {};
        case wire::ToClientMessage::Hash:
            ++events_.hash_answers;
            ++counters_.hash_answers;
            replica_->apply(*root.message_as_Hash());
            return {};
        case wire::ToClientMessage::Reject:
            take_reject(*root.message_as_Reject());
            return {};
        case wire::ToClientMessage::ChunkRuns:
            return replica_->apply(*root.message_as_ChunkRuns(), events_.ops);
        case wire::ToClientMessage::PropsGone:
            replica_->apply(*root.message_as_PropsGone());
            return {};
        case wire::ToClientMessage::Chat:
            take_chat(*root.message_as_Chat());
            return {};
        case wire::ToClientMessage::SkyChanged:
            replica_->apply(*root.message_as_SkyChanged());
            return {};
        case wire::ToClientMessage::Piece:
            return replica_->apply(*root.message_as_Piece());
        case wire::ToClientMessage::DebugContacts:
            take_debug(*root.message_as_DebugContacts());
            return {};
        case wire::ToClientMessage::Welcome:
        case wire::ToClientMessage::Leave:
        case wire::ToClientMessage::NONE:
            break;
    }
    return fail("unknown type {}", static_cast<unsigned>(type));
}

Result<void> ClientSession::take_welcome(const wire::Welcome& welcome) {
    if (state_ != ClientSessionState::hello_sent) {
        return fail("a second Welcome");
    }
    ZoneInfo zone = to_zone_info(welcome);
    if (welcome.protocol_version() != kProtocolVersion) {
        leave(wire::LeaveReason::bad_version,
              protocol_mismatch(welcome.protocol_version(), zone.server_version));
        return {};
    }
    if (welcome.brush_version() != kBrushVersion ||
        welcome.chunk_format_version() != kChunkFormatVersion) {
        leave(
            wire::LeaveReason::bad_version,
            fmt::format("the zone (version {}) has brushes {} and chunk format {}, this client {} "
                        "and {}: use the client of the zone's release",
                        zone.server_version, welcome.brush_version(),
                        welcome.chunk_format_version(), kBrushVersion, kChunkFormatVersion));
        return {};
    }
    replica_.emplace(std::move(zone), config_.replica);
    if (config_.is_predicting) {
        prediction_.emplace(*replica_);
    }
    state_ = ClientSessionState::playing;
    events_.is_welcomed = true;
    return {};
}

Result<void> ClientSession::take_ops(const wire::ChunkOps& message) {
    if (const auto applied = replica_->apply(message, events_.ops); !applied.has_value()) {
        return applied;
    }
    if (message.edits() == nullptr) {
        return {};
    }
    const ChunkCoord chunk = from_wire(*message.position());
    std::uint32_t next = 0;  // edits come in the order of their operations
    for (const std::uint32_t id : *message.edits()) {
        SentEdit* sent = find_sent(id);
        if (sent == nullptr) {
            continue;
        }
        OwnEdit own{id, chunk, 0, !std::exchange(sent->is_applied, true)};
        own.revision = find_revision(message, sent->brush, chunk, next);
        counters_.edits_applied += own.is_first ? 1 : 0;
        if (prediction_.has_value()) {
            prediction_->confirm(id, chunk);
        }
        events_.own_edits.push_back(own);
    }
    return {};
}

void ClientSession::take_reject(const wire::Reject& reject) {
    ++counters_.edits_refused;
    if (prediction_.has_value()) {
        prediction_->refuse(reject.edit());
    }
    events_.refused_edits.push_back(
        {reject.edit(), reject.reason(), from_wire(*reject.position()), reject.revision()});
}

void ClientSession::take_chat(const wire::Chat& message) {
    const auto text = [](const flatbuffers::String* sent) {
        return sent == nullptr ? std::string() : sent->str();
    };
    events_.chats.push_back({text(message.sender()), text(message.text())});
}

void ClientSession::take_debug(const wire::DebugContacts& message) {
    debug_picture_.tick = message.tick();
    debug_picture_.is_refused = message.is_refused();
    debug_picture_.touches.clear();
    debug_picture_.afloat.clear();
    if (message.contacts() != nullptr) {
        for (const wire::DebugContact* contact : *message.contacts()) {
            debug_picture_.touches.push_back({from_wire(contact->position()),
                                              from_wire(contact->normal()), contact->depth_m(),
                                              contact->is_ground()});
        }
    }
    if (message.water() != nullptr) {
        for (const wire::DebugWater* water : *message.water()) {
            debug_picture_.afloat.push_back(
                {from_wire(water->position()), water->level_m(), water->share()});
        }
    }
}

void ClientSession::take_leave(const wire::Leave& message) {
    const std::string text = message.text() == nullptr ? std::string() : message.text()->str();
    if (message.reason() == wire::LeaveReason::bad_version) {
        leave(message.reason(), fmt::format("the zone does not speak this client's protocol {}: {}",
                                            kProtocolVersion, text));
        return;
    }
    const char* reason = wire::EnumNameLeaveReason(message.reason());
    leave(message.reason(), text.empty()
                                ? fmt::format("the zone ended the session: {}", reason)
                                : fmt::format("the zone ended the session: {} ({})", reason, text));
}

std::uint32_t ClientSession::tick(const PlayerControls& controls, std::span<const Brush> edits) {
    if (state_ != ClientSessionState::playing) {
        return 0;
    }
    TERRANE_ASSERT(edits.size() <= kEditsPerInputMax);
    const std::uint32_t first_id = edit_id_ + 1;
    std::array<EditMessage, kEditsPerInputMax> messages;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        messages[i] = {++edit_id_, edits[i]};
        sent_edits_.push_back({edit_id_, edits[i], false});
        if (sent_edits_.size() > kSentEditsMax) {
            sent_edits_.pop_front();
        }
    }
    const auto sent = std::span<const EditMessage>(messages).first(edits.size());
    send(encode_input(++client_tick_, controls, sent));
    if (prediction_.has_value()) {
        prediction_->tick(client_tick_, controls, sent);
    }
    ++counters_.inputs_sent;
    counters_.edits_sent += edits.size();
    return edits.empty() ? 0 : first_id;
}

void ClientSession::request_hashes(std::span<const ChunkCoord> chunks) {
    TERRANE_ASSERT(!chunks.empty() && chunks.size() <= kHashRequestChunksMax);
    if (state_ != ClientSessionState::playing) {
        return;
    }
    ++counters_.hash_requests;
    send(encode_hash_request(chunks));
}

void ClientSession::say(std::string_view text) {
    const std::string line = to_plain_line(text, kChatBytesMax);
    if (state_ == ClientSessionState::playing && !line.empty()) {
        send(encode_say(line));
    }
}

void ClientSession::show_debug(bool contacts, bool water) {
    if (state_ == ClientSessionState::playing) {
        send(encode_debug_request(contacts, water));
    }
}

void ClientSession::quit(Nanoseconds now) {
    if (state_ == ClientSessionState::playing) {
        send(encode_quit());
        state_ = ClientSessionState::quitting;
        answer_deadline_ = now + config_.answer_timeout;
    } else if (!is_left() && state_ != ClientSessionState::quitting) {
        leave(wire::LeaveReason::quit, "left before the zone's welcome");
    }
}

void ClientSession::send(const Bytes& frame) {
    counters_.bytes_out += frame.size();
    stream_->send(frame);
}

void ClientSession::leave(wire::LeaveReason reason, std::string text) {
    state_ = ClientSessionState::left;
    leave_reason_ = reason;
    leave_text_ = std::move(text);
    stream_->close("left");
}

ClientSession::SentEdit* ClientSession::find_sent(std::uint32_t id) {
    if (sent_edits_.empty() || id < sent_edits_.front().id || id > sent_edits_.back().id) {
        return nullptr;
    }
    return &sent_edits_[id - sent_edits_.front().id];
}

}  // namespace terrane
