#include "server/net/loopback.h"

#include <algorithm>
#include <string_view>

namespace terrane {
namespace {

constexpr std::string_view kAddress = "loopback";
constexpr std::uint32_t kCutBytesMax = 37;  // odd, and shorter than most messages

std::span<const std::uint8_t> as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::size_t cut(std::optional<Random>& cuts, std::size_t size) {
    return cuts ? std::min<std::size_t>(size, 1 + cuts->below(kCutBytesMax)) : size;
}

}  // namespace

LoopbackClient& LoopbackClient::operator=(LoopbackClient&& other) noexcept {
    close();
    pipe_ = std::move(other.pipe_);
    cuts_ = other.cuts_;
    return *this;
}

void LoopbackClient::send(std::span<const std::uint8_t> bytes) {
    if (pipe_->is_zone_open) {
        pipe_->to_zone.insert(pipe_->to_zone.end(), bytes.begin(), bytes.end());
    }
}

std::size_t LoopbackClient::receive(Bytes& bytes) {
    Bytes& source = pipe_->to_client;
    const std::size_t count = cut(cuts_, source.size());
    const auto end = source.begin() + static_cast<std::ptrdiff_t>(count);
    bytes.insert(bytes.end(), source.begin(), end);
    source.erase(source.begin(), end);
    return count;
}

bool LoopbackClient::is_open() const {
    return pipe_ != nullptr && (pipe_->is_zone_open || !pipe_->to_client.empty());
}

void LoopbackClient::close() {
    if (pipe_ != nullptr) {
        pipe_->is_client_open = false;
    }
}

LoopbackCarrier::LoopbackCarrier(const LoopbackConfig& config) : config_(config) {
    if (config.cut_seed != 0) {
        cuts_.emplace(config.cut_seed);
    }
}

LoopbackClient LoopbackCarrier::connect() {
    auto pipe = std::make_shared<LoopbackPipe>();
    std::optional<Random> client_cuts;
    if (cuts_) {
        client_cuts.emplace(cuts_->next());
    }
    if (!is_accepting_ || connections_.size() >= config_.limits.connections_max) {
        ++stats_.refused_full;
        pipe->is_zone_open = false;
    } else {
        ++stats_.opened;
        connections_.emplace(
            ++last_id_,
            Connection{.pipe = pipe, .reader = FrameReader(kToServerBytesBeforeWelcomeMax)});
    }
    return LoopbackClient(std::move(pipe), client_cuts);
}

void LoopbackCarrier::stop() {
    flush();
    for (auto& [id, connection] : connections_) {
        connection.closing = CloseReason::stopping;
        connection.pipe->is_zone_open = false;
    }
}

void LoopbackCarrier::poll(CarrierEvents& events) {
    events.clear();
    for (auto it = connections_.begin(); it != connections_.end();) {
        auto& [id, connection] = *it;
        if (!connection.is_announced) {
            connection.is_announced = true;
            events.add(id, CarrierEventKind::opened, as_bytes(kAddress));
        }
        if (connection.closing == CloseReason::none) {
            read(id, connection, events);
        }
        const bool is_by_peer = !connection.pipe->is_client_open &&
                                connection.pipe->to_zone.empty() &&
                                connection.closing == CloseReason::none;
        if (is_by_peer) {
            connection.closing = CloseReason::by_peer;
        }
        // Closed between two ticks, before the flush that brings its last frames out.
        const bool is_unsaid =
            connection.closing == CloseReason::by_zone && !connection.outbox.empty();
        if (connection.closing == CloseReason::none || is_unsaid) {
            ++it;
            continue;
        }
        connection.pipe->is_zone_open = false;
        events.add(id, CarrierEventKind::closed, {}, connection.closing);
        ++stats_.closed[static_cast<std::size_t>(connection.closing)];
        it = connections_.erase(it);
    }
}

void LoopbackCarrier::read(ConnectionId id, Connection& connection, CarrierEvents& events) {
    Bytes& source = connection.pipe->to_zone;
    std::size_t used = 0;
    while (used < source.size() && used < config_.limits.inbox_bytes_max) {
        const std::size_t count = cut(cuts_, source.size() - used);
        const auto piece = std::span<const std::uint8_t>(source).subspan(used, count);
        used += count;
        if (!deliver(id, connection, piece, events)) {
            connection.closing = CloseReason::bad_frame;
            break;
        }
    }
    if (used < source.size()) {
        ++stats_.read_pauses;
    }
    stats_.bytes_in += used;
    source.erase(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(used));
}

bool LoopbackCarrier::deliver(ConnectionId id, Connection& connection,
                              std::span<const std::uint8_t> bytes, CarrierEvents& events) {
    for (;;) {
        const auto frame = connection.reader.next(bytes);
        if (!frame) {
            return false;
        }
        if (frame->empty()) {
            return true;
        }
        ++stats_.frames_in;
        events.add(id, CarrierEventKind::message, *frame);
    }
}

bool LoopbackCarrier::send(ConnectionId id, SharedBytes frame) {
    const auto it = connections_.find(id);
    if (it == connections_.end() || it->second.closing != CloseReason::none) {
        return false;
    }
    if (queued_bytes(id) + frame->size() > config_.limits.outbox_bytes_max) {
        it->second.closing = CloseReason::slow;
        return false;
    }
    it->second.outbox_bytes += frame->size();
    it->second.outbox.push_back(std::move(frame));
    return true;
}

std::size_t LoopbackCarrier::queued_bytes(ConnectionId id) const {
    const auto it = connections_.find(id);
    return it == connections_.end() ? 0
                                    : it->second.outbox_bytes + it->second.pipe->to_client.size();
}

void LoopbackCarrier::admit(ConnectionId id) {
    const auto it = connections_.find(id);
    if (it != connections_.end()) {
        it->second.reader.set_limit(kToServerBytesMax);
    }
}

void LoopbackCarrier::close(ConnectionId id) {
    const auto it = connections_.find(id);
    if (it != connections_.end() && it->second.closing == CloseReason::none) {
        it->second.closing = CloseReason::by_zone;
    }
}

void LoopbackCarrier::flush() {
    for (auto& [id, connection] : connections_) {
        for (const SharedBytes& frame : connection.outbox) {
            if (connection.closing != CloseReason::slow) {
                Bytes& target = connection.pipe->to_client;
                target.insert(target.end(), frame->begin(), frame->end());
                ++stats_.frames_out;
                stats_.bytes_out += frame->size();
            }
        }
        connection.outbox.clear();
        connection.outbox_bytes = 0;
    }
}

}  // namespace terrane
