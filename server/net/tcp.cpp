#include "server/net/tcp.h"

#include <map>
#include <thread>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include "server/net/mailbox.h"
#include "server/net/open_acceptor.h"
#include "server/net/outgoing.h"
#include "server/net/tcp_connection.h"

namespace terrane {
namespace {

using asio::awaitable;
using asio::ip::tcp;

/// The kernel takes this much that it has not sent, and no more: what waits for a slow client waits
/// with us, where it is counted, and State does not queue behind megabytes.
constexpr int kUnsentBytesMax = 128 * 1024;

void limit_unsent([[maybe_unused]] tcp::socket& socket) {
#ifdef TCP_NOTSENT_LOWAT
    using UnsentLimit = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
    asio::error_code ignored;  // the platform does not know it: then the kernel takes more
    socket.set_option(UnsentLimit(kUnsentBytesMax), ignored);
#endif
}

constexpr std::size_t kGatherFramesMax = 32;
constexpr std::size_t kGatherBytesMax = 256 * 1024;
constexpr std::chrono::milliseconds kAcceptRetry{100};
constexpr std::chrono::milliseconds kMailboxRetry{10};

std::span<const std::uint8_t> as_bytes(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

/// The sockets and the thread that runs them. Only what is marked "any thread" is called from
/// others.
class TcpLoop {
  public:
    explicit TcpLoop(TcpConfig config)
        : config_(std::move(config)),
          mailbox_(config_.limits.mailbox_bytes_max),
          outgoing_(config_.limits.outbox_bytes_max) {}
    ~TcpLoop() { stop(); }

    Result<void> start();
    void stop_accepting();
    void stop();
    void wake_io();  ///< any thread
    void poll(CarrierEvents& events);
    Outgoing& outgoing() { return outgoing_; }
    CarrierStats stats() const;
    std::uint16_t port() const { return port_; }

  private:
    Result<void> listen(const std::string& address);
    awaitable<void> accept_all(tcp::acceptor& acceptor);
    void accept(tcp::socket socket);
    awaitable<void> read_all(ConnectionPtr connection);
    bool deliver(TcpConnection& connection, std::span<const std::uint8_t> bytes);
    bool is_to_pause(TcpConnection& connection) const;
    awaitable<void> write_all(ConnectionPtr connection);
    awaitable<void> close_stalled();
    void fill_gather(TcpConnection& connection) const;
    void note_written(TcpConnection& connection);
    void take_orders();
    void obey(const Order& order, const ConnectionPtr& connection);
    void close_after_outbox(const ConnectionPtr& connection);
    void close_now(TcpConnection& connection, CloseReason reason);
    void set_deadline(const ConnectionPtr& connection, std::uint32_t ms, CloseReason reason);
    void shut_if_written(TcpConnection& connection);
    void resume_paused();
    void close_acceptors();
    void stop_in_loop();

    TcpConfig config_;
    Mailbox mailbox_;
    Outgoing outgoing_;
    AtomicStats stats_;
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
    asio::steady_timer stall_check_{io_};
    std::deque<tcp::acceptor> acceptors_;
    std::map<ConnectionId, ConnectionPtr> connections_;
    std::map<std::string, std::size_t> count_by_address_;
    std::vector<Order> orders_;
    ConnectionId last_id_ = 0;
    std::uint16_t port_ = 0;
    std::atomic<bool> has_paused_{false};
    bool is_stopping_ = false;
    std::thread thread_;
};

Result<void> TcpLoop::start() {
    port_ = config_.port;
    for (const std::string& address : config_.listen) {
        if (auto result = listen(address); !result) {
            return result;
        }
    }
    for (tcp::acceptor& acceptor : acceptors_) {
        asio::co_spawn(io_, accept_all(acceptor), asio::detached);
    }
    asio::co_spawn(io_, close_stalled(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
    return {};
}

Result<void> TcpLoop::listen(const std::string& address) {
    Result<tcp::acceptor> acceptor = open_acceptor(io_, address, port_);
    if (!acceptor) {
        return fail("listen: {}", acceptor.error().message);
    }
    // With port 0 the first address gets one from the kernel and the others the same.
    port_ = acceptor->local_endpoint().port();
    acceptors_.push_back(std::move(*acceptor));
    return {};
}

void TcpLoop::stop() {
    if (thread_.joinable()) {
        asio::post(io_, [this] {
            take_orders();
            stop_in_loop();
        });
        thread_.join();
    }
}

void TcpLoop::stop_accepting() {
    asio::post(io_, [this] { close_acceptors(); });
}

void TcpLoop::close_acceptors() {
    for (tcp::acceptor& acceptor : acceptors_) {
        asio::error_code ignored;
        acceptor.close(ignored);
    }
}

void TcpLoop::stop_in_loop() {
    is_stopping_ = true;
    close_acceptors();
    stall_check_.cancel();
    std::vector<ConnectionPtr> all;
    for (const auto& [id, connection] : connections_) {
        all.push_back(connection);
    }
    for (const ConnectionPtr& connection : all) {
        close_after_outbox(connection);
    }
    work_.reset();  // run() returns when the last connection is gone
}

void TcpLoop::wake_io() {
    if (!outgoing_.is_empty()) {
        asio::post(io_, [this] { take_orders(); });
    }
}

void TcpLoop::poll(CarrierEvents& events) {
    mailbox_.drain(events);
    // A connection sets has_paused_ before it looks at the drain count a last time: one of the two
    // sees the other.
    if (has_paused_) {
        asio::post(io_, [this] { resume_paused(); });
    }
}

awaitable<void> TcpLoop::accept_all(tcp::acceptor& acceptor) {
    asio::steady_timer retry(io_);
    while (acceptor.is_open()) {
        asio::error_code error;
        tcp::socket socket =
            co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
        if (!acceptor.is_open()) {
            co_return;
        }
        if (error) {
            // Out of descriptors or memory: the peer waits in the kernel's queue.
            ++stats_.accept_errors;
            retry.expires_after(kAcceptRetry);
            co_await retry.async_wait(asio::redirect_error(asio::use_awaitable, error));
            continue;
        }
        accept(std::move(socket));
        while (!mailbox_.has_room() && acceptor.is_open()) {
            retry.expires_after(kMailboxRetry);
            co_await retry.async_wait(asio::redirect_error(asio::use_awaitable, error));
        }
    }
}

void TcpLoop::accept(tcp::socket socket) {
    asio::error_code error;
    const tcp::endpoint peer = socket.remote_endpoint(error);
    if (error) {
        return;  // gone already
    }
    if (connections_.size() >= config_.limits.connections_max) {
        ++stats_.refused_full;
        return;
    }
    std::string address = peer.address().to_string();
    const bool is_counted = !peer.address().is_loopback();
    if (is_counted && count_by_address_[address] >= config_.limits.connections_per_address_max) {
        ++stats_.refused_address;
        return;
    }
    socket.set_option(tcp::no_delay(true), error);
    limit_unsent(socket);
    auto connection =
        std::make_shared<TcpConnection>(++last_id_, std::move(socket), std::move(address));
    if (is_counted) {
        connection->is_counted_by_address = true;
        ++count_by_address_[connection->address];
    }
    connections_.emplace(connection->id, connection);
    ++stats_.opened;
    outgoing_.add_connection(connection->id);
    mailbox_.push(connection->id, CarrierEventKind::opened, as_bytes(connection->address));
    set_deadline(connection, config_.limits.login_deadline_ms, CloseReason::login_deadline);
    asio::co_spawn(io_, read_all(connection), asio::detached);
}

awaitable<void> TcpLoop::read_all(ConnectionPtr connection) {
    TcpConnection& c = *connection;
    while (!c.is_closed) {
        asio::error_code error;
        const std::size_t count = co_await c.socket.async_read_some(
            asio::buffer(c.input), asio::redirect_error(asio::use_awaitable, error));
        if (c.is_closed) {
            co_return;
        }
        if (error) {
            const bool is_end = error == asio::error::eof;
            close_now(c, c.is_closing ? CloseReason::by_zone
                         : is_end     ? CloseReason::by_peer
                                      : CloseReason::io_error);
            co_return;
        }
        stats_.bytes_in += count;
        if (c.is_closing) {
            continue;  // input left unread would reset the connection and lose our last words
        }
        if (!deliver(c, std::span(c.input).first(count))) {
            close_now(c, CloseReason::bad_frame);
            co_return;
        }
        while (!c.is_closed && is_to_pause(c)) {
            c.is_paused = true;
            has_paused_ = true;
            if (!is_to_pause(c)) {
                break;
            }
            ++stats_.read_pauses;
            c.gate.expires_at(asio::steady_timer::time_point::max());
            co_await c.gate.async_wait(asio::redirect_error(asio::use_awaitable, error));
        }
        c.is_paused = false;
    }
}

/// Cuts `bytes` into frames and posts them; false if the stream is broken.
bool TcpLoop::deliver(TcpConnection& connection, std::span<const std::uint8_t> bytes) {
    for (;;) {
        const auto frame = connection.reader.next(bytes);
        if (!frame) {
            return false;
        }
        if (frame->empty()) {
            return true;
        }
        ++stats_.frames_in;
        const std::uint64_t drain = mailbox_.drain_count();
        if (connection.inbox_drain != drain) {
            connection.inbox_drain = drain;
            connection.inbox_bytes = 0;
        }
        connection.inbox_bytes += frame->size();
        mailbox_.push(connection.id, CarrierEventKind::message, *frame);
    }
}

bool TcpLoop::is_to_pause(TcpConnection& connection) const {
    if (connection.is_closing) {
        return false;
    }
    const bool is_inbox_full = connection.inbox_drain == mailbox_.drain_count() &&
                               connection.inbox_bytes >= config_.limits.inbox_bytes_max;
    return is_inbox_full || !mailbox_.has_room();
}

void TcpLoop::resume_paused() {
    has_paused_ = false;
    for (const auto& [id, connection] : connections_) {
        if (connection->is_paused) {
            connection->gate.cancel();
        }
    }
}

void TcpLoop::take_orders() {
    outgoing_.take(orders_);
    for (const Order& order : orders_) {
        const auto it = connections_.find(order.connection);
        if (it != connections_.end()) {
            obey(order, ConnectionPtr(it->second));
        }
    }
    // Writing starts after all frames are in their outboxes: one gathering write a connection.
    for (const Order& order : orders_) {
        const auto it = connections_.find(order.connection);
        if (it != connections_.end() && !it->second->is_writing && !it->second->outbox.empty()) {
            it->second->is_writing = true;
            asio::co_spawn(io_, write_all(it->second), asio::detached);
        }
    }
    orders_.clear();
}

void TcpLoop::obey(const Order& order, const ConnectionPtr& connection) {
    switch (order.kind) {
        case Order::Kind::send:
            connection->outbox.push_back(order.frame);
            return;
        case Order::Kind::admit:
            connection->reader.set_limit(kToServerBytesMax);
            if (!connection->is_closing) {
                connection->deadline.cancel();
            }
            return;
        case Order::Kind::close:
            return close_after_outbox(connection);
        case Order::Kind::drop_slow:
            return close_now(*connection, CloseReason::slow);
    }
}

awaitable<void> TcpLoop::write_all(ConnectionPtr connection) {
    TcpConnection& c = *connection;
    while (!c.is_closed && !c.outbox.empty()) {
        fill_gather(c);
        c.write_start = std::chrono::steady_clock::now();
        asio::error_code error;
        co_await asio::async_write(c.socket, c.gather,
                                   asio::redirect_error(asio::use_awaitable, error));
        if (c.is_closed) {
            co_return;
        }
        if (error) {
            close_now(c, CloseReason::io_error);
            co_return;
        }
        note_written(c);
    }
    c.is_writing = false;
    shut_if_written(c);
}

/// Whoever does not read holds a player's place and memory: it goes.
awaitable<void> TcpLoop::close_stalled() {
    const auto deadline = std::chrono::milliseconds(config_.limits.write_deadline_ms);
    while (!is_stopping_) {
        stall_check_.expires_after(deadline / 8);
        asio::error_code cancelled;
        co_await stall_check_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
        const auto now = std::chrono::steady_clock::now();
        std::vector<ConnectionPtr> stalled;
        for (const auto& [id, connection] : connections_) {
            if (connection->is_writing && now - connection->write_start > deadline) {
                stalled.push_back(connection);
            }
        }
        for (const ConnectionPtr& connection : stalled) {
            close_now(*connection, CloseReason::slow);
        }
    }
}

void TcpLoop::fill_gather(TcpConnection& connection) const {
    connection.gather.clear();
    std::size_t bytes = 0;
    for (const SharedBytes& frame : connection.outbox) {
        if (connection.gather.size() == kGatherFramesMax ||
            (bytes != 0 && bytes + frame->size() > kGatherBytesMax)) {
            break;
        }
        connection.gather.push_back(asio::buffer(*frame));
        bytes += frame->size();
    }
}

void TcpLoop::note_written(TcpConnection& connection) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < connection.gather.size(); ++i) {
        bytes += connection.outbox.front()->size();
        connection.outbox.pop_front();
    }
    stats_.frames_out += connection.gather.size();
    stats_.bytes_out += bytes;
    outgoing_.note_written(connection.id, bytes);
}

void TcpLoop::close_after_outbox(const ConnectionPtr& connection) {
    if (connection->is_closing || connection->is_closed) {
        return;
    }
    connection->is_closing = true;
    connection->gate.cancel();
    set_deadline(connection, config_.limits.linger_ms, CloseReason::by_zone);
    shut_if_written(*connection);
}

void TcpLoop::shut_if_written(TcpConnection& connection) {
    if (connection.is_closing && !connection.is_writing && connection.outbox.empty()) {
        asio::error_code ignored;
        connection.socket.shutdown(tcp::socket::shutdown_send, ignored);
    }
}

void TcpLoop::set_deadline(const ConnectionPtr& connection, std::uint32_t ms, CloseReason reason) {
    connection->deadline.expires_after(std::chrono::milliseconds(ms));
    connection->deadline.async_wait([this, connection, reason](const asio::error_code& error) {
        if (!error) {
            close_now(*connection, reason);
        }
    });
}

void TcpLoop::close_now(TcpConnection& connection, CloseReason reason) {
    if (connection.is_closed) {
        return;
    }
    connection.is_closed = true;
    connection.deadline.cancel();
    connection.gate.cancel();
    asio::error_code ignored;
    if (!connection.outbox.empty()) {
        // Somebody who does not read: without this the kernel keeps the rest for minutes.
        connection.socket.set_option(asio::socket_base::linger(true, 0), ignored);
    }
    connection.socket.close(ignored);
    if (connection.is_counted_by_address && --count_by_address_[connection.address] == 0) {
        count_by_address_.erase(connection.address);
    }
    const CloseReason told = is_stopping_ ? CloseReason::stopping : reason;
    ++stats_.closed[static_cast<std::size_t>(told)];
    outgoing_.remove_connection(connection.id);
    mailbox_.push(connection.id, CarrierEventKind::closed, {}, told);
    connections_.erase(connection.id);  // a coroutine or the timer still holds it
}

CarrierStats TcpLoop::stats() const {
    CarrierStats stats{.opened = stats_.opened,
                       .refused_full = stats_.refused_full,
                       .refused_address = stats_.refused_address,
                       .accept_errors = stats_.accept_errors,
                       .frames_in = stats_.frames_in,
                       .frames_out = stats_.frames_out,
                       .bytes_in = stats_.bytes_in,
                       .bytes_out = stats_.bytes_out,
                       .read_pauses = stats_.read_pauses,
                       .closed = {}};
    for (std::size_t i = 0; i < kCloseReasonCount; ++i) {
        stats.closed[i] = stats_.closed[i];
    }
    return stats;
}

TcpCarrier::TcpCarrier(TcpConfig config) : loop_(std::make_unique<TcpLoop>(std::move(config))) {}
TcpCarrier::~TcpCarrier() = default;

Result<void> TcpCarrier::start() {
    return loop_->start();
}
void TcpCarrier::stop_accepting() {
    loop_->stop_accepting();
}

void TcpCarrier::stop() {
    loop_->stop();
}
void TcpCarrier::poll(CarrierEvents& events) {
    loop_->poll(events);
}
bool TcpCarrier::send(ConnectionId connection, SharedBytes frame) {
    return loop_->outgoing().send(connection, std::move(frame));
}
std::size_t TcpCarrier::queued_bytes(ConnectionId connection) const {
    return loop_->outgoing().queued_bytes(connection);
}
void TcpCarrier::admit(ConnectionId connection) {
    loop_->outgoing().admit(connection);
}
void TcpCarrier::close(ConnectionId connection) {
    loop_->outgoing().close(connection);
}
void TcpCarrier::flush() {
    loop_->wake_io();
}
CarrierStats TcpCarrier::stats() const {
    return loop_->stats();
}
std::uint16_t TcpCarrier::port() const {
    return loop_->port();
}

}  // namespace terrane
