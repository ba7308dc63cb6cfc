// Players over TCP: one I/O thread of its own runs all sockets (Asio, coroutines, in tcp.cpp only).
// TCP_NODELAY; all frames of a tick for one connection leave in one gathering write; a connection
// that does not read is closed when its outbox is full, one that floods is not read until the tick
// has taken what waits. Out of file descriptors: accepting pauses and goes on, nobody is dropped.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/net/carrier.h"

namespace terrane {

struct TcpConfig {
    std::vector<std::string> listen{"127.0.0.1"};  ///< IPv4 and IPv6 addresses
    std::uint16_t port = 7777;                     ///< 0: the kernel picks one for all addresses
    CarrierLimits limits;
};

class TcpLoop;

class TcpCarrier final : public Carrier {
  public:
    explicit TcpCarrier(TcpConfig config);
    ~TcpCarrier() override;

    /// Listens on every address or fails on the first that cannot be had.
    Result<void> start() override;
    void stop_accepting() override;
    void stop() override;
    void poll(CarrierEvents& events) override;
    bool send(ConnectionId connection, SharedBytes frame) override;
    std::size_t queued_bytes(ConnectionId connection) const override;
    void admit(ConnectionId connection) override;
    void close(ConnectionId connection) override;
    void flush() override;
    CarrierStats stats() const override;
    /// The port in use, after start().
    std::uint16_t port() const;

  private:
    std::unique_ptr<TcpLoop> loop_;
};

}  // namespace terrane
