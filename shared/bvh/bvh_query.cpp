#include "shared/bvh/bvh_query.h"

#include "shared/bvh/binary_walk.h"

namespace terrane {
namespace {

struct BvhView {
    const Bvh& tree;

    std::uint32_t root() const { return tree.nodes.empty() ? kNoBvhNode : 0; }
    bool is_leaf(std::uint32_t node) const { return tree.nodes[node].count > 0; }
    std::uint32_t child(std::uint32_t node, int side) const {
        return tree.nodes[node].first + static_cast<std::uint32_t>(side);
    }
    const Aabb& box(std::uint32_t node) const { return tree.nodes[node].box; }
    template <typename Call>
    void each_object(std::uint32_t node, const Call& call) const {
        const BvhNode& leaf = tree.nodes[node];
        for (std::uint32_t i = leaf.first; i < leaf.first + leaf.count; ++i) {
            call(tree.objects[i], tree.boxes[i]);
        }
    }
};

}  // namespace

std::optional<BvhHit> closest_hit(const Bvh& tree, const RayProbe& probe, HitTest test) {
    return walk_closest(BvhView{tree}, probe, test);
}

bool any_hit(const Bvh& tree, const RayProbe& probe, HitTest test) {
    return walk_any_hit(BvhView{tree}, probe, test);
}

void all_hits(const Bvh& tree, const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test) {
    walk_all_hits(BvhView{tree}, probe, hits, test);
}

template <typename Volume>
bool any_overlap(const Bvh& tree, const Volume& volume, ObjectTest test) {
    return walk_any_overlap(BvhView{tree}, within_bounds(volume), test);
}

template <typename Volume>
void all_overlaps_unordered(const Bvh& tree, const Volume& volume,
                            std::vector<std::uint32_t>& objects, ObjectTest test) {
    walk_all_overlaps(BvhView{tree}, within_bounds(volume), objects, test);
}

template <typename Volume>
void all_overlaps(const Bvh& tree, const Volume& volume, std::vector<std::uint32_t>& objects,
                  ObjectTest test) {
    const auto from = static_cast<std::ptrdiff_t>(objects.size());
    all_overlaps_unordered(tree, volume, objects, test);
    std::sort(objects.begin() + from, objects.end());
}

template <typename Volume>
std::optional<BvhNearest> closest_overlap(const Bvh& tree, const Volume& volume, const Vec3& point,
                                          ObjectTest test) {
    return walk_closest_overlap(BvhView{tree}, within_bounds(volume), point, test);
}

#define TERRANE_BVH_VOLUME(Volume)                                                               \
    template bool any_overlap(const Bvh&, const Volume&, ObjectTest);                            \
    template void all_overlaps(const Bvh&, const Volume&, std::vector<std::uint32_t>&,           \
                               ObjectTest);                                                      \
    template void all_overlaps_unordered(const Bvh&, const Volume&, std::vector<std::uint32_t>&, \
                                         ObjectTest);                                            \
    template std::optional<BvhNearest> closest_overlap(const Bvh&, const Volume&, const Vec3&,   \
                                                       ObjectTest)
TERRANE_BVH_VOLUME(Aabb);
TERRANE_BVH_VOLUME(Sphere);
TERRANE_BVH_VOLUME(Frustum);
#undef TERRANE_BVH_VOLUME

}  // namespace terrane
