// One question to the wide tree while it is answered: what is asked, and what has been found. Plain
// data, since it passes between code compiled for different processors.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/bvh/wide_bvh.h"

namespace terrane {

enum class AskMode : std::uint8_t { closest, any, all };

struct RayAsk {
    const WideBvh* tree = nullptr;
    const RayProbe* probe = nullptr;
    AskMode mode = AskMode::closest;
    HitTest test;
    std::vector<BvhHit>* hits = nullptr;  ///< mode all
    BvhHit best;
    bool is_hit = false;
};

struct OverlapAsk {
    const WideBvh* tree = nullptr;
    AskMode mode = AskMode::all;
    Vec3 point{0.0F};  ///< mode closest
    ObjectTest test;
    std::vector<std::uint32_t>* objects = nullptr;  ///< mode all
    BvhNearest best;
    bool is_met = false;
};

/// Walks the tree, which is not empty, by its path.
void answer(RayAsk& ask);
/// `Volume`: Aabb, Sphere or Frustum, not empty and within bounds.
template <typename Volume>
void answer(const Volume& volume, OverlapAsk& ask);

}  // namespace terrane
