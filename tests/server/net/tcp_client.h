// A plain blocking TCP client of the tests: POSIX sockets, nothing of ours. Waits end after 20 s,
// so that a fault fails a test instead of hanging it; no test asserts a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace terrane {

class TcpClient {
  public:
    explicit TcpClient(std::uint16_t port, const char* address = "127.0.0.1",
                       int receive_buffer_bytes = 0);
    TcpClient(const TcpClient&) = delete;
    TcpClient(TcpClient&& other) noexcept : socket_(other.socket_) { other.socket_ = -1; }
    ~TcpClient() { close(); }

    bool is_connected() const { return socket_ >= 0; }
    /// false: the other end is gone.
    bool send(std::span<const std::uint8_t> bytes);
    /// Exactly `size` bytes, fewer if the other end closed before.
    std::vector<std::uint8_t> receive(std::size_t size);
    /// Everything until the other end closes; false if it did not within the wait.
    bool wait_for_end();
    void shut_sending();
    void reset();  ///< closes with RST
    void close();

  private:
    int socket_ = -1;
};

}  // namespace terrane
