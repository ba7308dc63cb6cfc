// A TCP port that listens, for the room's servers. Private to the room: it shows Asio.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>

#include "shared/core/result.h"

namespace terrane {

/// `address`: IPv4 or IPv6, in numbers, each for itself. `port` 0: a free one, see
/// local_endpoint().
inline Result<asio::ip::tcp::acceptor> open_acceptor(asio::io_context& io,
                                                     const std::string& address,
                                                     std::uint16_t port) {
    using asio::ip::tcp;
    asio::error_code error;
    const asio::ip::address parsed = asio::ip::make_address(address, error);
    if (error) {
        return fail("'{}' is no IPv4 or IPv6 address", address);
    }
    const tcp::endpoint endpoint(parsed, port);
    tcp::acceptor acceptor(io);
    acceptor.open(endpoint.protocol(), error);
    if (!error) {
        acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    }
    if (!error && parsed.is_v6()) {
        acceptor.set_option(asio::ip::v6_only(true), error);
    }
    if (!error) {
        acceptor.bind(endpoint, error);
    }
    if (!error) {
        acceptor.listen(tcp::acceptor::max_listen_connections, error);
    }
    if (error) {
        return fail("{} port {}: {}", address, port, error.message());
    }
    return acceptor;
}

}  // namespace terrane
