#include "server/net/stream_server.h"

#include <atomic>
#include <deque>
#include <map>
#include <thread>

#include <sys/stat.h>
#include <sys/un.h>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include "server/net/open_acceptor.h"

namespace terrane {
namespace {

using asio::awaitable;
using asio::ip::tcp;
using local = asio::local::stream_protocol;
using Socket = asio::generic::stream_protocol::socket;

constexpr std::chrono::milliseconds kAcceptRetry{100};
constexpr std::size_t kReadBytes = 2048;

struct Listener {
    StreamLimits limits;
    StreamProtocol protocol;
    std::size_t connection_count = 0;
};

/// Owner: Loop and its coroutine. Thread: I/O.
struct Stream {
    Stream(StreamId stream_id, Socket connected, Listener& from)
        : id(stream_id),
          socket(std::move(connected)),
          listener(&from),
          deadline(socket.get_executor()),
          gate(socket.get_executor()) {}

    StreamId id;
    Socket socket;
    Listener* listener;
    asio::steady_timer deadline;  ///< of the state it is in: cuts short what the socket waits for
    asio::steady_timer gate;      ///< `waiting`: until answer() or its deadline
    std::string input;
    std::string output;
    bool is_late = false;
    bool is_answered = false;
};
using StreamPtr = std::shared_ptr<Stream>;

}  // namespace

class StreamServer::Loop {
  public:
    ~Loop() { stop(); }

    Result<std::uint16_t> listen_tcp(const std::string& address, std::uint16_t port,
                                     const StreamLimits& limits, StreamProtocol protocol);
    Result<void> listen_unix(const std::string& path, const StreamLimits& limits,
                             StreamProtocol protocol);
    void start();
    void answer(StreamId id, std::string bytes);
    void stop();
    StreamStats stats() const;

  private:
    struct Counters {
        std::atomic<std::uint64_t> accepted{0};
        std::atomic<std::uint64_t> answered{0};
        std::atomic<std::uint64_t> too_many{0};
        std::atomic<std::uint64_t> too_long{0};
        std::atomic<std::uint64_t> too_late{0};
        std::atomic<std::uint64_t> no_answer{0};
    };

    template <typename Acceptor>
    awaitable<void> accept_all(Acceptor& acceptor, Listener& listener);
    void accept(Socket socket, Listener& listener);
    awaitable<void> serve(StreamPtr stream, bool is_refused);
    awaitable<void> read_request(Stream& stream);
    awaitable<void> wait_for_answer(Stream& stream);
    awaitable<void> write_answer(Stream& stream);
    awaitable<void> drain(Stream& stream);
    void set_deadline(Stream& stream, std::uint32_t ms);
    void stop_in_loop();

    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
    std::deque<Listener> listeners_;
    std::deque<std::pair<tcp::acceptor, Listener*>> tcp_acceptors_;
    std::deque<std::pair<local::acceptor, Listener*>> local_acceptors_;
    std::map<StreamId, StreamPtr> streams_;
    StreamId last_id_ = 0;
    Counters counters_;
    bool is_stopping_ = false;
    std::thread thread_;
};

Result<std::uint16_t> StreamServer::Loop::listen_tcp(const std::string& address, std::uint16_t port,
                                                     const StreamLimits& limits,
                                                     StreamProtocol protocol) {
    Result<tcp::acceptor> acceptor = open_acceptor(io_, address, port);
    if (!acceptor) {
        return std::unexpected(acceptor.error());
    }
    const std::uint16_t taken = acceptor->local_endpoint().port();
    Listener& listener = listeners_.emplace_back(limits, std::move(protocol));
    tcp_acceptors_.emplace_back(std::move(*acceptor), &listener);
    return taken;
}

Result<void> StreamServer::Loop::listen_unix(const std::string& path, const StreamLimits& limits,
                                             StreamProtocol protocol) {
    asio::error_code error;
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {  // Asio would throw
        return fail("{}: a socket's path has at most {} bytes", path,
                    sizeof(sockaddr_un::sun_path) - 1);
    }
    local::acceptor acceptor(io_);
    acceptor.open(local(), error);
    if (!error) {
        acceptor.bind(local::endpoint(path), error);
    }
    // Nobody can connect before listen(): the mode is there first.
    if (!error && chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) {
        error = asio::error_code(errno, asio::error::get_system_category());
    }
    if (!error) {
        acceptor.listen(local::acceptor::max_listen_connections, error);
    }
    if (error) {
        return fail("{}: {}", path, error.message());
    }
    Listener& listener = listeners_.emplace_back(limits, std::move(protocol));
    local_acceptors_.emplace_back(std::move(acceptor), &listener);
    return {};
}

void StreamServer::Loop::start() {
    for (auto& [acceptor, listener] : tcp_acceptors_) {
        asio::co_spawn(io_, accept_all(acceptor, *listener), asio::detached);
    }
    for (auto& [acceptor, listener] : local_acceptors_) {
        asio::co_spawn(io_, accept_all(acceptor, *listener), asio::detached);
    }
    thread_ = std::thread([this] { io_.run(); });
}

void StreamServer::Loop::answer(StreamId id, std::string bytes) {
    asio::post(io_, [this, id, bytes = std::move(bytes)]() mutable {
        const auto found = streams_.find(id);
        if (found != streams_.end() && !found->second->is_answered) {
            found->second->output = std::move(bytes);
            found->second->is_answered = true;
            found->second->gate.cancel();
        }
    });
}

void StreamServer::Loop::stop() {
    if (thread_.joinable()) {
        asio::post(io_, [this] { stop_in_loop(); });
        thread_.join();
    }
}

void StreamServer::Loop::stop_in_loop() {
    is_stopping_ = true;
    asio::error_code ignored;
    for (auto& [acceptor, listener] : tcp_acceptors_) {
        acceptor.close(ignored);
    }
    for (auto& [acceptor, listener] : local_acceptors_) {
        acceptor.close(ignored);
    }
    for (const auto& [id, stream] : streams_) {
        stream->gate.cancel();
        if (stream->is_answered) {
            set_deadline(*stream, stream->listener->limits.linger_ms);
        } else {
            stream->is_late = true;
            stream->socket.cancel(ignored);
        }
    }
    work_.reset();  // run() returns when the last stream is gone
}

template <typename Acceptor>
awaitable<void> StreamServer::Loop::accept_all(Acceptor& acceptor, Listener& listener) {
    asio::steady_timer retry(io_);
    while (acceptor.is_open()) {
        asio::error_code error;
        auto socket =
            co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
        if (!acceptor.is_open()) {
            co_return;
        }
        if (error) {
            // Out of descriptors or memory: the peer waits in the kernel's queue.
            retry.expires_after(kAcceptRetry);
            co_await retry.async_wait(asio::redirect_error(asio::use_awaitable, error));
            continue;
        }
        accept(Socket(std::move(socket)), listener);
    }
}

void StreamServer::Loop::accept(Socket socket, Listener& listener) {
    const bool is_refused = listener.connection_count >= listener.limits.connections_max;
    if (is_refused) {
        ++counters_.too_many;
        if (listener.connection_count >= 2 * listener.limits.connections_max) {
            return;
        }
    }
    ++counters_.accepted;
    ++listener.connection_count;
    auto stream = std::make_shared<Stream>(++last_id_, std::move(socket), listener);
    streams_.emplace(stream->id, stream);
    asio::co_spawn(io_, serve(stream, is_refused), asio::detached);
}

awaitable<void> StreamServer::Loop::serve(StreamPtr stream, bool is_refused) {
    Stream& s = *stream;
    if (is_refused) {
        s.output = s.listener->protocol.too_many;
        s.is_answered = true;
    } else {
        co_await read_request(s);
    }
    if (!s.output.empty()) {
        co_await write_answer(s);
        co_await drain(s);
    }
    s.deadline.cancel();
    asio::error_code ignored;
    s.socket.close(ignored);
    --s.listener->connection_count;
    streams_.erase(s.id);  // the coroutine still holds it
}

/// Leaves the answer in `output`; nothing there: the peer is gone.
awaitable<void> StreamServer::Loop::read_request(Stream& stream) {
    const StreamLimits& limits = stream.listener->limits;
    set_deadline(stream, limits.request_deadline_ms);
    while (!is_stopping_) {
        const std::size_t had = stream.input.size();
        if (had >= limits.request_bytes_max) {
            ++counters_.too_long;
            stream.output = stream.listener->protocol.too_long;
            co_return;
        }
        stream.input.resize(std::min(had + kReadBytes, limits.request_bytes_max));
        asio::error_code error;
        const std::size_t count = co_await stream.socket.async_read_some(
            asio::buffer(stream.input.data() + had, stream.input.size() - had),
            asio::redirect_error(asio::use_awaitable, error));
        stream.input.resize(had + count);
        if (stream.is_late) {
            ++counters_.too_late;
            stream.output = stream.listener->protocol.too_late;
            co_return;
        }
        if (error) {
            co_return;
        }
        StreamReply reply = stream.listener->protocol.receive(stream.id, stream.input);
        if (reply.kind == StreamReply::Kind::answer) {
            stream.output = std::move(reply.bytes);
            co_return;
        }
        if (reply.kind == StreamReply::Kind::later) {
            co_return co_await wait_for_answer(stream);
        }
    }
}

awaitable<void> StreamServer::Loop::wait_for_answer(Stream& stream) {
    stream.deadline.cancel();
    stream.gate.expires_after(
        std::chrono::milliseconds(stream.listener->limits.answer_deadline_ms));
    if (!is_stopping_) {
        asio::error_code cancelled;
        co_await stream.gate.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
    if (!stream.is_answered) {
        ++counters_.no_answer;
        stream.output = stream.listener->protocol.no_answer;
    }
}

awaitable<void> StreamServer::Loop::write_answer(Stream& stream) {
    stream.is_answered = true;
    const StreamLimits& limits = stream.listener->limits;
    set_deadline(stream, is_stopping_ ? limits.linger_ms : limits.write_deadline_ms);
    asio::error_code error;
    co_await asio::async_write(stream.socket, asio::buffer(stream.output),
                               asio::redirect_error(asio::use_awaitable, error));
    if (!error) {
        ++counters_.answered;
    }
}

/// Closing with input unread would reset the connection, and the peer lose the answer.
awaitable<void> StreamServer::Loop::drain(Stream& stream) {
    asio::error_code error;
    stream.socket.shutdown(Socket::shutdown_send, error);
    set_deadline(stream, stream.listener->limits.linger_ms);
    stream.input.resize(kReadBytes);
    while (!error && !stream.is_late) {
        co_await stream.socket.async_read_some(asio::buffer(stream.input),
                                               asio::redirect_error(asio::use_awaitable, error));
    }
}

void StreamServer::Loop::set_deadline(Stream& stream, std::uint32_t ms) {
    stream.is_late = false;
    stream.deadline.expires_after(std::chrono::milliseconds(ms));
    stream.deadline.async_wait(
        [weak = std::weak_ptr(streams_.at(stream.id))](const asio::error_code& error) {
            const StreamPtr late = weak.lock();
            // One that was due when a new deadline was set comes all the same: it is not meant.
            if (!error && late != nullptr &&
                late->deadline.expiry() <= std::chrono::steady_clock::now()) {
                asio::error_code ignored;
                late->is_late = true;
                late->socket.cancel(ignored);
            }
        });
}

StreamStats StreamServer::Loop::stats() const {
    return {.accepted = counters_.accepted,
            .answered = counters_.answered,
            .too_many = counters_.too_many,
            .too_long = counters_.too_long,
            .too_late = counters_.too_late,
            .no_answer = counters_.no_answer};
}

StreamServer::StreamServer() : loop_(std::make_unique<Loop>()) {}
StreamServer::~StreamServer() = default;

Result<std::uint16_t> StreamServer::listen_tcp(const std::string& address, std::uint16_t port,
                                               const StreamLimits& limits,
                                               StreamProtocol protocol) {
    return loop_->listen_tcp(address, port, limits, std::move(protocol));
}
Result<void> StreamServer::listen_unix(const std::string& path, const StreamLimits& limits,
                                       StreamProtocol protocol) {
    return loop_->listen_unix(path, limits, std::move(protocol));
}
void StreamServer::start() {
    loop_->start();
}
void StreamServer::answer(StreamId stream, std::string bytes) {
    loop_->answer(stream, std::move(bytes));
}
void StreamServer::stop() {
    loop_->stop();
}
StreamStats StreamServer::stats() const {
    return loop_->stats();
}

}  // namespace terrane
