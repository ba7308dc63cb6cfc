// THE tick, outer half. Commands are gathered, step_world runs, its result goes out and to disk:
//
//   socket bytes -> mailbox
//    1 receive    what came since the last tick: bounded, the rest waits or is dropped and counted
//    2 decode     joins, inputs, finished chunks -> commands
//    + step_world: 3 apply  4 edit  5 terrain  6 motion  7 scene            (world/step_world.cpp)
//      rules      its result -> commands of the next tick
//    8 replicate  per session: chunks, operations, refusals, nodes -> outbox
//    9 send       outboxes -> I/O thread
//   10 store      changes -> store thread, one transaction a second
#include <iterator>
#include <utility>

#include "server/app/zone.h"
#include "shared/core/log.h"
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
    run_rules();
    finished(TickPhase::rules);
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
}

void Zone::decode() {
    commands_.clear();
    chunk_loader_.take_finished(commands_);  // first: chunks come and go before anybody acts
    std::move(submitted_.begin(), submitted_.end(), std::back_inserter(commands_));
    submitted_.clear();
    take_builds();
    commands_.insert(commands_.end(), received_->commands.begin(), received_->commands.end());
    for (const LeftSession& left : received_->left) {
        if (left.player != 0) {
            replicator_.remove_session(left.player);
            chunk_loader_.tickets().forget_player(left.player);
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
    for (const DebugRequest& request : received_->debug_requests) {
        show_debug(request);
    }
}

/// Trees over props are built by workers. No answer depends on when one is swapped in.
void Zone::take_builds() {
    std::vector<BvhBuilt> built;
    {
        const std::lock_guard lock(builds_->mutex);
        built.swap(builds_->built);
    }
    for (BvhBuilt& build : built) {
        if (world_.objects.take_build(std::move(build))) {
            ++tree_swaps_;
            log_debug("queries: tick {}: a new tree over {} props", tick_,
                      world_.objects.props().tree().object_count);
        }
    }
}

void Zone::start_build() {
    if (auto task = world_.objects.hand_out_build()) {
        surroundings_.workers->post([task = std::move(*task), mailbox = builds_] {
            BvhBuilt built = run_build(task);
            const std::lock_guard lock(mailbox->mutex);
            mailbox->built.push_back(std::move(built));
        });
    }
}

void Zone::grant_debug(std::string_view name, bool is_granted) {
    if (is_granted) {
        debug_granted_.emplace(name);
    } else if (const auto found = debug_granted_.find(name); found != debug_granted_.end()) {
        debug_granted_.erase(found);
        if (const Session* session = sessions_.find_name(name)) {
            replicator_.show_debug(session->player, {});
        }
    }
}

/// Physics is shown to sessions on this machine, and to whom the operator grants it.
void Zone::show_debug(const DebugRequest& request) {
    const Session* session = sessions_.find(request.session);
    if (session == nullptr) {
        return;
    }
    if (is_loopback_address(session->address) || debug_granted_.contains(session->name)) {
        replicator_.show_debug(session->player, {request.contacts, request.water});
    } else {
        sessions_.send(session->id, std::make_shared<const Bytes>(encode_debug_refused(tick_)));
    }
}

void Zone::take_joins() {
    for (const JoinRequest& request : received_->joins) {
        const auto left = left_players_.find(request.name);
        if (left != left_players_.end()) {
            to_admit_.push_back({request, left->second.player});  // the store's row may be older
        } else {
            player_loader_.ask(request);
        }
    }
    for (LoadedPlayer& loaded : player_loader_.take_finished()) {
        to_admit_.push_back(std::move(loaded));
    }
    // A crowd at the door does not stop those inside.
    constexpr std::size_t kAdmittedPerTick = 8;
    for (std::size_t i = 0; i < kAdmittedPerTick && !to_admit_.empty(); ++i) {
        admit(to_admit_.front());
        to_admit_.pop_front();
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
    start_build();
}

void Zone::run_rules() {
    CommandSink sink(submitted_);
    for (const std::unique_ptr<Rules>& rules : rules_) {
        rules->on_step(result_, sink);
    }
}

void Zone::replicate() {
    refuse_edits();
    refuse_lines();
    replicator_.replicate(world_, result_, make_sink());
    move_chunks();
}

/// Edits over the session's rate: the world never saw them.
void Zone::refuse_edits() {
    for (const RefusedEdit& refused : received_->refused_edits) {
        sessions_.send(refused.session,
                       std::make_shared<const Bytes>(encode_reject(
                           refused.edit, wire::RejectReason::rate, refused.chunk,
                           replicator_.archive().revision(refused.chunk).value_or(0))));
    }
}

void Zone::refuse_lines() {
    for (const RefusedLine& refused : received_->refused_lines) {
        sessions_.send(refused.session, std::make_shared<const Bytes>(encode_chat(
                                            "", "not so fast: that line was not sent")));
    }
}

/// What players and awake bodies want now is loaded, what nobody keeps goes.
void Zone::move_chunks() {
    constexpr float kBodiesAheadS = 0.5F;
    if (result_.is_spawn_point_changed) {
        hold_spawn();
    }
    for (const Session* session : sessions_.list_playing(tick_)) {
        if (const auto player = world_.players.find(session->player);
            player != world_.players.end()) {
            chunk_loader_.tickets().set_player(session->player,
                                               chunk_of(voxel_at(player->second.state.position)),
                                               session->view_chunks);
        }
    }
    wished_boxes_.clear();
    world_.physics.list_wanted(wished_boxes_, kBodiesAheadS);
    const std::optional<std::uint64_t> durable_tick =
        surroundings_.store == nullptr ? std::nullopt
                                       : std::optional(surroundings_.store->stats().durable_tick);
    chunk_loader_.run(world_.grid, world_.tick, wished_boxes_, durable_tick);
}

void Zone::save() {
    if (saver_ != nullptr) {
        constexpr std::size_t kGrownWaitingMax = 512;
        saver_->note(world_, result_);
        saver_->add_grown(pregen_.run(saver_->grown_waiting() > kGrownWaitingMax));
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
