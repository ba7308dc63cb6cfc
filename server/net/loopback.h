// The carrier in one process, without threads and without time of its own: bytes that a client
// wrote are there at the next poll, bytes that were flushed are there for the client's next
// receive. On request both directions are cut at odd places (seeded), as TCP may do. It keeps the
// same limits as TCP except the login deadline, which needs a clock: sessions have theirs in ticks.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "server/net/carrier.h"
#include "shared/core/random.h"

namespace terrane {

/// Both ends of one connection. Owner: LoopbackCarrier and LoopbackClient.
struct LoopbackPipe {
    Bytes to_zone;
    Bytes to_client;  ///< flushed and not yet received
    bool is_client_open = true;
    bool is_zone_open = true;
};

/// A client's end; closes when it goes. Thread: the carrier's.
class LoopbackClient {
  public:
    LoopbackClient(std::shared_ptr<LoopbackPipe> pipe, std::optional<Random> cuts)
        : pipe_(std::move(pipe)), cuts_(cuts) {}
    LoopbackClient(LoopbackClient&&) = default;
    LoopbackClient& operator=(LoopbackClient&& other) noexcept;
    ~LoopbackClient() { close(); }

    void send(std::span<const std::uint8_t> bytes);
    /// Appends what has come to `bytes` (with cuts: some of it). Returns how much.
    std::size_t receive(Bytes& bytes);
    /// Still open at the zone's end, or bytes are left to receive.
    bool is_open() const;
    void close();

  private:
    std::shared_ptr<LoopbackPipe> pipe_;
    std::optional<Random> cuts_;
};

struct LoopbackConfig {
    CarrierLimits limits;
    std::uint64_t cut_seed = 0;  ///< 0: streams are not cut
};

/// Thread: tick.
class LoopbackCarrier final : public Carrier {
  public:
    explicit LoopbackCarrier(const LoopbackConfig& config = {});

    /// A new connection; `opened` comes with the next poll.
    LoopbackClient connect();

    Result<void> start() override { return {}; }
    void stop_accepting() override { is_accepting_ = false; }
    void stop() override;
    void poll(CarrierEvents& events) override;
    bool send(ConnectionId connection, SharedBytes frame) override;
    std::size_t queued_bytes(ConnectionId connection) const override;
    void admit(ConnectionId connection) override;
    void close(ConnectionId connection) override;
    void flush() override;
    CarrierStats stats() const override { return stats_; }

  private:
    struct Connection {
        std::shared_ptr<LoopbackPipe> pipe;
        FrameReader reader;
        std::vector<SharedBytes> outbox{};
        std::size_t outbox_bytes = 0;
        bool is_announced = false;
        CloseReason closing = CloseReason::none;
    };
    void read(ConnectionId id, Connection& connection, CarrierEvents& events);
    bool deliver(ConnectionId id, Connection& connection, std::span<const std::uint8_t> bytes,
                 CarrierEvents& events);

    LoopbackConfig config_;
    std::optional<Random> cuts_;
    std::map<ConnectionId, Connection> connections_;
    ConnectionId last_id_ = 0;
    bool is_accepting_ = true;
    CarrierStats stats_;
};

}  // namespace terrane
