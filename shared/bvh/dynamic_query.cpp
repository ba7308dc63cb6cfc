#include "shared/bvh/binary_walk.h"
#include "shared/bvh/dynamic_bvh.h"

namespace terrane {
namespace {

struct DynamicView {
    const DynamicBvh& tree;

    std::uint32_t root() const { return tree.root(); }
    bool is_leaf(std::uint32_t node) const { return tree.nodes()[node].count > 0; }
    std::uint32_t child(std::uint32_t node, int side) const {
        return tree.nodes()[node].items[static_cast<std::size_t>(side)];
    }
    const Aabb& box(std::uint32_t node) const { return tree.nodes()[node].box; }
    template <typename Call>
    void each_object(std::uint32_t node, const Call& call) const {
        const DynamicNode& leaf = tree.nodes()[node];
        for (std::uint32_t i = 0; i < leaf.count; ++i) {
            call(leaf.items[i], tree.box_of(leaf.items[i]));
        }
    }
};

}  // namespace

std::optional<BvhHit> closest_hit(const DynamicBvh& tree, const RayProbe& probe, HitTest test) {
    return walk_closest(DynamicView{tree}, probe, test);
}

bool any_hit(const DynamicBvh& tree, const RayProbe& probe, HitTest test) {
    return walk_any_hit(DynamicView{tree}, probe, test);
}

void all_hits(const DynamicBvh& tree, const RayProbe& probe, std::vector<BvhHit>& hits,
              HitTest test) {
    walk_all_hits(DynamicView{tree}, probe, hits, test);
}

template <typename Volume>
bool any_overlap(const DynamicBvh& tree, const Volume& volume, ObjectTest test) {
    return walk_any_overlap(DynamicView{tree}, within_bounds(volume), test);
}

template <typename Volume>
void all_overlaps(const DynamicBvh& tree, const Volume& volume, std::vector<std::uint32_t>& objects,
                  ObjectTest test) {
    const auto from = static_cast<std::ptrdiff_t>(objects.size());
    walk_all_overlaps(DynamicView{tree}, within_bounds(volume), objects, test);
    std::sort(objects.begin() + from, objects.end());
}

template <typename Volume>
std::optional<BvhNearest> closest_overlap(const DynamicBvh& tree, const Volume& volume,
                                          const Vec3& point, ObjectTest test) {
    return walk_closest_overlap(DynamicView{tree}, within_bounds(volume), point, test);
}

#define TERRANE_DYNAMIC_VOLUME(Volume)                                                        \
    template bool any_overlap(const DynamicBvh&, const Volume&, ObjectTest);                  \
    template void all_overlaps(const DynamicBvh&, const Volume&, std::vector<std::uint32_t>&, \
                               ObjectTest);                                                   \
    template std::optional<BvhNearest> closest_overlap(const DynamicBvh&, const Volume&,      \
                                                       const Vec3&, ObjectTest)
TERRANE_DYNAMIC_VOLUME(Aabb);
TERRANE_DYNAMIC_VOLUME(Sphere);
TERRANE_DYNAMIC_VOLUME(Frustum);
#undef TERRANE_DYNAMIC_VOLUME

}  // namespace terrane
