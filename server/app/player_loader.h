// Finds what the store knows of a player who wants to join, on a worker: the tick never waits for
// the disk. The session is `joining` meanwhile.
//
// Owner: Zone. Thread: tick, but for the workers' end of the queue.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "server/session/inbox.h"
#include "server/store/store.h"
#include "shared/core/worker_pool.h"

namespace terrane {

struct LoadedPlayer {
    JoinRequest request;
    std::optional<StoredPlayer> stored;  ///< nullopt: never seen here
};

class PlayerLoader {
  public:
    /// `store` may be null: then nobody was ever seen here.
    PlayerLoader(const Store* store, WorkerPool& workers);

    void ask(const JoinRequest& request);
    /// What finished since the last call, ascending by session.
    std::vector<LoadedPlayer> take_finished();

  private:
    struct Finished {
        std::mutex mutex;
        std::vector<LoadedPlayer> players;
    };

    const Store* store_;
    WorkerPool* workers_;
    std::shared_ptr<Finished> finished_;  ///< shared with jobs that may outlive us
};

}  // namespace terrane
