// Messages as frames ready to send (framing.h), from plain values. State is large and built every
// tick, so replication fills a builder of its own and ends with finish_message(). The writer keeps
// the limits of limits.h; a message over them is a programmer's mistake and asserts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schemas/to_client_generated.h"
#include "schemas/to_server_generated.h"
#include "shared/protocol/framing.h"
#include "shared/protocol/wire_types.h"

namespace terrane {

/// Ends the builder's message with root, identifier and prefix, copies the frame out and clears the
/// builder for the next (its memory stays).
Bytes finish_message(flatbuffers::FlatBufferBuilder& builder, wire::ToServerMessage type,
                     flatbuffers::Offset<void> message);
Bytes finish_message(flatbuffers::FlatBufferBuilder& builder, wire::ToClientMessage type,
                     flatbuffers::Offset<void> message);

// Client to zone.

struct HelloMessage {
    std::uint32_t protocol_version = kProtocolVersion;
    std::string name{};
    std::uint8_t view_chunks = 8;
    std::string client_version{};
};
/// An edit as a client numbers it: ids grow by one from 1.
struct EditMessage {
    std::uint32_t id = 0;
    Brush brush{};
};

Bytes encode_hello(const HelloMessage& hello);
/// At most kEditsPerInputMax edits.
Bytes encode_input(std::uint32_t client_tick, const PlayerControls& controls,
                   std::span<const EditMessage> edits);
/// 1 to kHashRequestChunksMax chunks.
Bytes encode_hash_request(std::span<const ChunkCoord> chunks);
Bytes encode_quit();
/// 1 to kChatBytesMax bytes.
Bytes encode_say(std::string_view text);
Bytes encode_debug_request(bool contacts, bool water);

// Zone to client.

/// A node kind for Welcome: its index there is NodeEnter.kind.
struct KindMessage {
    std::string name{};
    wire::KindShape shape = wire::KindShape::box;
    Vec3 half_extents{0.5F};
    float red = 0.5F;
    float green = 0.5F;
    float blue = 0.5F;
    bool is_static = false;
    std::vector<Vec3> seats{};
    float mass_kg = 0.0F;
};
struct WelcomeMessage {
    std::string server_version;
    std::uint64_t player_id = 0;
    std::uint32_t tick = 0;
    std::uint32_t tick_rate_hz = 20;
    std::uint32_t substeps_per_tick = 3;
    GridBounds bounds;
    std::uint8_t view_chunks = 8;
    float reach_m = 8.0F;
    std::uint8_t brush_radius_max = kBrushRadiusMax;  ///< voxels
    float edits_per_s = 10.0F;
    std::uint8_t edits_burst = 20;
    MaterialTable materials;
    std::vector<KindMessage> kinds;
    MotionConfig motion;
    wire::Sky sky{};
};
struct HashMessage {
    ChunkCoord chunk{};
    std::uint32_t revision = 0;
    std::uint64_t hash = 0;
};

/// Version numbers are filled in here.
Bytes encode_welcome(const WelcomeMessage& welcome);
/// At most kPropsPerChunkMax props.
Bytes encode_chunk(const ChunkCoord& chunk, std::span<const std::uint8_t> blob,
                   std::span<const PropPlacement> props = {});
/// ops[i] makes revision first_revision + i. `edits`: the session's own among them.
Bytes encode_chunk_ops(const ChunkCoord& chunk, std::uint32_t first_revision,
                       std::span<const ChunkOp> ops, std::span<const std::uint32_t> edits);
/// 1 to kVoxelRunsMax runs, which make `revision`.
Bytes encode_chunk_runs(const ChunkCoord& chunk, std::uint32_t revision,
                        std::span<const VoxelRun> runs);
Bytes encode_props_gone(const ChunkCoord& chunk, std::span<const std::uint8_t> indices);
Bytes encode_forget(std::span<const ChunkCoord> chunks);
Bytes encode_hash(std::uint32_t tick, std::span<const HashMessage> hashes);
Bytes encode_reject(std::uint32_t edit, wire::RejectReason reason, const ChunkCoord& chunk,
                    std::uint32_t revision);
/// `sender` empty: the zone speaks. Of the text what is no plain line (core/utf8.h) is left out,
/// and what is beyond kChatBytesMax.
Bytes encode_chat(std::string_view sender, std::string_view text);
/// `voxels`: 1 to kPieceBytesMax bytes of shared/voxel/voxel_piece.h.
Bytes encode_piece(std::uint64_t id, std::span<const std::uint8_t> voxels);
/// At most kDebugPointsMax of each.
Bytes encode_debug_contacts(std::uint32_t tick, std::span<const wire::DebugContact> contacts,
                            std::span<const wire::DebugWater> water);
/// The answer to a request that is not granted.
Bytes encode_debug_refused(std::uint32_t tick);
Bytes encode_sky_changed(const wire::Sky& sky);
/// The same for the text, up to kLeaveTextBytesMax.
Bytes encode_leave(wire::LeaveReason reason, std::string_view text);

}  // namespace terrane
