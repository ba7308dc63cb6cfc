// Many bots in one thread: one loop that sleeps until a socket has bytes or a bot's client tick is
// due. Bots join over the ramp and keep a phase of their own within the tick, so that their inputs
// reach the zone spread out, as people's do.
//
//   running ──duration, or stop()──> settling ──quiet──> checking ──answered──> quitting ──>
//   finished
//                                        (settling and checking only if bots verify)
//
// Every stage has a time limit: a zone that stops answering ends the swarm, not the other way
// round.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "client-stub/bots/bot.h"
#include "client-stub/bots/report.h"
#include "client-stub/session/connection.h"
#include "shared/core/clock.h"

namespace terrane {

struct SwarmConfig {
    HostPort zone;
    std::uint32_t bots = 1;
    double duration_s = 10.0;  ///< from the first connection on, the ramp included
    double ramp_s = 0.0;
    BehaviourConfig behaviour;
    std::uint64_t seed = 1;
    std::uint32_t process_id = 0;  ///< in the names: two swarms of one seed can be in one zone
    bool is_verifying = false;
    std::uint8_t view_chunks = 3;
    std::string client_version;
};

class Swarm {
  public:
    enum class Stage : std::uint8_t { running, settling, checking, quitting, finished };

    Swarm(const SwarmConfig& config, const Clock& clock);

    /// One round of the loop: sleeps at most `timeout`, and no longer than the next tick is away.
    void step(Nanoseconds timeout);
    /// Ends the run early; the last check and the goodbyes still happen.
    void stop() { is_stopping_ = true; }
    Stage stage() const { return stage_; }
    bool is_finished() const { return stage_ == Stage::finished; }

    /// Of now, or of the whole run once finished.
    SwarmReport report() const;
    /// "12 s  1000 of 1000 bots  18034 edits applied  0 divergences"
    std::string progress() const;

  private:
    struct Due {
        Nanoseconds at{0};
        std::uint32_t bot = 0;
        friend bool operator>(const Due& a, const Due& b) { return a.at > b.at; }
    };

    void start_bots(Nanoseconds now);
    void tick_bots(Nanoseconds now);
    void advance_stage(Nanoseconds now);
    void enter(Stage stage, Nanoseconds now);
    bool is_at_rest(Nanoseconds now);
    Nanoseconds next_wake(Nanoseconds now, Nanoseconds timeout) const;
    bool all_bots(bool (Bot::*is_so)() const) const;

    SwarmConfig config_;
    const Clock* clock_;
    TcpConnector connector_;
    ChunkCache cache_;
    SwarmRecord record_;
    std::vector<std::unique_ptr<Bot>> bots_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
    std::vector<std::uint64_t> ready_;
    Stage stage_ = Stage::running;
    bool is_stopping_ = false;
    Nanoseconds started_;
    Nanoseconds stage_started_;
    Nanoseconds run_ended_{0};  ///< when the bots began to quit
    std::uint64_t ops_at_rest_ = 0;
    Nanoseconds resting_since_{0};
    double cpu_started_s_;
    double cpu_ended_s_ = 0.0;
    std::vector<double> connected_s_;  ///< by bot, at the end of the run
    std::uint32_t unanswered_ = 0;
};

}  // namespace terrane
