#include <algorithm>

#include "shared/core/assert.h"
#include "shared/core/random.h"
#include "shared/protocol/framing.h"
#include "tests/fuzz/fuzz_targets.h"

namespace terrane {
namespace {

constexpr std::size_t kLimit = 256;

struct Cut {
    std::vector<Bytes> frames;
    bool is_broken = false;
};

void feed(FrameReader& reader, std::span<const std::uint8_t> bytes, Cut& cut) {
    while (!cut.is_broken) {
        const auto frame = reader.next(bytes);
        if (!frame) {
            cut.is_broken = true;
        } else if (frame->empty()) {
            TERRANE_ASSERT(bytes.empty());
            return;
        } else {
            TERRANE_ASSERT(reinterpret_cast<std::uintptr_t>(frame->data()) % 8 == 0);
            TERRANE_ASSERT(frame->size() <= kFramePrefixBytes + kLimit);
            TERRANE_ASSERT(read_prefix(*frame) + kFramePrefixBytes == frame->size());
            cut.frames.emplace_back(frame->begin(), frame->end());
        }
    }
}

}  // namespace

bool fuzz_frame_reader(std::span<const std::uint8_t> input) {
    if (input.empty()) {
        return false;
    }
    Random random(input.front());
    const auto stream = input.subspan(1);

    FrameReader whole_reader(kLimit);
    Cut whole;
    feed(whole_reader, stream, whole);

    FrameReader piece_reader(kLimit);
    Cut pieces;
    for (std::size_t at = 0; at < stream.size() && !pieces.is_broken;) {
        const std::size_t size = std::min<std::size_t>(stream.size() - at, random.below(23));
        feed(piece_reader, stream.subspan(at, size), pieces);
        TERRANE_ASSERT(piece_reader.memory_bytes() <= 2 * (kFramePrefixBytes + kLimit));
        at += size;
    }
    TERRANE_ASSERT(whole.is_broken == pieces.is_broken && whole.frames == pieces.frames);
    return !whole.is_broken;
}

}  // namespace terrane
