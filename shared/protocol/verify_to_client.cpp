#include <algorithm>

#include "shared/protocol/field_check.h"
#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"

namespace terrane {
namespace {

void check_vector(std::string_view field, const wire::Vec3f& v, float limit, FieldCheck& check) {
    for (const float axis : {v.x(), v.y(), v.z()}) {
        check.range(field, axis, -limit, limit);
    }
}

void check_colour(std::string_view field, float red, float green, float blue, FieldCheck& check) {
    for (const float channel : {red, green, blue}) {
        check.range(field, channel, 0.0F, 1.0F);
    }
}

void check_motion(const wire::MotionConstants& motion, FieldCheck& check) {
    check.range("Welcome.motion.gravity_mps2", motion.gravity_mps2(), 0.0F, 1000.0F);
    check.range("Welcome.motion.walk_mps", motion.walk_mps(), 0.0F, 1000.0F);
    check.range("Welcome.motion.run_mps", motion.run_mps(), 0.0F, 1000.0F);
    check.range("Welcome.motion.swim_mps", motion.swim_mps(), 0.0F, 1000.0F);
    check.range("Welcome.motion.jump_height_m", motion.jump_height_m(), 0.0F, 1000.0F);
    check.range("Welcome.motion.step_height_m", motion.step_height_m(), 0.0F, 100.0F);
    check.range("Welcome.motion.slope_max_deg", motion.slope_max_deg(), 0.0F, 90.0F);
    check.range("Welcome.motion.radius_m", motion.radius_m(), 0.01F, 2.0F);
    check.range("Welcome.motion.height_m", motion.height_m(), 0.02F, 5.0F);
    check.range("Welcome.motion.eye_height_m", motion.eye_height_m(), 0.0F, 5.0F);
}

void check_tables(const wire::Welcome& welcome, FieldCheck& check) {
    if (check.count("Welcome.materials", welcome.materials(), 2, kMaterialsMax)) {
        for (const wire::Material* material : *welcome.materials()) {
            check_line("Welcome.materials.name", material->name(), kVersionTextBytesMax, check);
            check_colour("Welcome.materials.colour", material->red(), material->green(),
                         material->blue(), check);
            check.range("Welcome.materials.density_kg_m3", material->density_kg_m3(), 0.0F,
                        kDensityMaxKgM3);
        }
    }
    if (!check.count("Welcome.kinds", welcome.kinds(), 1, kKindsMax)) {
        return;
    }
    for (const wire::Kind* kind : *welcome.kinds()) {
        check_line("Welcome.kinds.name", kind->name(), kVersionTextBytesMax, check);
        check.known("Welcome.kinds.shape", kind->shape());
        if (check.present("Welcome.kinds.half_extents", kind->half_extents())) {
            const wire::Vec3f& half = *kind->half_extents();
            for (const float axis : {half.x(), half.y(), half.z()}) {
                check.range("Welcome.kinds.half_extents", axis, 0.0F, 1000.0F);
            }
        }
        check_colour("Welcome.kinds.colour", kind->red(), kind->green(), kind->blue(), check);
        check.range("Welcome.kinds.mass_kg", kind->mass_kg(), 0.0F, kMassMaxKg);
        if (check.count("Welcome.kinds.seats", kind->seats(), 0, kSeatsPerKindMax) &&
            kind->seats() != nullptr) {
            for (const wire::Vec3f* seat : *kind->seats()) {
                check_vector("Welcome.kinds.seats", *seat, 1000.0F, check);
            }
        }
    }
}

void check_bounds(const wire::Welcome& welcome, FieldCheck& check) {
    const bool has_min = check.present("Welcome.bounds_min", welcome.bounds_min());
    const bool has_max = check.present("Welcome.bounds_max", welcome.bounds_max());
    if (!has_min || !has_max) {
        return;
    }
    const wire::ChunkPos& min = *welcome.bounds_min();
    const wire::ChunkPos& max = *welcome.bounds_max();
    check.chunk("Welcome.bounds_min", min);
    check.chunk("Welcome.bounds_max", max);
    if (min.x() >= max.x() || min.y() >= max.y() || min.z() >= max.z()) {
        check.refuse("Welcome.bounds_max: not above bounds_min on every axis");
        return;
    }
    // What a client keeps for each chunk of the bounds it keeps at once.
    check.range("Welcome.bounds", max.x() - min.x(), 1, kBoundsSideMax);
    check.range("Welcome.bounds", max.y() - min.y(), 1, kBoundsHeightMax);
    check.range("Welcome.bounds", max.z() - min.z(), 1, kBoundsSideMax);
}

void check_sky(std::string_view field, const wire::Sky* sky, FieldCheck& check) {
    if (check.present(field, sky)) {
        check.range(field, sky->day_fraction(), 0.0F, 1.0F);
        check.range(field, sky->day_length_s(), 0.0F, kDayLengthMaxS);
    }
}

void check_welcome(const wire::Welcome& welcome, FieldCheck& check) {
    check_line("Welcome.server_version", welcome.server_version(), kVersionTextBytesMax, check);
    check.range<std::uint64_t>("Welcome.player_id", welcome.player_id(), 1, UINT64_MAX);
    check.range<std::uint32_t>("Welcome.tick_rate_hz", welcome.tick_rate_hz(), 1, 240);
    // What a client computes for each second of its own motion.
    check.range<std::uint32_t>("Welcome.substeps_per_tick", welcome.substeps_per_tick(), 1,
                               kSubstepsPerSecondMax / std::max(welcome.tick_rate_hz(), 1U));
    check_bounds(welcome, check);
    check.range<unsigned>("Welcome.view_chunks", welcome.view_chunks(), 1, kViewChunksMax);
    check.range("Welcome.reach_m", welcome.reach_m(), 0.0F, 1000.0F);
    check.range<int>("Welcome.brush_radius_max", welcome.brush_radius_max(), 0, kBrushRadiusMax);
    check.range("Welcome.edits_per_s", welcome.edits_per_s(), 0.0F, 1000.0F);
    check_tables(welcome, check);
    if (check.present("Welcome.motion", welcome.motion())) {
        check_motion(*welcome.motion(), check);
    }
    check_sky("Welcome.sky", welcome.sky(), check);
}

void check_enters(const wire::State& state, FieldCheck& check) {
    if (!check.count("State.enters", state.enters(), 0, kEntersPerStateMax) ||
        state.enters() == nullptr) {
        return;
    }
    for (const wire::NodeEnter* enter : *state.enters()) {
        check.range<unsigned>("State.enters.kind", enter->kind(), 0, kKindsMax - 1);
        check.range<std::uint64_t>("State.enters.id", enter->id(), 1, UINT64_MAX);
        check_line("State.enters.name", enter->name(), kNameBytesMax, check);
    }
}

void check_nodes(const wire::State& state, FieldCheck& check) {
    if (!check.count("State.nodes", state.nodes(), 0, kNodesPerStateMax) ||
        state.nodes() == nullptr) {
        return;
    }
    constexpr auto kLimit = static_cast<std::int32_t>(kPositionMaxM * kPositionUnitsPerM);
    for (const wire::NodeTransform* node : *state.nodes()) {
        for (const std::int32_t axis : {node->x(), node->y(), node->z()}) {
            check.range("State.nodes.position", axis, -kLimit, kLimit);
        }
        check.range<unsigned>("State.nodes.flags", node->flags(), 0, kNodeFlags);
    }
}

void check_seats(const wire::State& state, FieldCheck& check) {
    if (!check.count("State.seats", state.seats(), 0, kNodesPerStateMax) ||
        state.seats() == nullptr) {
        return;
    }
    for (const wire::NodeSeat* seat : *state.seats()) {
        check.range<unsigned>("State.seats.seat", seat->seat(), 0, kSeatsPerKindMax - 1);
    }
}

void check_state(const wire::State& state, FieldCheck& check) {
    if (check.present("State.own", state.own())) {
        check_vector("State.own.position", state.own()->position(), kPositionMaxM, check);
        check_vector("State.own.velocity", state.own()->velocity(), kSpeedMaxMps, check);
        check_vector("State.own.carrier_point", state.own()->carrier_point(), kPositionMaxM, check);
    }
    check.count("State.exits", state.exits(), 0, kNodesPerStateMax);
    check_enters(state, check);
    check_nodes(state, check);
    check_seats(state, check);
}

void check_chunk(const wire::Chunk& chunk, FieldCheck& check) {
    if (check.present("Chunk.position", chunk.position())) {
        check.chunk("Chunk.position", *chunk.position());
    }
    check.count("Chunk.blob", chunk.blob(), 1, kChunkBlobBytesMax);
    if (check.count("Chunk.props", chunk.props(), 0, kPropsPerChunkMax) &&
        chunk.props() != nullptr) {
        for (const wire::Prop* prop : *chunk.props()) {
            check.range<unsigned>("Chunk.props.kind", prop->kind(), 1, kKindsMax - 1);
            check.range<unsigned>("Chunk.props.index", prop->index(), 0, kPropsPerChunkMax - 1);
        }
    }
}

void check_props_gone(const wire::PropsGone& gone, FieldCheck& check) {
    if (check.present("PropsGone.position", gone.position())) {
        check.chunk("PropsGone.position", *gone.position());
    }
    check.count("PropsGone.indices", gone.indices(), 1, kPropsPerChunkMax);
}

void check_chunk_runs(const wire::ChunkRuns& message, FieldCheck& check) {
    if (check.present("ChunkRuns.position", message.position())) {
        check.chunk("ChunkRuns.position", *message.position());
    }
    check.range<std::uint32_t>("ChunkRuns.revision", message.revision(), 1, UINT32_MAX);
    if (!check.count("ChunkRuns.runs", message.runs(), 1, kVoxelRunsMax)) {
        return;
    }
    std::size_t free_from = 0;
    for (const wire::VoxelRun* run : *message.runs()) {
        const std::size_t end = std::size_t{run->first()} + run->count();
        if (run->count() == 0 || run->first() < free_from || end > kChunkVoxelCount) {
            return check.refuse("ChunkRuns.runs: {} voxels from {}, must be ascending and apart",
                                run->count(), run->first());
        }
        free_from = end;
    }
}

void check_chunk_ops(const wire::ChunkOps& message, FieldCheck& check) {
    if (check.present("ChunkOps.position", message.position())) {
        check.chunk("ChunkOps.position", *message.position());
    }
    check.range<std::uint32_t>("ChunkOps.first_revision", message.first_revision(), 1,
                               UINT32_MAX - kOpsPerMessageMax);
    check.count("ChunkOps.edits", message.edits(), 0, kOpsPerMessageMax);
    if (!check.count("ChunkOps.ops", message.ops(), 1, kOpsPerMessageMax)) {
        return;
    }
    for (const wire::ChunkOp* op : *message.ops()) {
        check.known("ChunkOps.ops.shape", op->shape());
        check.known("ChunkOps.ops.mode", op->mode());
    }
}

void check_forget(const wire::Forget& forget, FieldCheck& check) {
    if (check.count("Forget.chunks", forget.chunks(), 1, kForgetChunksMax)) {
        for (const wire::ChunkPos* position : *forget.chunks()) {
            check.chunk("Forget.chunks", *position);
        }
    }
}

void check_hash(const wire::Hash& hash, FieldCheck& check) {
    if (check.count("Hash.hashes", hash.hashes(), 1, kHashRequestChunksMax)) {
        // The verifier aligns a vector's length (4), not structs with 8-byte fields behind it.
        if (reinterpret_cast<std::uintptr_t>(hash.hashes()->Data()) % alignof(wire::ChunkHash) !=
            0) {
            check.refuse("Hash.hashes: not at a multiple of {}", alignof(wire::ChunkHash));
            return;
        }
        for (const wire::ChunkHash* entry : *hash.hashes()) {
            check.chunk("Hash.hashes.position", entry->position());
        }
    }
}

void check_reject(const wire::Reject& reject, FieldCheck& check) {
    check.range<std::uint32_t>("Reject.edit", reject.edit(), 1, UINT32_MAX);
    check.known("Reject.reason", reject.reason(), wire::RejectReason::too_far);
    if (check.present("Reject.position", reject.position())) {
        check.chunk("Reject.position", *reject.position());
    }
}

void check_piece(const wire::Piece& piece, FieldCheck& check) {
    check.range<std::uint64_t>("Piece.id", piece.id(), 1, UINT64_MAX);
    check.count("Piece.voxels", piece.voxels(), 1, kPieceBytesMax);
}

void check_debug_contacts(const wire::DebugContacts& debug, FieldCheck& check) {
    if (check.count("DebugContacts.contacts", debug.contacts(), 0, kDebugPointsMax) &&
        debug.contacts() != nullptr) {
        for (const wire::DebugContact* contact : *debug.contacts()) {
            check_vector("DebugContacts.contacts.position", contact->position(), kPositionMaxM,
                         check);
            check_vector("DebugContacts.contacts.normal", contact->normal(), 2.0F, check);
            check.range("DebugContacts.contacts.depth_m", contact->depth_m(), -100.0F, 100.0F);
        }
    }
    if (check.count("DebugContacts.water", debug.water(), 0, kDebugPointsMax) &&
        debug.water() != nullptr) {
        for (const wire::DebugWater* water : *debug.water()) {
            check_vector("DebugContacts.water.position", water->position(), kPositionMaxM, check);
            check.range("DebugContacts.water.level_m", water->level_m(), -kPositionMaxM,
                        kPositionMaxM);
            check.range("DebugContacts.water.share", water->share(), 0.0F, 1.0F);
        }
    }
}

void check_chat(const wire::Chat& chat, FieldCheck& check) {
    check_line("Chat.sender", chat.sender(), kNameBytesMax, check);
    check_line("Chat.text", chat.text(), kChatBytesMax, check);
}

void check_leave(const wire::Leave& leave, FieldCheck& check) {
    check.known("Leave.reason", leave.reason(), wire::LeaveReason::quit);
    check_line("Leave.text", leave.text(), kLeaveTextBytesMax, check);
}

void check_message(const wire::ToClient& root, FieldCheck& check) {
    if (!check.present("ToClient.message", root.message())) {
        return;
    }
    switch (root.message_type()) {
        case wire::ToClientMessage::Welcome:
            return check_welcome(*root.message_as_Welcome(), check);
        case wire::ToClientMessage::State:
            return check_state(*root.message_as_State(), check);
        case wire::ToClientMessage::Chunk:
            return check_chunk(*root.message_as_Chunk(), check);
        case wire::ToClientMessage::ChunkOps:
            return check_chunk_ops(*root.message_as_ChunkOps(), check);
        case wire::ToClientMessage::Forget:
            return check_forget(*root.message_as_Forget(), check);
        case wire::ToClientMessage::Hash:
            return check_hash(*root.message_as_Hash(), check);
        case wire::ToClientMessage::Reject:
            return check_reject(*root.message_as_Reject(), check);
        case wire::ToClientMessage::Leave:
            return check_leave(*root.message_as_Leave(), check);
        case wire::ToClientMessage::ChunkRuns:
            return check_chunk_runs(*root.message_as_ChunkRuns(), check);
        case wire::ToClientMessage::PropsGone:
            return check_props_gone(*root.message_as_PropsGone(), check);
        case wire::ToClientMessage::Chat:
            return check_chat(*root.message_as_Chat(), check);
        case wire::ToClientMessage::SkyChanged:
            return check_sky("SkyChanged.sky", root.message_as_SkyChanged()->sky(), check);
        case wire::ToClientMessage::Piece:
            return check_piece(*root.message_as_Piece(), check);
        case wire::ToClientMessage::DebugContacts:
            return check_debug_contacts(*root.message_as_DebugContacts(), check);
        case wire::ToClientMessage::NONE:
            break;
    }
    check.refuse("ToClient.message_type: unknown type {}",
                 static_cast<unsigned>(root.message_type()));
}

}  // namespace

Result<const wire::ToClient*> verify_to_client(std::span<const std::uint8_t> frame,
                                               AlignedBytes& scratch) {
    FieldCheck check;
    const auto* root = verify_structure<wire::ToClient>(frame, scratch, wire::ToClientIdentifier(),
                                                        kToClientBytesMax, check);
    if (root != nullptr) {
        check_message(*root, check);
    }
    if (!check.is_ok()) {
        return std::unexpected(check.error());
    }
    return root;
}

}  // namespace terrane
