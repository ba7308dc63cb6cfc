// What a swarm found out: the JSON of --report, whose keys are a promise to scripts, and the few
// lines for a person. Milliseconds, bytes, counts; distributions as p50 p90 p99 max, null where
// nothing was measured.
//   edit_to_seen_ms      one value for each edit and each *other* bot whose replica applied it
//   bytes_in_per_s       one value a bot: its bytes over the time it was connected
//   edit_to_durable_ms   null: the zone does not tell sessions its durable mark in this version
//   server               of the zone's /status near the end of the run; null: it was not asked, did
//                        not answer, or is another zone than the bots' own
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "client-stub/bots/histogram.h"

namespace terrane {

struct SwarmReport {
    std::uint32_t bots = 0;
    std::uint32_t joined = 0;
    std::uint32_t dropped = 0;
    double duration_s = 0.0;
    Histogram join_ms;
    Histogram playable_ms;
    Histogram edit_to_seen_ms;
    Histogram snapshot_interval_ms;
    Histogram bytes_in_per_s;
    Histogram bytes_out_per_s;
    std::uint64_t edits_sent = 0;
    std::uint64_t edits_applied = 0;
    std::map<std::string, std::uint64_t> edits_rejected;  ///< by reason; only those that occurred
    std::uint64_t chunks_received = 0;
    std::uint64_t divergences = 0;
    double bots_cpu_s = 0.0;
    std::string zone_status;  ///< the JSON of the zone's /status; empty: none
    // For the person and the exit code; not in the JSON.
    bool is_verified = false;  ///< --verify was on
    std::uint64_t hashes_compared = 0;
    std::uint32_t unanswered = 0;  ///< bots whose last hash requests the zone did not answer
    std::string first_failure;     ///< why the first bot could not join or was dropped
};

std::string to_json(const SwarmReport& report);
/// Is `zone_status` of the zone that listens on `port`?
bool is_status_of(const std::string& zone_status, std::uint16_t port);
/// Empty if no bot joined: failure_of says all there is to say.
std::string to_summary(const SwarmReport& report);
/// Empty if all is well; otherwise the line for stderr, and the program exits 1.
std::string failure_of(const SwarmReport& report);

}  // namespace terrane
