// One bot: a session, a behaviour and a stopwatch. It joins, does what its behaviour says each
// client tick, asks for the zone's hashes of its replica now and then if it verifies, and writes
// what it measures into the swarm's record.
//
//   joining ──Welcome──> living ──settle()──> settling ──check()──> checking ──quit()──> leaving
//      └────────────────────┴── left before quit(): could not join, or dropped
//
// Settling bots send inputs without edits, so that the replicas come to rest before the last check.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "client-stub/bots/behaviours.h"
#include "client-stub/bots/edit_sightings.h"
#include "client-stub/bots/histogram.h"
#include "client-stub/session/client_session.h"

namespace terrane {

inline constexpr std::size_t kRejectReasons =
    static_cast<std::size_t>(wire::RejectReason::MAX) + std::size_t{1};

/// Hash requests of one bot are this far apart; the zone allows four a second.
inline constexpr Nanoseconds kHashRequestGap{300'000'000};

struct BotConfig {
    std::uint32_t index = 0;
    std::uint64_t seed = 0;
    BehaviourConfig behaviour;
    bool is_verifying = false;
    Nanoseconds verify_period{10'000'000'000};
};

/// What all bots of a swarm measure together.
struct SwarmRecord {
    Histogram join_ms;      ///< start of connecting to Welcome
    Histogram playable_ms;  ///< start of connecting to ground around the player
    Histogram snapshot_interval_ms;
    EditSightings sightings;
    std::array<std::uint64_t, kRejectReasons> rejected{};  ///< by wire::RejectReason
    std::uint64_t ops_applied = 0;  ///< by all replicas; at rest it stands still
};

class Bot {
  public:
    Bot(const BotConfig& config, std::unique_ptr<ByteStream> stream, ClientSessionConfig session,
        Nanoseconds now, SwarmRecord& record);

    /// Bytes may have come.
    void receive(Nanoseconds now);
    /// One client tick, or a look at the time while there is no zone yet.
    void tick(Nanoseconds now);

    void settle() { can_edit_ = false; }
    /// Asks for the hash of every chunk once more.
    void check(Nanoseconds now);
    /// Everything asked for was answered, and nothing waits for a revision.
    bool is_checked() const;
    void quit(Nanoseconds now);

    const ClientSession& session() const { return session_; }
    bool has_joined() const { return session_.replica() != nullptr; }
    bool is_left() const { return session_.is_left(); }
    /// Joined, and the session ended before quit().
    bool is_dropped() const { return has_joined() && is_left() && !has_quit_; }
    /// 50 ms until the zone says how long.
    Nanoseconds tick_length() const;
    /// From Welcome to now or to the end.
    double connected_s(Nanoseconds now) const;

  private:
    struct SentTime {
        std::uint32_t id = 0;
        Nanoseconds at{0};
    };

    void measure(const SessionEvents& events, Nanoseconds now);
    bool is_playable() const;
    void continue_sweep(Nanoseconds now);
    void start_sweep(Nanoseconds now);

    BotConfig config_;
    SwarmRecord* record_;
    Nanoseconds started_;
    ClientSession session_;
    Behaviour behaviour_;
    bool can_edit_ = true;
    bool has_quit_ = false;
    bool is_playable_ = false;
    Nanoseconds welcomed_{0};
    Nanoseconds ended_{0};
    Nanoseconds last_state_{0};
    std::unordered_map<ChunkCoord, Nanoseconds> held_since_;  ///< every chunk that ever came
    std::deque<SentTime> sent_edits_;                         ///< ids without gaps
    // The sweep: every chunk of the replica, a batch at a time.
    std::vector<ChunkCoord> sweep_;
    std::size_t sweep_next_ = 0;
    Nanoseconds next_batch_{0};
    Nanoseconds next_sweep_{0};
};

}  // namespace terrane
