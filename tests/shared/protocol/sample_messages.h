// One message of each type with a value in every field, for golden bytes and hostile variations.
#pragma once

#include <string>
#include <vector>

#include "shared/protocol/encode.h"

namespace terrane {

struct SampleMessage {
    std::string name;  ///< its file in tests/fuzz/corpus/<direction>/
    bool is_to_server = true;
    Bytes frame;
};

std::vector<SampleMessage> sample_messages();
Bytes sample_frame(const std::string& name);
/// All floats differ, so that each can be found in the frame by its bytes.
WelcomeMessage sample_welcome();
PlayerState sample_player();
Bytes encode_sample_state(const PlayerState& own);
std::vector<EditMessage> sample_edits();

}  // namespace terrane
