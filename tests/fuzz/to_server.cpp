#include "shared/core/assert.h"
#include "shared/protocol/messages.h"
#include "shared/protocol/wire_types.h"
#include "tests/fuzz/fuzz_targets.h"

namespace terrane {
namespace {

void read_hello(const wire::Hello& hello) {
    const std::string name = hello.name() == nullptr ? "" : hello.name()->str();
    TERRANE_ASSERT(name.size() <= kHelloNameBytesMax);
    TERRANE_ASSERT(!is_valid_name(name) || name.size() <= kNameBytesMax);
    TERRANE_ASSERT(hello.client_version() == nullptr ||
                   hello.client_version()->str().size() <= kVersionTextBytesMax);
}

void read_input(const wire::Input& input) {
    TERRANE_ASSERT(input.tick() >= 1);
    const PlayerControls controls = from_wire(*input.controls());
    TERRANE_ASSERT(controls.move_right != -128 && controls.move_forward != -128);
    TERRANE_ASSERT(controls.pitch >= -16384 && controls.pitch <= 16384);
    TERRANE_ASSERT((controls.buttons & ~kControlButtonsAll) == 0);
    if (input.edits() == nullptr) {
        return;
    }
    TERRANE_ASSERT(input.edits()->size() <= kEditsPerInputMax);
    std::uint32_t id = 0;
    for (const wire::EditRequest* edit : *input.edits()) {
        TERRANE_ASSERT(edit->id() > id);
        id = edit->id();
        const Brush brush = from_wire(*edit);
        TERRANE_ASSERT(brush.shape <= BrushShape::sphere && brush.mode <= BrushMode::paint);
        (void)is_valid(brush, kMaterialsMax);
    }
}

}  // namespace

bool fuzz_to_server(std::span<const std::uint8_t> frame) {
    AlignedBytes scratch;
    const auto message = verify_to_server(frame, scratch);
    if (!message) {
        TERRANE_ASSERT(!message.error().message.empty());
        return false;
    }
    const wire::ToServer& root = **message;
    switch (root.message_type()) {
        case wire::ToServerMessage::Hello:
            read_hello(*root.message_as_Hello());
            return true;
        case wire::ToServerMessage::Input:
            read_input(*root.message_as_Input());
            return true;
        case wire::ToServerMessage::HashRequest:
            TERRANE_ASSERT(root.message_as_HashRequest()->chunks()->size() <=
                           kHashRequestChunksMax);
            for (const wire::ChunkPos* position : *root.message_as_HashRequest()->chunks()) {
                const VoxelCoord origin = origin_of(from_wire(*position));
                TERRANE_ASSERT(chunk_of(origin) == from_wire(*position));
            }
            return true;
        case wire::ToServerMessage::Quit:
            return true;
        case wire::ToServerMessage::Say:
            TERRANE_ASSERT(!root.message_as_Say()->text()->str().empty());
            return true;
        case wire::ToServerMessage::DebugRequest:
            return true;
        case wire::ToServerMessage::NONE:
            break;
    }
    TERRANE_ASSERT_MSG(false, "accepted a message of no type");
    return false;
}

}  // namespace terrane
