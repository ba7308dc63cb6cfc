// THE tick, outer half. Commands are gathered, step_world runs, its result goes out and to disk:
//
//   socket bytes -> mailbox
//    1 receive    what came since the last tick: bounded, the rest waits or is dropped and counted
//    2 decode     joins, inputs, finished chunks -> commands
//    + step_world: 3 apply  4 edit  5 terrain  6 motion  7 scene            (world/step_world.cpp)
//    8 replicate  per session: chunks, operations, refusals, nodes -> outbox
//    9 send       outboxes -> I/O thread
//   10 store      changes -> store thread, one transaction a second
#include <utility>

#include "server/app/zone.h"
#include "shared/protocol/encode.h"

namespace terrane {
namespace {

constexpr TickPhase kPhaseOf[kWorldPhaseCount] = {
    TickPhase::apply, TickPhase::edit, TickPhase::terrain, TickPhase::motion, TickPhase::scene};

}  // namespace

void Zone::run_tick() {
    const auto finished = [this](TickPhase phase) {
        tick_stats_.finish_phase(phase, surroundings_.clock->now());
    };
    tick_stats_.start_tick(surroundings_.clock->now());
    tick_ = static_cast<std::uint32_t>(world_.tick + 1);

    receive();
    finished(TickPhase::receive);
    decode();
    finished(TickPhase::decode);
    step();
    replicate();
    finished(TickPhase::replicate);
    sessions_.flush();
    finished(TickPhase::send);
    save();
    finished(TickPhase::store);
    tick_stats_.finish_tick(surroundings_.clock->now());
}

void Zone::receive() {
    if (surroundings_.waits_for_workers) {
        surroundings_.workers->drain();
    }
    received_ = &sessions_.receive(tick_);
    arrived_ = residency_.take_finished();
}

void Zone::decode() {
    commands_.clear();
    take_chunks();
    commands_.insert(commands_.end(), received_->commands.begin(), received_->commands.end());
    for (const LeftSession& left : received_->left) {
        if (left.player != 0) {
            replicator_.remove_session(left.player);
            residency_.forget_player(left.player);
            session_of_.erase(left.player);
            if (const auto player = world_.players.find(left.player);
                player != world_.players.end()) {
                left_players_[left.name] = {to_stored(player->second), world_.tick + 1};
            }
        }
    }
    take_joins();
    for (const HashRequest& request : received_->hash_requests) {
        if (const Session* session = sessions_.find(request.session)) {
            replicator_.request_hashes(session->player, request.chunks);
        }
    }
}

void Zone::take_chunks() {
    for (const FetchedChunk& fetched : arrived_) {
        commands_.emplace_back(ChunkCommand{fetched.coord, fetched.chunk});
        replicator_.archive().chunk_arrived(fetched.coord, fetched.chunk, fetched.blob);
    }
}

void Zone::take_joins() {
    for (const JoinRequest& request : received_->joins) {
        const auto left = left_players_.find(request.name);
        if (left != left_players_.end()) {
            admit({request, left->second.player});  // the store's row may be older
        } else {
            player_loader_.ask(request);
        }
    }
    for (const LoadedPlayer& loaded : player_loader_.take_finished()) {
        admit(loaded);
    }
}

void Zone::admit(const LoadedPlayer& loaded) {
    JoinCommand join = join_command(loaded);
    auto welcome = std::make_shared<const Bytes>(welcome_for(loaded.request, join.player));
    if (sessions_.admit(loaded.request.session, join.player, std::move(welcome), tick_)) {
        replicator_.add_session(join.player, loaded.request.view_chunks);
        session_of_[join.player] = loaded.request.session;
        left_players_.erase(join.name);
        commands_.emplace_back(std::move(join));
    }
}

void Zone::step() {
    step_world(
        world_, commands_, result_,
        [](void* zone, WorldPhase phase) {
            auto* self = static_cast<Zone*>(zone);
            self->tick_stats_.finish_phase(kPhaseOf[static_cast<std::size_t>(phase)],
                                           self->surroundings_.clock->now());
        },
        this);
}

void Zone::replicate() {
    refuse_edits();
    replicator_.replicate(world_, result_, make_sink());
    request_chunks();
}

/// Edits over the session's rate: the world never saw them.
void Zone::refuse_edits() {
    for (const RefusedEdit& refused : received_->refused_edits) {
        const Chunk* chunk = world_.grid.find(refused.chunk);
        sessions_.send(refused.session, std::make_shared<const Bytes>(encode_reject(
                                            refused.edit, wire::RejectReason::rate, refused.chunk,
                                            chunk == nullptr ? 0 : chunk->revision)));
    }
}

void Zone::request_chunks() {
    for (const Session* session : sessions_.list_playing(tick_)) {
        if (const auto player = world_.players.find(session->player);
            player != world_.players.end()) {
            residency_.want_view(world_, player->second, session->view_chunks);
        }
    }
}

void Zone::save() {
    if (saver_ != nullptr) {
        saver_->note(world_, result_);
        saver_->run(world_);
    }
    forget_durable_players();
}

/// Without a store nothing becomes durable: the zone remembers up to kLeftPlayersMax, then begins
/// anew.
void Zone::forget_durable_players() {
    constexpr std::size_t kLeftPlayersMax = 4096;
    if (surroundings_.store == nullptr) {
        if (left_players_.size() > kLeftPlayersMax) {
            left_players_.clear();
        }
        return;
    }
    if (!left_players_.empty()) {
        const std::uint64_t durable_tick = surroundings_.store->stats().durable_tick;
        std::erase_if(left_players_,
                      [&](const auto& left) { return left.second.tick <= durable_tick; });
    }
}

}  // namespace terrane
