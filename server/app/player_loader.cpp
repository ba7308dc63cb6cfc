#include "server/app/player_loader.h"

#include <algorithm>
#include <utility>

namespace terrane {

PlayerLoader::PlayerLoader(const Store* store, WorkerPool& workers)
    : store_(store), workers_(&workers), finished_(std::make_shared<Finished>()) {}

void PlayerLoader::ask(const JoinRequest& request) {
    if (store_ == nullptr) {
        const std::lock_guard lock(finished_->mutex);
        finished_->players.push_back({request, std::nullopt});
        return;
    }
    workers_->post([store = store_, finished = finished_, request] {
        std::optional<StoredPlayer> stored = store->load_player(request.name);
        const std::lock_guard lock(finished->mutex);
        finished->players.push_back({request, std::move(stored)});
    });
}

std::vector<LoadedPlayer> PlayerLoader::take_finished() {
    std::vector<LoadedPlayer> taken;
    {
        const std::lock_guard lock(finished_->mutex);
        taken.swap(finished_->players);
    }
    std::sort(taken.begin(), taken.end(), [](const LoadedPlayer& a, const LoadedPlayer& b) {
        return a.request.session < b.request.session;
    });
    return taken;
}

}  // namespace terrane
