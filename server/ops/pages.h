// What HTTP shows of a zone: /healthz, /status, /metrics. The tick thread leaves things here, the
// I/O thread reads them; neither waits for the other, and no request touches the world.
//
//   tick thread --> note_tick (each tick), publish_status (each second), Metrics
//   I/O thread  <-- page()
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "server/net/stream_server.h"
#include "server/ops/http.h"
#include "server/ops/metrics.h"
#include "shared/core/clock.h"

namespace terrane {

/// /healthz says so for as long after the last tick.
inline constexpr Nanoseconds kHealthyFor{2'000'000'000};

class OpsPages {
  public:
    /// `clock`: the one that ticks run by; asked by the I/O thread too.
    OpsPages(const Metrics& metrics, const Clock& clock) : metrics_(&metrics), clock_(&clock) {}

    void note_tick(Nanoseconds now) { last_tick_ns_ = now.count(); }
    /// The JSON of /status, one line.
    void publish_status(std::string json);

    /// Thread: any.
    HttpPage page(std::string_view path) const;
    std::string status() const;

  private:
    HttpPage health_page() const;

    static constexpr std::int64_t kNever = -1;
    const Metrics* metrics_;
    const Clock* clock_;
    std::atomic<std::int64_t> last_tick_ns_{kNever};
    mutable std::mutex mutex_;
    std::string status_;  ///< empty until the first
};

/// HTTP for a StreamServer; `pages` must outlive it.
StreamProtocol http_protocol(const OpsPages& pages);
StreamLimits http_limits();

}  // namespace terrane
