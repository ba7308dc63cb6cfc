#include "client-stub/session/connection.h"

#include <charconv>
#include <chrono>
#include <map>
#include <utility>

#include <asio/connect.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include "shared/core/assert.h"

namespace terrane {

using asio::ip::tcp;

struct TcpConnector::State {
    asio::io_context io{1};
    /// Without it, io would stop for good whenever nothing is watched.
    asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
    std::vector<std::uint64_t> ready;
    std::vector<std::uint8_t> scratch = std::vector<std::uint8_t>(256 * 1024);
    std::map<std::string, tcp::resolver::results_type> resolved;
};

namespace {

/// What a stream and its pending operations share; an operation may outlive the stream, never the
/// io_context that holds it.
struct Link {
    explicit Link(TcpConnector::State& connector_state)
        : connector(&connector_state), socket(connector_state.io) {}

    TcpConnector::State* connector;
    tcp::socket socket;
    std::string address;
    std::uint64_t tag = 0;
    std::chrono::steady_clock::time_point connect_deadline;
    bool is_connecting = true;
    bool is_open = true;
    bool is_watched = false;  ///< a wait for reading is pending
    std::string close_reason;
    std::vector<std::uint8_t> waiting;  ///< not sent yet
    std::size_t waiting_begin = 0;
};

void close_link(Link& link, std::string reason) {
    if (!link.is_open) {
        return;
    }
    link.is_open = false;
    link.is_connecting = false;
    link.close_reason = std::move(reason);
    asio::error_code ignored;
    link.socket.close(ignored);
}

void close_broken(Link& link, const asio::error_code& error) {
    if (error == asio::error::eof) {
        close_link(link, "the zone closed the connection");
    } else {
        close_link(link, fmt::format("connection to {} lost: {}", link.address, error.message()));
    }
}

/// Asks to be told once when there is something to read (an ended connection is).
void watch(const std::shared_ptr<Link>& link) {
    if (link->is_watched) {
        return;
    }
    link->is_watched = true;
    link->socket.async_wait(tcp::socket::wait_read, [link](const asio::error_code& error) {
        link->is_watched = false;
        if (link->is_open && error != asio::error::operation_aborted) {
            link->connector->ready.push_back(link->tag);
        }
    });
}

/// Sends what it can of `bytes`; returns how many the socket took.
std::size_t write_some(Link& link, std::span<const std::uint8_t> bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size() && link.is_open) {
        asio::error_code error;
        sent +=
            link.socket.write_some(asio::buffer(bytes.data() + sent, bytes.size() - sent), error);
        if (error == asio::error::would_block) {
            break;
        }
        if (error) {
            close_broken(link, error);
        }
    }
    return sent;
}

void flush(Link& link) {
    if (link.is_connecting || !link.is_open || link.waiting.empty()) {
        return;
    }
    link.waiting_begin += write_some(link, std::span(link.waiting).subspan(link.waiting_begin));
    if (link.waiting_begin == link.waiting.size()) {
        link.waiting.clear();
        link.waiting_begin = 0;
    }
}

void finish_connecting(const std::shared_ptr<Link>& link, const asio::error_code& error) {
    if (!link->is_open) {
        return;
    }
    link->connector->ready.push_back(link->tag);
    if (error) {
        close_link(*link, fmt::format("cannot connect to {}: {}", link->address, error.message()));
        return;
    }
    asio::error_code failed;
    link->socket.non_blocking(true, failed);
    if (!failed) {
        link->socket.set_option(tcp::no_delay(true), failed);
    }
    if (failed) {
        close_broken(*link, failed);
        return;
    }
    link->is_connecting = false;
    flush(*link);
    if (link->is_open) {
        watch(link);
    }
}

class TcpStream final : public ByteStream {
  public:
    TcpStream(std::shared_ptr<TcpConnector::State> connector, std::shared_ptr<Link> link)
        : connector_(std::move(connector)), link_(std::move(link)) {}
    ~TcpStream() override { close_link(*link_, "closed"); }
    TcpStream(const TcpStream&) = delete;
    TcpStream& operator=(const TcpStream&) = delete;

    void send(std::span<const std::uint8_t> bytes) override {
        flush(*link_);
        if (!link_->is_open) {
            return;
        }
        if (!link_->is_connecting && link_->waiting.empty()) {
            bytes = bytes.subspan(write_some(*link_, bytes));
        }
        link_->waiting.insert(link_->waiting.end(), bytes.begin(), bytes.end());
        if (link_->waiting.size() - link_->waiting_begin > kSendWaitingBytesMax) {
            close_link(*link_, fmt::format("{} does not read: {} bytes wait to be sent",
                                           link_->address, link_->waiting.size()));
        }
    }

    std::size_t receive(std::vector<std::uint8_t>& out) override {
        if (link_->is_connecting) {
            poll_connecting();
        }
        if (!link_->is_open || link_->is_connecting) {
            return 0;
        }
        flush(*link_);
        const std::size_t received = read_available(out);
        if (link_->is_open) {
            watch(link_);
        }
        return received;
    }

    bool is_open() const override { return link_->is_open; }
    bool is_connecting() const override { return link_->is_connecting; }
    const std::string& close_reason() const override { return link_->close_reason; }
    void close(std::string_view reason) override { close_link(*link_, std::string(reason)); }

  private:
    void poll_connecting() {
        connector_->io.poll();
        if (link_->is_connecting && std::chrono::steady_clock::now() > link_->connect_deadline) {
            close_link(*link_,
                       fmt::format("cannot connect to {}: no answer in time", link_->address));
        }
    }

    std::size_t read_available(std::vector<std::uint8_t>& out) {
        std::vector<std::uint8_t>& scratch = connector_->scratch;
        std::size_t received = 0;
        while (received < kReceiveBytesMax) {
            asio::error_code error;
            const std::size_t count = link_->socket.read_some(asio::buffer(scratch), error);
            out.insert(out.end(), scratch.begin(),
                       scratch.begin() + static_cast<std::ptrdiff_t>(count));
            received += count;
            if (error && error != asio::error::would_block) {
                close_broken(*link_, error);
            }
            if (error || count < scratch.size()) {
                break;
            }
        }
        return received;
    }

    std::shared_ptr<TcpConnector::State> connector_;
    std::shared_ptr<Link> link_;
};

}  // namespace

std::string to_string(const HostPort& address) {
    const bool is_v6 = address.host.find(':') != std::string::npos;
    return is_v6 ? fmt::format("[{}]:{}", address.host, address.port)
                 : fmt::format("{}:{}", address.host, address.port);
}

Result<HostPort> parse_host_port(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
        return fail("'{}' is no address: write HOST:PORT, e.g. 127.0.0.1:7777", text);
    }
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    if (host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
        return fail("'{}' is no address: write an IPv6 host in brackets, e.g. [::1]:7777", text);
    }
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), port);
    if (host.empty() || error != std::errc() || end != digits.end() || port == 0) {
        return fail("'{}' is no address: the port is a number from 1 to 65535", text);
    }
    return HostPort{std::string(host), port};
}

TcpConnector::TcpConnector() : state_(std::make_shared<State>()) {}

TcpConnector::~TcpConnector() = default;

std::unique_ptr<ByteStream> TcpConnector::start(const HostPort& address, Nanoseconds timeout,
                                                std::uint64_t tag) {
    auto link = std::make_shared<Link>(*state_);
    link->address = to_string(address);
    link->tag = tag;
    link->connect_deadline = std::chrono::steady_clock::now() + timeout;
    auto found = state_->resolved.find(link->address);
    if (found == state_->resolved.end()) {
        asio::error_code error;
        tcp::resolver resolver(state_->io);
        auto endpoints = resolver.resolve(address.host, std::to_string(address.port), error);
        if (error) {
            close_link(*link,
                       fmt::format("cannot connect to {}: {}", link->address, error.message()));
            state_->ready.push_back(tag);
            return std::make_unique<TcpStream>(state_, std::move(link));
        }
        found = state_->resolved.emplace(link->address, std::move(endpoints)).first;
    }
    asio::async_connect(link->socket, found->second,
                        [link](const asio::error_code& error, const tcp::endpoint&) {
                            finish_connecting(link, error);
                        });
    return std::make_unique<TcpStream>(state_, std::move(link));
}

void TcpConnector::wait(Nanoseconds timeout, std::vector<std::uint64_t>& ready) {
    asio::io_context& io = state_->io;
    io.poll();
    if (state_->ready.empty() && timeout > Nanoseconds(0)) {
        io.run_one_for(timeout);
        io.poll();
    }
    ready.insert(ready.end(), state_->ready.begin(), state_->ready.end());
    state_->ready.clear();
}

Result<std::unique_ptr<ByteStream>> connect_tcp(const HostPort& address, Nanoseconds timeout) {
    TcpConnector connector;
    auto stream = connector.start(address, timeout, 0);
    std::vector<std::uint64_t> ready;
    std::vector<std::uint8_t> early;
    while (stream->is_open() && stream->is_connecting()) {
        connector.wait(std::chrono::milliseconds(20), ready);
        if (stream->is_connecting()) {
            stream->receive(early);  // looks at the deadline
        }
    }
    if (!stream->is_open()) {
        return fail("{}", stream->close_reason());
    }
    return stream;
}

}  // namespace terrane
