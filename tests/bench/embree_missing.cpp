#include "tests/bench/embree_peer.h"

namespace terrane::bench {

std::unique_ptr<EmbreePeer> make_embree_peer(std::span<const Aabb>, EmbreeQuality) {
    return nullptr;
}

}  // namespace terrane::bench
