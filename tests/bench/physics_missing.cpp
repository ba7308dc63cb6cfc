#include "tests/bench/physics_peer.h"

namespace terrane::bench {

std::unique_ptr<PhysicsPeer> make_physics_peer(const TerrainScene&) {
    return nullptr;
}

}  // namespace terrane::bench
