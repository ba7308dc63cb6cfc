// Phase 8: what each session is sent of a tick, in this order: operations on chunks it has and
// props that are gone, refusals of its edits, lines of chat, chunks to forget, what it is behind
// with and new chunks, hashes and views of physics it asked for, and at last State.
//
// Chunks (chunk_stream.h) come out of the archive, so that a chunk which is only viewed is as good
// as one in the grid. An operation goes to everybody who has its chunk in its own tick, one message
// for all; who made it gets a copy that names the edit, whether it has the chunk or not. A session
// whose outbox is over the soft limit gets neither operations nor chunks until there is room: State
// goes on. Nodes: node_stream.h.
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
#include "server/world/step_world.h"
#include "shared/scene/interest_grid.h"

namespace terrane {

struct ReplicationConfig {
    std::size_t chunk_bytes_per_tick = 128U << 10;       ///< a session
    std::size_t all_chunk_bytes_per_tick = 1U << 20;     ///< shared by the sessions that load
    std::size_t chunk_bytes_per_tick_least = 16U << 10;  ///< a session, however many load
    std::size_t outbox_soft_bytes = 256U << 10;          ///< more waiting than this: only State
};

/// The way to the sessions, as replication needs it.
struct SessionSink {
    std::function<void(EntityId player, SharedBytes frame)> send;
    /// Bytes handed to send() that have not left yet.
    std::function<std::size_t(EntityId player)> waiting_bytes;
};

/// What of physics a session is shown.
struct DebugViews {
    bool contacts = false;
    bool water = false;
};

struct ReplicationStats {
    std::uint64_t chunks_sent = 0;
    std::uint64_t chunk_bytes = 0;  ///< with what sessions were behind with
    std::uint64_t op_messages = 0;
    std::uint64_t ops_held_back = 0;  ///< messages that a full outbox put off
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

    /// Shown from the next replicate() on, until the next request.
    void show_debug(EntityId player, DebugViews views);

    ChunkArchive& archive() { return archive_; }
    const ChunkArchive& archive() const { return archive_; }
    void replicate(const World& world, const StepResult& result, const SessionSink& sink);
    const ReplicationStats& stats() const { return stats_; }
    /// Chunks the session has been sent, 0 if there is no such session.
    std::size_t chunk_count(EntityId player) const;
    bool has_chunk(EntityId player, const ChunkCoord& coord) const;

  private:
    struct Session;
    struct ChunkChange;

    void note_congestion(const SessionSink& sink);
    void update_archive(const StepResult& result);
    void send_ops(const StepResult& result, const SessionSink& sink);
    void send_change(const ChunkChange& change, Session& session, const SessionSink& sink);
    void send_props_gone(const StepResult& result, const SessionSink& sink);
    void send_rejections(const StepResult& result, const SessionSink& sink);
    void send_lines(const World& world, const StepResult& result, const SessionSink& sink);
    void send_chunks(const World& world, Session& session, const SessionSink& sink);
    void send_pieces(const World& world, const Session& session, const SessionSink& sink);
    void send_debug(const World& world, const Session& session, const SessionSink& sink);
    void send_hashes(const World& world, Session& session, const SessionSink& sink);

    ReplicationConfig config_;
    ChunkArchive archive_;
    std::map<EntityId, Session> sessions_;
    ReplicationStats stats_;
    flatbuffers::FlatBufferBuilder builder_;
    InterestGrid interest_;
    std::map<EntityId, SharedBytes> piece_frames_;  ///< of the tick, shared by its sessions
    std::vector<SharedBytes> messages_;             ///< of the session that is served
    std::size_t chunk_budget_bytes_ = 0;            ///< of each session in this tick
    std::size_t loading_count_ = 0;  ///< sessions that were sent chunks in the last one
};

}  // namespace terrane
