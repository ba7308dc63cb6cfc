// What operators see of a zone, on the tick thread: after each tick the times of its phases, once a
// second every count (zone_metrics.h) and the text of /status, and in between the requests of
// terrane-ctl (ctl_verbs.h). Reads the zone through its public face only; the I/O thread reads what
// is left in Metrics and OpsPages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/app/ctl_verbs.h"
#include "server/app/zone.h"
#include "server/app/zone_metrics.h"
#include "server/net/stream_server.h"
#include "server/ops/pages.h"

namespace terrane {

/// What ZoneOps is given. Everything must outlive it.
struct ZoneOpsParts {
    Zone* zone = nullptr;  ///< open
    const ZoneConfig* config = nullptr;
    const Carrier* carrier = nullptr;
    const Store* store = nullptr;           ///< null: nothing is kept
    const StreamServer* streams = nullptr;  ///< null: no HTTP and no ctl (tests)
    const Clock* clock = nullptr;
    CtlMailbox* mailbox = nullptr;
    OpsPages* pages = nullptr;
    Metrics* metrics = nullptr;
    CtlAnswer answer;
    std::uint16_t port = 0;  ///< the zone's, in use
};

class ZoneOps {
  public:
    explicit ZoneOps(const ZoneOpsParts& parts);
    ZoneOps(const ZoneOps&) = delete;
    ZoneOps& operator=(const ZoneOps&) = delete;

    /// After each run_tick. Allocates only once a second and for requests.
    void after_tick();
    /// An operator's stop is due.
    bool is_stop_due() const { return verbs_.is_stop_due(); }
    /// After Zone::close: whoever still waits for an answer gets one.
    void close() { verbs_.close(); }

  private:
    void publish();
    ZoneCounts count() const;
    std::string status_json(const ZoneCounts& counts) const;

    ZoneOpsParts parts_;
    CtlVerbs verbs_;
    ZoneMetrics metrics_;
    std::vector<CtlRequest> requests_;
    StepTotals steps_;
    std::uint64_t change_tick_ = 0;  ///< the newest with something to save
    Nanoseconds started_;
    std::uint32_t ticks_to_publish_;
};

}  // namespace terrane
