#include "tests/bench/embree_meshes.h"
#include "tests/bench/embree_peer.h"

namespace terrane::bench {

std::unique_ptr<EmbreePeer> make_embree_peer(std::span<const Aabb>, EmbreeQuality) {
    return nullptr;
}

std::unique_ptr<EmbreeMeshes> make_embree_meshes(const TerrainScene&, bool) {
    return nullptr;
}

}  // namespace terrane::bench
