#include "shared/protocol/encode.h"

#include "shared/core/assert.h"
#include "shared/core/utf8.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Bytes take_frame(FlatBufferBuilder& builder) {
    Bytes frame(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    builder.Clear();
    return frame;
}

std::vector<wire::ChunkPos> to_wire(std::span<const ChunkCoord> chunks) {
    std::vector<wire::ChunkPos> positions;
    positions.reserve(chunks.size());
    for (const ChunkCoord& chunk : chunks) {
        positions.push_back(terrane::to_wire(chunk));
    }
    return positions;
}

Offset<flatbuffers::Vector<Offset<wire::Material>>> write_materials(FlatBufferBuilder& builder,
                                                                    const MaterialTable& table) {
    std::vector<Offset<wire::Material>> offsets;
    for (const Material& material : table) {
        const auto name = builder.CreateString(material.name);
        offsets.push_back(wire::CreateMaterial(builder, name, material.red, material.green,
                                               material.blue, material.can_place,
                                               material.density_kg_m3));
    }
    return builder.CreateVector(offsets);
}

Offset<flatbuffers::Vector<Offset<wire::Kind>>> write_kinds(FlatBufferBuilder& builder,
                                                            const std::vector<KindMessage>& kinds) {
    std::vector<Offset<wire::Kind>> offsets;
    for (const KindMessage& kind : kinds) {
        const auto name = builder.CreateString(kind.name);
        const wire::Vec3f half_extents = terrane::to_wire(kind.half_extents);
        Offset<flatbuffers::Vector<const wire::Vec3f*>> seats_offset;
        if (!kind.seats.empty()) {
            std::vector<wire::Vec3f> seats;
            for (const Vec3& seat : kind.seats) {
                seats.push_back(terrane::to_wire(seat));
            }
            seats_offset = builder.CreateVectorOfStructs(seats);
        }
        offsets.push_back(wire::CreateKind(builder, name, kind.shape, &half_extents, kind.red,
                                           kind.green, kind.blue, kind.is_static, seats_offset,
                                           kind.mass_kg));
    }
    return builder.CreateVector(offsets);
}

}  // namespace

Bytes finish_message(FlatBufferBuilder& builder, wire::ToServerMessage type, Offset<void> message) {
    wire::FinishSizePrefixedToServerBuffer(builder, wire::CreateToServer(builder, type, message));
    TERRANE_ASSERT(builder.GetSize() <= kFramePrefixBytes + kToServerBytesMax);
    return take_frame(builder);
}

Bytes finish_message(FlatBufferBuilder& builder, wire::ToClientMessage type, Offset<void> message) {
    wire::FinishSizePrefixedToClientBuffer(builder, wire::CreateToClient(builder, type, message));
    TERRANE_ASSERT(builder.GetSize() <= kFramePrefixBytes + kToClientBytesMax);
    return take_frame(builder);
}

Bytes encode_hello(const HelloMessage& hello) {
    FlatBufferBuilder builder(256);
    const auto name = builder.CreateString(hello.name);
    const auto version = builder.CreateString(hello.client_version);
    const auto message =
        wire::CreateHello(builder, hello.protocol_version, name, hello.view_chunks, version);
    return finish_message(builder, wire::ToServerMessage::Hello, message.Union());
}

Bytes encode_input(std::uint32_t client_tick, const PlayerControls& controls,
                   std::span<const EditMessage> edits) {
    TERRANE_ASSERT(edits.size() <= kEditsPerInputMax);
    FlatBufferBuilder builder(256);
    Offset<flatbuffers::Vector<const wire::EditRequest*>> edits_offset;
    if (!edits.empty()) {
        std::vector<wire::EditRequest> requests;
        requests.reserve(edits.size());
        for (const EditMessage& edit : edits) {
            requests.push_back(terrane::to_wire(edit.id, edit.brush));
        }
        edits_offset = builder.CreateVectorOfStructs(requests);
    }
    const wire::Controls wire_controls = terrane::to_wire(controls);
    const auto message = wire::CreateInput(builder, client_tick, &wire_controls, edits_offset);
    return finish_message(builder, wire::ToServerMessage::Input, message.Union());
}

Bytes encode_hash_request(std::span<const ChunkCoord> chunks) {
    TERRANE_ASSERT(!chunks.empty() && chunks.size() <= kHashRequestChunksMax);
    FlatBufferBuilder builder(256);
    const auto positions = builder.CreateVectorOfStructs(to_wire(chunks));
    const auto message = wire::CreateHashRequest(builder, positions);
    return finish_message(builder, wire::ToServerMessage::HashRequest, message.Union());
}

Bytes encode_quit() {
    FlatBufferBuilder builder(64);
    const auto message = wire::CreateQuit(builder);
    return finish_message(builder, wire::ToServerMessage::Quit, message.Union());
}

Bytes encode_say(std::string_view text) {
    TERRANE_ASSERT(!text.empty() && text.size() <= kChatBytesMax);
    FlatBufferBuilder builder(512);
    const auto message = wire::CreateSay(builder, builder.CreateString(text));
    return finish_message(builder, wire::ToServerMessage::Say, message.Union());
}

Bytes encode_debug_request(bool contacts, bool water) {
    FlatBufferBuilder builder(64);
    const auto message = wire::CreateDebugRequest(builder, contacts, water);
    return finish_message(builder, wire::ToServerMessage::DebugRequest, message.Union());
}

Bytes encode_welcome(const WelcomeMessage& welcome) {
    TERRANE_ASSERT(welcome.materials.size() <= kMaterialsMax);
    TERRANE_ASSERT(welcome.kinds.size() <= kKindsMax);
    FlatBufferBuilder builder(4096);
    const auto materials = write_materials(builder, welcome.materials);
    const auto kinds = write_kinds(builder, welcome.kinds);
    const auto version = builder.CreateString(welcome.server_version);
    const wire::ChunkPos bounds_min = terrane::to_wire(welcome.bounds.min);
    const wire::ChunkPos bounds_max = terrane::to_wire(welcome.bounds.max);
    const wire::MotionConstants motion = terrane::to_wire(welcome.motion);
    const auto message = wire::CreateWelcome(
        builder, kProtocolVersion, version, kChunkFormatVersion, kBrushVersion, welcome.player_id,
        welcome.tick, welcome.tick_rate_hz, welcome.substeps_per_tick, &bounds_min, &bounds_max,
        welcome.view_chunks, welcome.reach_m, static_cast<std::uint8_t>(welcome.brush_radius_max),
        welcome.edits_per_s, welcome.edits_burst, materials, kinds, &motion, &welcome.sky);
    return finish_message(builder, wire::ToClientMessage::Welcome, message.Union());
}

Bytes encode_chunk(const ChunkCoord& chunk, std::span<const std::uint8_t> blob,
                   std::span<const PropPlacement> props) {
    TERRANE_ASSERT(props.size() <= kPropsPerChunkMax);
    FlatBufferBuilder builder(blob.size() + props.size_bytes() + 128);
    const auto blob_offset = builder.CreateVector(blob.data(), blob.size());
    Offset<flatbuffers::Vector<const wire::Prop*>> props_offset;
    if (!props.empty()) {
        std::vector<wire::Prop> wire_props;
        wire_props.reserve(props.size());
        for (const PropPlacement& prop : props) {
            wire_props.push_back(terrane::to_wire(prop));
        }
        props_offset = builder.CreateVectorOfStructs(wire_props);
    }
    const wire::ChunkPos position = terrane::to_wire(chunk);
    const auto message = wire::CreateChunk(builder, &position, blob_offset, props_offset);
    return finish_message(builder, wire::ToClientMessage::Chunk, message.Union());
}

Bytes encode_chunk_ops(const ChunkCoord& chunk, std::uint32_t first_revision,
                       std::span<const ChunkOp> ops, std::span<const std::uint32_t> edits) {
    TERRANE_ASSERT(!ops.empty() && ops.size() <= kOpsPerMessageMax);
    FlatBufferBuilder builder(256);
    std::vector<wire::ChunkOp> wire_ops;
    wire_ops.reserve(ops.size());
    for (const ChunkOp& op : ops) {
        wire_ops.push_back(terrane::to_wire(op));
    }
    const auto ops_offset = builder.CreateVectorOfStructs(wire_ops);
    Offset<flatbuffers::Vector<std::uint32_t>> edits_offset;
    if (!edits.empty()) {
        edits_offset = builder.CreateVector(edits.data(), edits.size());
    }
    const wire::ChunkPos position = terrane::to_wire(chunk);
    const auto message =
        wire::CreateChunkOps(builder, &position, first_revision, ops_offset, edits_offset);
    return finish_message(builder, wire::ToClientMessage::ChunkOps, message.Union());
}

Bytes encode_chunk_runs(const ChunkCoord& chunk, std::uint32_t revision,
                        std::span<const VoxelRun> runs) {
    static_assert(kRunsPerOpMax == kVoxelRunsMax);
    TERRANE_ASSERT(!runs.empty() && runs.size() <= kVoxelRunsMax);
    FlatBufferBuilder builder(runs.size_bytes() + 128);
    std::vector<wire::VoxelRun> wire_runs;
    wire_runs.reserve(runs.size());
    for (const VoxelRun& run : runs) {
        wire_runs.push_back(terrane::to_wire(run));
    }
    const auto runs_offset = builder.CreateVectorOfStructs(wire_runs);
    const wire::ChunkPos position = terrane::to_wire(chunk);
    const auto message = wire::CreateChunkRuns(builder, &position, revision, runs_offset);
    return finish_message(builder, wire::ToClientMessage::ChunkRuns, message.Union());
}

Bytes encode_props_gone(const ChunkCoord& chunk, std::span<const std::uint8_t> indices) {
    TERRANE_ASSERT(!indices.empty() && indices.size() <= kPropsPerChunkMax);
    FlatBufferBuilder builder(256);
    const auto indices_offset = builder.CreateVector(indices.data(), indices.size());
    const wire::ChunkPos position = terrane::to_wire(chunk);
    const auto message = wire::CreatePropsGone(builder, &position, indices_offset);
    return finish_message(builder, wire::ToClientMessage::PropsGone, message.Union());
}

Bytes encode_forget(std::span<const ChunkCoord> chunks) {
    TERRANE_ASSERT(!chunks.empty() && chunks.size() <= kForgetChunksMax);
    FlatBufferBuilder builder(256);
    const auto positions = builder.CreateVectorOfStructs(to_wire(chunks));
    const auto message = wire::CreateForget(builder, positions);
    return finish_message(builder, wire::ToClientMessage::Forget, message.Union());
}

Bytes encode_hash(std::uint32_t tick, std::span<const HashMessage> hashes) {
    TERRANE_ASSERT(!hashes.empty() && hashes.size() <= kHashRequestChunksMax);
    FlatBufferBuilder builder(256);
    std::vector<wire::ChunkHash> entries;
    entries.reserve(hashes.size());
    for (const HashMessage& hash : hashes) {
        entries.emplace_back(terrane::to_wire(hash.chunk), hash.revision, hash.hash);
    }
    const auto entries_offset = builder.CreateVectorOfStructs(entries);
    const auto message = wire::CreateHash(builder, tick, entries_offset);
    return finish_message(builder, wire::ToClientMessage::Hash, message.Union());
}

Bytes encode_reject(std::uint32_t edit, wire::RejectReason reason, const ChunkCoord& chunk,
                    std::uint32_t revision) {
    FlatBufferBuilder builder(128);
    const wire::ChunkPos position = terrane::to_wire(chunk);
    const auto message = wire::CreateReject(builder, edit, reason, &position, revision);
    return finish_message(builder, wire::ToClientMessage::Reject, message.Union());
}

Bytes encode_chat(std::string_view sender, std::string_view text) {
    FlatBufferBuilder builder(512);
    Offset<flatbuffers::String> sender_offset;
    if (!sender.empty()) {
        sender_offset = builder.CreateString(sender.substr(0, kNameBytesMax));
    }
    const auto text_offset = builder.CreateString(to_plain_line(text, kChatBytesMax));
    const auto message = wire::CreateChat(builder, sender_offset, text_offset);
    return finish_message(builder, wire::ToClientMessage::Chat, message.Union());
}

Bytes encode_piece(std::uint64_t id, std::span<const std::uint8_t> voxels) {
    TERRANE_ASSERT(!voxels.empty() && voxels.size() <= kPieceBytesMax);
    FlatBufferBuilder builder(voxels.size() + 128);
    const auto voxels_at = builder.CreateVector(voxels.data(), voxels.size());
    const auto message = wire::CreatePiece(builder, id, voxels_at);
    return finish_message(builder, wire::ToClientMessage::Piece, message.Union());
}

Bytes encode_debug_contacts(std::uint32_t tick, std::span<const wire::DebugContact> contacts,
                            std::span<const wire::DebugWater> water) {
    TERRANE_ASSERT(contacts.size() <= kDebugPointsMax && water.size() <= kDebugPointsMax);
    FlatBufferBuilder builder(contacts.size_bytes() + water.size_bytes() + 128);
    const auto contacts_at = builder.CreateVectorOfStructs(contacts.data(), contacts.size());
    const auto water_at = builder.CreateVectorOfStructs(water.data(), water.size());
    const auto message = wire::CreateDebugContacts(builder, tick, contacts_at, water_at);
    return finish_message(builder, wire::ToClientMessage::DebugContacts, message.Union());
}

Bytes encode_debug_refused(std::uint32_t tick) {
    FlatBufferBuilder builder(64);
    const auto message = wire::CreateDebugContacts(builder, tick, 0, 0, true);
    return finish_message(builder, wire::ToClientMessage::DebugContacts, message.Union());
}

Bytes encode_sky_changed(const wire::Sky& sky) {
    FlatBufferBuilder builder(128);
    const auto message = wire::CreateSkyChanged(builder, &sky);
    return finish_message(builder, wire::ToClientMessage::SkyChanged, message.Union());
}

Bytes encode_leave(wire::LeaveReason reason, std::string_view text) {
    FlatBufferBuilder builder(512);
    const auto text_offset = builder.CreateString(to_plain_line(text, kLeaveTextBytesMax));
    const auto message = wire::CreateLeave(builder, reason, text_offset);
    return finish_message(builder, wire::ToClientMessage::Leave, message.Union());
}

}  // namespace terrane
