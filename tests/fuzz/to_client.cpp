#include "shared/core/assert.h"
#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"
#include "shared/voxel/chunk_codec.h"
#include "tests/fuzz/fuzz_targets.h"

namespace terrane {
namespace {

void expect_finite(std::initializer_list<float> values) {
    for (const float value : values) {
        TERRANE_ASSERT(std::isfinite(value));
    }
}

void expect_position(const wire::ChunkPos& position) {
    const ChunkCoord chunk = from_wire(position);
    TERRANE_ASSERT(chunk_of(origin_of(chunk)) == chunk);
}

void read_sky(const wire::Sky& sky) {
    expect_finite({sky.day_fraction(), sky.day_length_s()});
}

void read_welcome(const wire::Welcome& welcome) {
    const GridBounds bounds{from_wire(*welcome.bounds_min()), from_wire(*welcome.bounds_max())};
    TERRANE_ASSERT(!is_empty(voxel_box(bounds)));
    TERRANE_ASSERT(welcome.tick_rate_hz() > 0 && welcome.substeps_per_tick() > 0);
    expect_finite({welcome.reach_m(), welcome.edits_per_s()});
    for (const wire::Material* material : *welcome.materials()) {
        expect_finite({material->red(), material->green(), material->blue()});
        (void)(material->name() == nullptr ? std::string{} : material->name()->str());
    }
    for (const wire::Kind* kind : *welcome.kinds()) {
        TERRANE_ASSERT(is_finite(from_wire(*kind->half_extents())));
        TERRANE_ASSERT(kind->shape() <= wire::KindShape::MAX);
        expect_finite({kind->red(), kind->green(), kind->blue()});
        if (kind->seats() != nullptr) {
            for (const wire::Vec3f* seat : *kind->seats()) {
                TERRANE_ASSERT(is_finite(from_wire(*seat)));
            }
        }
    }
    const MotionConfig motion = from_wire(*welcome.motion());
    expect_finite({motion.gravity_mps2, motion.walk_mps, motion.run_mps, motion.swim_mps,
                   motion.jump_height_m, motion.step_height_m, motion.slope_max_deg,
                   motion.radius_m, motion.height_m, motion.eye_height_m});
    read_sky(*welcome.sky());
}

void read_state(const wire::State& state) {
    const PlayerState own = from_wire(*state.own());
    TERRANE_ASSERT(is_finite(own.position) && is_finite(own.velocity));
    TERRANE_ASSERT(is_finite(own.carrier_point));
    if (state.enters() != nullptr) {
        for (const wire::NodeEnter* enter : *state.enters()) {
            TERRANE_ASSERT(enter->id() != 0 && enter->kind() < kKindsMax);
            TERRANE_ASSERT(enter->name() == nullptr || enter->name()->size() <= kNameBytesMax);
        }
    }
    if (state.nodes() != nullptr) {
        for (const wire::NodeTransform* node : *state.nodes()) {
            const Vec3 position = position_of(*node);
            TERRANE_ASSERT(is_finite(position) && std::fabs(position.x) <= kPositionMaxM);
            const Quat rotation = rotation_of(*node);
            TERRANE_ASSERT(std::fabs(glm::dot(rotation, rotation) - 1.0F) < 1e-4F);
        }
    }
}

void read_chunk_ops(const wire::ChunkOps& message) {
    expect_position(*message.position());
    TERRANE_ASSERT(message.first_revision() + message.ops()->size() > message.first_revision());
    for (const wire::ChunkOp* wire_op : *message.ops()) {
        const ChunkOp op = from_wire(*wire_op);
        TERRANE_ASSERT(op.shape <= BrushShape::sphere && op.mode <= BrushMode::paint);
    }
}

void read_chunk(const wire::Chunk& chunk) {
    expect_position(*chunk.position());
    TERRANE_ASSERT(chunk.blob()->size() <= kChunkBlobBytesMax);
    if (chunk.props() != nullptr) {
        for (const wire::Prop* prop : *chunk.props()) {
            TERRANE_ASSERT(prop->kind() < kKindsMax && prop->index() < kPropsPerChunkMax);
        }
    }
}

void read_debug(const wire::DebugContacts& debug) {
    if (debug.contacts() != nullptr) {
        for (const wire::DebugContact* contact : *debug.contacts()) {
            TERRANE_ASSERT(is_finite(from_wire(contact->position())));
            TERRANE_ASSERT(is_finite(from_wire(contact->normal())));
            expect_finite({contact->depth_m()});
        }
    }
    if (debug.water() != nullptr) {
        for (const wire::DebugWater* water : *debug.water()) {
            TERRANE_ASSERT(is_finite(from_wire(water->position())));
            expect_finite({water->level_m(), water->share()});
        }
    }
}

void read_chunk_runs(const wire::ChunkRuns& message) {
    expect_position(*message.position());
    Chunk chunk;
    for (const wire::VoxelRun* wire_run : *message.runs()) {
        const VoxelRun run = from_wire(*wire_run);
        TERRANE_ASSERT(std::size_t{run.first} + run.count <= kChunkVoxelCount);
        set_voxel(chunk, run.first, run.voxel);
    }
}

}  // namespace

bool fuzz_to_client(std::span<const std::uint8_t> frame) {
    AlignedBytes scratch;
    const auto message = verify_to_client(frame, scratch);
    if (!message) {
        TERRANE_ASSERT(!message.error().message.empty());
        return false;
    }
    const wire::ToClient& root = **message;
    switch (root.message_type()) {
        case wire::ToClientMessage::Welcome:
            read_welcome(*root.message_as_Welcome());
            return true;
        case wire::ToClientMessage::State:
            read_state(*root.message_as_State());
            return true;
        case wire::ToClientMessage::Chunk:
            read_chunk(*root.message_as_Chunk());
            return true;
        case wire::ToClientMessage::ChunkOps:
            read_chunk_ops(*root.message_as_ChunkOps());
            return true;
        case wire::ToClientMessage::Forget:
            for (const wire::ChunkPos* position : *root.message_as_Forget()->chunks()) {
                expect_position(*position);
            }
            return true;
        case wire::ToClientMessage::Hash:
            for (const wire::ChunkHash* hash : *root.message_as_Hash()->hashes()) {
                expect_position(hash->position());
            }
            return true;
        case wire::ToClientMessage::Reject:
            expect_position(*root.message_as_Reject()->position());
            TERRANE_ASSERT(root.message_as_Reject()->reason() <= wire::RejectReason::MAX);
            return true;
        case wire::ToClientMessage::Leave:
            TERRANE_ASSERT(root.message_as_Leave()->reason() <= wire::LeaveReason::MAX);
            return true;
        case wire::ToClientMessage::ChunkRuns:
            read_chunk_runs(*root.message_as_ChunkRuns());
            return true;
        case wire::ToClientMessage::PropsGone:
            expect_position(*root.message_as_PropsGone()->position());
            TERRANE_ASSERT(root.message_as_PropsGone()->indices()->size() <= kPropsPerChunkMax);
            return true;
        case wire::ToClientMessage::Chat:
            TERRANE_ASSERT(root.message_as_Chat()->text() == nullptr ||
                           root.message_as_Chat()->text()->size() <= kChatBytesMax);
            return true;
        case wire::ToClientMessage::SkyChanged:
            read_sky(*root.message_as_SkyChanged()->sky());
            return true;
        case wire::ToClientMessage::Piece:
            TERRANE_ASSERT(root.message_as_Piece()->id() != 0);
            TERRANE_ASSERT(root.message_as_Piece()->voxels()->size() <= kPieceBytesMax);
            return true;
        case wire::ToClientMessage::DebugContacts:
            read_debug(*root.message_as_DebugContacts());
            return true;
        case wire::ToClientMessage::NONE:
            break;
    }
    TERRANE_ASSERT_MSG(false, "accepted a message of no type");
    return false;
}

}  // namespace terrane
