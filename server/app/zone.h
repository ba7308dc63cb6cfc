// One zone, whole: owns the world, its sessions and what carries the one to the other, and knows
// the order in which they start and stop. Time, network, threads and disk are given to it, so that
// a test runs the same zone in virtual time, in one process.
//
//   open()      spawn area, stored bodies (or the first ones)
//   run_tick()  THE tick, outer half: tick.cpp
//   close()     tells the sessions, saves
//
// Owner: main. Thread: one, the tick thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/app/chunk_loader.h"
#include "server/app/player_loader.h"
#include "server/app/pregen.h"
#include "server/app/saver.h"
#include "server/app/tick_stats.h"
#include "server/app/zone_config.h"
#include "server/net/carrier.h"
#include "server/replication/replicator.h"
#include "server/rules/rules.h"
#include "server/session/sessions.h"
#include "server/store/store.h"
#include "server/world/step_world.h"
#include "shared/core/clock.h"
#include "shared/core/worker_pool.h"

namespace terrane {

/// What a zone is given. Everything must outlive it.
struct ZoneSurroundings {
    Clock* clock = nullptr;
    Carrier* carrier = nullptr;  ///< started
    WorkerPool* workers = nullptr;
    Store* store = nullptr;  ///< null: nothing is kept
    /// Virtual time: workers are waited for at the start of each tick.
    bool waits_for_workers = false;
};

class Zone {
  public:
    Zone(const ZoneConfig& config, const ZoneSurroundings& surroundings);
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

    /// Once, before the first tick.
    void open();
    void run_tick();
    /// Once, after the last tick: every session gets Leave, everything is saved.
    void close();
    /// For the next tick: what operators want.
    void submit(Command command) { submitted_.push_back(std::move(command)); }
    /// Ends the player's session; false if nobody of that name is here.
    bool kick(std::string_view name, std::string_view reason);
    /// May a player who is not on this machine see physics (DebugRequest)? From its next request
    /// on.
    void grant_debug(std::string_view name, bool is_granted);
    /// Saves with the next tick instead of at its time; saved once saved_tick() is that tick.
    void save_now();
    /// Grows and stores the chunks of these columns ahead of players; returns how many that are, 0
    /// if nothing is kept.
    std::size_t pregen(const ChunkColumns& columns);
    std::size_t pregen_waiting() const { return pregen_.waiting(); }
    bool is_pregen_full() const { return pregen_.is_full(); }
    /// Grown chunks that the next save will hold.
    std::size_t grown_waiting() const { return saver_ == nullptr ? 0 : saver_->grown_waiting(); }
    /// Everything up to this tick is durable; the newest tick if nothing is kept.
    std::uint64_t saved_tick() const;
    /// Why the zone cannot go on (the store failed), or empty.
    std::string failure() const;

    const World& world() const { return world_; }
    World& world() { return world_; }
    const TickStats& tick_stats() const { return tick_stats_; }
    TickStats& tick_stats() { return tick_stats_; }
    const Sessions& sessions() const { return sessions_; }
    const Replicator& replicator() const { return replicator_; }
    /// Trees over props that workers built and the tick took.
    std::uint64_t tree_swaps() const { return tree_swaps_; }
    ChunkLoaderStats chunk_stats() const { return chunk_loader_.stats(); }
    const StepResult& last_step() const { return result_; }

  private:
    // tick.cpp, in order of use
    void receive();
    void decode();
    void take_joins();
    void show_debug(const DebugRequest& request);
    void take_builds();
    void start_build();
    void step();
    void run_rules();
    void replicate();
    void refuse_edits();
    void refuse_lines();
    void move_chunks();
    void save();
    void forget_durable_players();

    void load_area(std::int32_t x, std::int32_t z);
    void hold_spawn();
    void restore_bodies();
    void restore_piece(const StoredBody& stored);
    void admit(const LoadedPlayer& loaded);
    JoinCommand join_command(const LoadedPlayer& loaded);
    Bytes welcome_for(const JoinRequest& request, EntityId player) const;
    SessionSink make_sink();

    ZoneConfig config_;
    ZoneSurroundings surroundings_;
    World world_;
    Sessions sessions_;
    Replicator replicator_;
    ChunkSource chunk_source_;
    ChunkLoader chunk_loader_;
    PlayerLoader player_loader_;
    std::deque<LoadedPlayer> to_admit_;  ///< at most as many as sessions are joining
    Pregen pregen_;
    std::unique_ptr<Saver> saver_;  ///< null: nothing is kept
    std::vector<std::unique_ptr<Rules>> rules_;
    TickStats tick_stats_;

    // Of the tick that runs; kept so that a warm tick allocates little.
    std::uint32_t tick_ = 0;
    const Received* received_ = nullptr;
    std::vector<Command> submitted_;  ///< for the next tick, by rules and operators
    std::vector<Command> commands_;
    std::vector<Aabb> wished_boxes_;
    StepResult result_;
    struct BuildMailbox {
        std::mutex mutex;
        std::vector<BvhBuilt> built;
    };
    std::uint64_t tree_swaps_ = 0;
    /// Shared with the jobs, which may outlive the zone.
    std::shared_ptr<BuildMailbox> builds_ = std::make_shared<BuildMailbox>();
    ChunkCoord spawn_chunk_;  ///< its columns and those around are always simulated
    std::map<EntityId, SessionId> session_of_;
    std::set<std::string, std::less<>> debug_granted_;  ///< by name
    /// Players who left, by name, until what the store has of them is as new.
    struct LeftPlayer {
        StoredPlayer player;
        std::uint64_t tick = 0;
    };
    std::map<std::string, LeftPlayer> left_players_;
};

/// The rooms' plain structs out of the zone's configuration.
WorldConfig to_world_config(const ZoneConfig& config);
SessionConfig to_session_config(const ZoneConfig& config);
ReplicationConfig to_replication_config(const ZoneConfig& config);
ChunkLoaderConfig to_chunk_loader_config(const ZoneConfig& config);

}  // namespace terrane
