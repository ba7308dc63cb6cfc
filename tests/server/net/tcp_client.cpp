#include "tests/server/net/tcp_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace terrane {

TcpClient::TcpClient(std::uint16_t port, const char* address, int receive_buffer_bytes) {
    const bool is_v6 = std::string_view(address).find(':') != std::string_view::npos;
    socket_ = ::socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer_bytes > 0) {
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                     sizeof(receive_buffer_bytes));
    }
    const timeval wait{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    sockaddr_storage storage{};
    socklen_t size = 0;
    if (is_v6) {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        ::inet_pton(AF_INET6, address, &v6.sin6_addr);
        std::memcpy(&storage, &v6, sizeof(v6));
        size = sizeof(v6);
    } else {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        ::inet_pton(AF_INET, address, &v4.sin_addr);
        std::memcpy(&storage, &v4, sizeof(v4));
        size = sizeof(v4);
    }
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&storage), size) != 0) {
        close();
    }
}

bool TcpClient::send(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

std::vector<std::uint8_t> TcpClient::receive(std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    std::size_t have = 0;
    while (have < size) {
        const ssize_t count = ::recv(socket_, bytes.data() + have, size - have, 0);
        if (count <= 0) {
            break;
        }
        have += static_cast<std::size_t>(count);
    }
    bytes.resize(have);
    return bytes;
}

bool TcpClient::wait_for_end() {
    std::array<std::uint8_t, 4096> bytes{};
    for (;;) {
        const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
        if (count == 0) {
            return true;
        }
        if (count < 0) {
            return errno == ECONNRESET;
        }
    }
}

void TcpClient::shut_sending() {
    ::shutdown(socket_, SHUT_WR);
}

void TcpClient::reset() {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    close();
}

void TcpClient::close() {
    if (socket_ >= 0) {
        ::close(socket_);
        socket_ = -1;
    }
}

}  // namespace terrane
