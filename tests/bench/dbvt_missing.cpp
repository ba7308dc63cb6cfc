#include "tests/bench/dbvt_peer.h"

namespace terrane::bench {

std::unique_ptr<DbvtPeer> make_dbvt_peer(std::span<const Aabb>) {
    return nullptr;
}

}  // namespace terrane::bench
