// Phase 8: what each session is sent of a tick, in this order: operations on chunks it has,
// refusals of its edits, chunks to forget, new chunks, hashes it asked for, and at last State: its
// own player, nodes that came, left and moved, and the newest input of its that the tick has run.
//
// A session sees the nodes within its view's radius (they leave 32 m beyond it); who is near is
// looked up for a quarter of the sessions each tick, moved nodes go out every tick.
//
// Owner: app/Zone. Thread: tick.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "schemas/to_client_generated.h"
#include "server/replication/chunk_archive.h"
#include "server/replication/chunk_view.h"
#include "server/replication/node_slots.h"
#include "server/world/step_world.h"

namespace terrane {

struct ReplicationConfig {
    std::size_t chunk_bytes_per_tick = 128U << 10;  ///< a session
    std::size_t outbox_soft_bytes = 1U << 20;       ///< more waiting than this: no new chunks
};

/// The way to the sessions, as replication needs it.
struct SessionSink {
    std::function<void(EntityId player, SharedBytes frame)> send;
    /// Bytes handed to send() that have not left yet.
    std::function<std::size_t(EntityId player)> waiting_bytes;
};

struct ReplicationStats {
    std::uint64_t chunks_sent = 0;
    std::uint64_t chunk_bytes = 0;
    std::uint64_t op_messages = 0;
    std::uint64_t node_states = 0;
    std::uint64_t state_bytes = 0;
};

class Replicator {
  public:
    explicit Replicator(const ReplicationConfig& config = {});
    ~Replicator();

    /// The player must be in the world at the next replicate().
    void add_session(EntityId player, std::uint32_t view_chunks);
    void remove_session(EntityId player);
    /// To be answered with the tick's end state; chunks the session does not have answer as
    /// unknown.
    void request_hashes(EntityId player, std::span<const ChunkCoord> chunks);

    ChunkArchive& archive() { return archive_; }
    void replicate(const World& world, const StepResult& result, const SessionSink& sink);
    const ReplicationStats& stats() const { return stats_; }
    /// Chunks the session has been sent, 0 if there is no such session.
    std::size_t chunk_count(EntityId player) const;

  private:
    struct Session;
    struct Tick;

    void send_ops(const Tick& tick, const SessionSink& sink);
    void send_chunk_ops(const ChunkCoord& coord, std::span<const AppliedEdit* const> edits,
                        const SessionSink& sink);
    void send_chunks(const Tick& tick, Session& session, const SessionSink& sink);
    void send_rejections(const Tick& tick, const SessionSink& sink);
    void send_hashes(const Tick& tick, Session& session, const SessionSink& sink);
    void update_interest(const Tick& tick, Session& session);
    std::vector<EntityId> nodes_to_send(const Tick& tick, Session& session);
    void send_state(const Tick& tick, Session& session, const SessionSink& sink);

    ReplicationConfig config_;
    ChunkArchive archive_;
    std::map<EntityId, Session> sessions_;
    ReplicationStats stats_;
    flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace terrane
