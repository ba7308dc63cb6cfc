#include "tests/bench/bullet_peer.h"

namespace terrane::bench {

std::unique_ptr<BulletPeer> make_bullet_peer(const TerrainScene&, bool) {
    return nullptr;
}

}  // namespace terrane::bench
