#include "shared/motion/player_motion.h"
#include "shared/protocol/field_check.h"
#include "shared/protocol/messages.h"

namespace terrane {
namespace {

constexpr std::int16_t kPitchMax = 16384;

void check_hello(const wire::Hello& hello, FieldCheck& check) {
    // The name's letters are the session's matter: `bad_name` is an answer to a person.
    check.count("Hello.name", hello.name(), 0, kHelloNameBytesMax);
    check.count("Hello.client_version", hello.client_version(), 0, kVersionTextBytesMax);
}

void check_edits(const wire::Input& input, FieldCheck& check) {
    if (!check.count("Input.edits", input.edits(), 0, kEditsPerInputMax) ||
        input.edits() == nullptr) {
        return;
    }
    std::uint32_t previous_id = 0;
    for (const wire::EditRequest* edit : *input.edits()) {
        if (edit->id() == 0 || (previous_id != 0 && edit->id() != previous_id + 1)) {
            check.refuse("Input.edits.id: {} after {}, must grow by one from 1", edit->id(),
                         previous_id);
        }
        previous_id = edit->id();
        check.known("Input.edits.shape", edit->shape());
        check.known("Input.edits.mode", edit->mode());
    }
}

void check_input(const wire::Input& input, FieldCheck& check) {
    check.range<std::uint32_t>("Input.tick", input.tick(), 1, UINT32_MAX);
    if (check.present("Input.controls", input.controls())) {
        const wire::Controls& controls = *input.controls();
        check.range<int>("Input.controls.move_right", controls.move_right(), -127, 127);
        check.range<int>("Input.controls.move_forward", controls.move_forward(), -127, 127);
        check.range<int>("Input.controls.pitch", controls.pitch(), -kPitchMax, kPitchMax);
        if ((controls.buttons() & ~kControlButtonsAll) != 0) {
            check.refuse("Input.controls.buttons: {:#x}, known bits are {:#x}", controls.buttons(),
                         kControlButtonsAll);
        }
    }
    check_edits(input, check);
}

void check_hash_request(const wire::HashRequest& request, FieldCheck& check) {
    if (!check.count("HashRequest.chunks", request.chunks(), 1, kHashRequestChunksMax)) {
        return;
    }
    for (const wire::ChunkPos* position : *request.chunks()) {
        check.chunk("HashRequest.chunks", *position);
    }
}

void check_say(const wire::Say& say, FieldCheck& check) {
    if (check.count("Say.text", say.text(), 1, kChatBytesMax)) {
        check_line("Say.text", say.text(), kChatBytesMax, check);
    }
}

void check_message(const wire::ToServer& root, FieldCheck& check) {
    // The type and its value are two fields: either may come without the other.
    if (!check.present("ToServer.message", root.message())) {
        return;
    }
    switch (root.message_type()) {
        case wire::ToServerMessage::Hello:
            return check_hello(*root.message_as_Hello(), check);
        case wire::ToServerMessage::Input:
            return check_input(*root.message_as_Input(), check);
        case wire::ToServerMessage::HashRequest:
            return check_hash_request(*root.message_as_HashRequest(), check);
        case wire::ToServerMessage::Quit:
            return;
        case wire::ToServerMessage::Say:
            return check_say(*root.message_as_Say(), check);
        case wire::ToServerMessage::DebugRequest:
            return;
        case wire::ToServerMessage::NONE:
            break;
    }
    check.refuse("ToServer.message_type: unknown type {}",
                 static_cast<unsigned>(root.message_type()));
}

}  // namespace

bool is_valid_name(std::string_view name) {
    if (name.empty() || name.size() > kNameBytesMax) {
        return false;
    }
    for (const char c : name) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_letter && !is_digit && c != '_' && c != '-') {
            return false;
        }
    }
    return true;
}

Result<const wire::ToServer*> verify_to_server(std::span<const std::uint8_t> frame,
                                               AlignedBytes& scratch) {
    FieldCheck check;
    const auto* root = verify_structure<wire::ToServer>(frame, scratch, wire::ToServerIdentifier(),
                                                        kToServerBytesMax, check);
    if (root != nullptr) {
        check_message(*root, check);
    }
    if (!check.is_ok()) {
        return std::unexpected(check.error());
    }
    return root;
}

}  // namespace terrane
