// A zone small enough to read: flat rock with a few blocks on it, players that glide, edits judged
// by reach and sight, operations to everybody in the same tick. It speaks the real protocol through
// pipes, so that bots can be tested without a server.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "shared/math/trig.h"
#include "shared/voxel/chunk_codec.h"
#include "shared/voxel/voxel_ray.h"
#include "tests/client-stub/session/scripted_zone.h"

namespace terrane::test {

/// 4 x 3 x 4 chunks, rock below y = 0, blocks of rock here and there on it.
inline VoxelGrid small_ground() {
    VoxelGrid grid(small_welcome().bounds);
    for (std::int32_t i = 0; i < 48; ++i) {
        const ChunkCoord c{i % 4 - 2, i / 16 - 1, i / 4 % 4 - 2};
        grid.insert(c, uniform_chunk(c.y < 0 ? Voxel{kRock, kFullOccupancy} : kAirVoxel));
    }
    for (std::int32_t i = -6; i < 6; ++i) {
        apply_brush(grid, voxel_brush(BrushMode::place, {i * 3, 0, i * 5 % 7 - 3}, kRock));
        apply_brush(grid, voxel_brush(BrushMode::place, {i * 4 + 1, 0, 4}, kRock));
        apply_brush(grid, voxel_brush(BrushMode::place, {i * 4 + 1, 1, 4}, kRock));
    }
    return grid;
}

class TinyZone {
  public:
    bool is_lying = false;   ///< answers hash requests with wrong hashes
    bool is_silent = false;  ///< answers no hash requests
    bool is_closed = false;  ///< refuses newcomers
    std::uint64_t edits_refused = 0;
    std::uint64_t edits_applied = 0;

    std::unique_ptr<ByteStream> connect() {
        clients_.push_back(std::make_unique<Client>());
        return clients_.back()->wire.stream();
    }
    /// The far end of the newest connection, for a test that moves its bytes through a socket.
    std::shared_ptr<Pipe> newest_pipe() const { return clients_.back()->wire.pipe; }

    const VoxelGrid& grid() const { return grid_; }
    /// Changes a voxel behind everybody's back.
    void corrupt(const ChunkCoord& c) { set_voxel(*grid_.find(c), 77, {kBedrock, kFullOccupancy}); }
    void kick(std::size_t client) {
        clients_[client]->wire.send(encode_leave(wire::LeaveReason::kicked, "test"));
    }

    void tick() {
        ++tick_;
        for (std::uint32_t i = 0; i < clients_.size(); ++i) {
            read(i);
        }
        send_ops();
        for (std::uint32_t i = 0; i < clients_.size(); ++i) {
            send_state(i);
        }
    }

  private:
    struct Client {
        ScriptedZone wire;
        bool is_in = false;
        bool has_entered = false;
        PlayerState player;
        std::uint32_t applied_input = 0;
    };
    struct PendingOp {
        AppliedOp op;
        std::uint32_t client = 0;
        std::uint32_t edit = 0;
    };

    void read(std::uint32_t index) {
        Client& client = *clients_[index];
        while (const wire::ToServer* message = client.wire.next()) {
            switch (message->message_type()) {
                case wire::ToServerMessage::Hello:
                    welcome(client, index);
                    break;
                case wire::ToServerMessage::Input:
                    run(client, index, *message->message_as_Input());
                    break;
                case wire::ToServerMessage::HashRequest:
                    answer(client, *message->message_as_HashRequest());
                    break;
                default:
                    client.is_in = false;
                    client.wire.send(encode_leave(wire::LeaveReason::quit, ""));
                    break;
            }
        }
    }

    void welcome(Client& client, std::uint32_t index) {
        if (is_closed) {
            client.wire.send(encode_leave(wire::LeaveReason::zone_full, "0 of 0 places"));
            return;
        }
        WelcomeMessage message = small_welcome();
        message.player_id = index + 1;
        message.tick = tick_;
        client.wire.send(encode_welcome(message));
        for (const ChunkCoord& c : grid_.sorted_coords()) {
            client.wire.send_chunk(c, *grid_.find(c));
        }
        client.player.position = {0.5F + 2.0F * static_cast<float>(index), 0.0F, 0.5F};
        client.is_in = true;
    }

    void run(Client& client, std::uint32_t index, const wire::Input& input) {
        TERRANE_ASSERT(input.tick() == client.applied_input + 1);
        client.applied_input = input.tick();
        if (input.edits() != nullptr) {
            for (const wire::EditRequest* edit : *input.edits()) {
                judge(client, index, edit->id(), from_wire(*edit));
            }
        }
        const PlayerControls controls = from_wire(*input.controls());
        const float speed = static_cast<float>(controls.move_forward) / 127.0F * 4.5F / 20.0F;
        client.player.position += direction_of_view(controls.yaw, 0) * speed;
        client.player.yaw = controls.yaw;
    }

    void judge(Client& client, std::uint32_t index, std::uint32_t id, const Brush& brush) {
        const Vec3 eye = client.player.position + Vec3(0.0F, 1.62F, 0.0F);
        const Vec3 centre =
            Vec3(static_cast<float>(brush.centre_x), static_cast<float>(brush.centre_y),
                 static_cast<float>(brush.centre_z)) /
            16.0F;
        wire::RejectReason reason = wire::RejectReason::none;
        if (glm::length(centre - eye) > 8.0F) {
            reason = wire::RejectReason::too_far;
        } else if (!is_seen(eye, voxel_at(centre))) {
            reason = wire::RejectReason::no_sight;
        }
        const auto applied = reason == wire::RejectReason::none ? apply_brush(grid_, brush)
                                                                : std::vector<AppliedOp>();
        if (applied.empty()) {
            ++edits_refused;
            client.wire.send(encode_reject(
                id, reason == wire::RejectReason::none ? wire::RejectReason::stale : reason,
                chunk_of(voxel_at(centre)), 0));
            return;
        }
        ++edits_applied;
        for (const AppliedOp& op : applied) {
            pending_.push_back({op, index, id});
        }
    }

    /// The middle or the middle of a face, with nothing before it.
    bool is_seen(const Vec3& eye, const VoxelCoord& v) const {
        for (const Vec3& offset :
             {Vec3(0), Vec3(0.49F, 0, 0), Vec3(-0.49F, 0, 0), Vec3(0, 0.49F, 0), Vec3(0, -0.49F, 0),
              Vec3(0, 0, 0.49F), Vec3(0, 0, -0.49F)}) {
            const auto hit = raycast_voxels(grid_, {eye, corner_of(v) + 0.5F + offset - eye, 1.0F});
            if (!hit.has_value() || hit->voxel == v) {
                return true;
            }
        }
        return false;
    }

    void answer(Client& client, const wire::HashRequest& request) {
        if (is_silent) {
            return;
        }
        std::vector<HashMessage> hashes;
        for (const wire::ChunkPos* position : *request.chunks()) {
            const ChunkCoord c = from_wire(*position);
            const Chunk* chunk = grid_.find(c);
            hashes.push_back(
                chunk == nullptr
                    ? HashMessage{c, 0, 0}
                    : HashMessage{c, chunk->revision, hash_chunk(*chunk) ^ (is_lying ? 1U : 0U)});
        }
        client.wire.send(encode_hash(tick_, hashes));
    }

    /// One message a chunk and client, with the client's own edits named.
    void send_ops() {
        std::map<ChunkCoord, std::vector<PendingOp>> by_chunk;
        for (const PendingOp& pending : pending_) {
            by_chunk[pending.op.chunk].push_back(pending);
        }
        pending_.clear();
        for (const auto& [c, changes] : by_chunk) {
            for (std::uint32_t i = 0; i < clients_.size(); ++i) {
                std::vector<ChunkOp> ops;
                std::vector<std::uint32_t> own;
                for (const PendingOp& change : changes) {
                    ops.push_back(change.op.op);
                    if (change.client == i) {
                        own.push_back(change.edit);
                    }
                }
                if (clients_[i]->is_in) {
                    clients_[i]->wire.send(
                        encode_chunk_ops(c, changes.front().op.revision, ops, own));
                }
            }
        }
    }

    void send_state(std::uint32_t index) {
        Client& client = *clients_[index];
        if (!client.is_in) {
            return;
        }
        StateMessage state = state_at(tick_, client.applied_input);
        state.own = client.player;
        for (std::uint16_t other = 0; other < clients_.size(); ++other) {
            if (other != index && clients_[other]->is_in) {
                if (!client.has_entered) {
                    state.enters.push_back({other, 0, 0, other + 1U, "other"});
                }
                state.nodes.push_back(node_at(clients_[other]->player.position, other, 0));
            }
        }
        client.has_entered = true;
        client.wire.send(encode_state(state));
    }

    VoxelGrid grid_ = small_ground();
    std::vector<std::unique_ptr<Client>> clients_;
    std::vector<PendingOp> pending_;
    std::uint32_t tick_ = 0;
};

}  // namespace terrane::test
