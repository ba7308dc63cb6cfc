// The 8-wide tree: what queries should ask. A node holds the boxes of its eight slots side by side,
// so that one instruction sequence tests them all, and an object sits in a slot of its own: its own
// box is tested by the same sequence, there is no leaf to loop over. It is collapsed from a binary
// tree (so that the sum of the nodes' surfaces is least) or built straight from Morton codes.
//
//   planes   low x [0..7] low y low z  high x high y high z [0..7]     an empty slot: low > high
//   child    object or node of each slot; bit i of object_mask: slot i is an object
//
// Children lie after their parents, also after insertions, so one sweep from the end refits. Rays
// and overlaps run on the vectors of the machine (Highway) or on a scalar twin, chosen by `path`;
// every answer is the same.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shared/bvh/bvh.h"
#include "shared/bvh/query.h"

namespace terrane {

inline constexpr std::uint32_t kWideSlots = 8;

struct alignas(64) WideNode {
    std::array<std::array<float, kWideSlots>, 6> planes;
    std::array<std::uint32_t, kWideSlots> child;
    std::uint32_t parent;  ///< kNoBvhNode: the root
    std::uint32_t parent_slot;
    std::uint32_t object_mask;
    std::uint32_t used_mask;
};
static_assert(sizeof(WideNode) == 256);

enum class BvhPath : std::uint8_t { simd, scalar };

struct WideBvh {
    std::vector<WideNode> nodes;            ///< empty: no objects; the root is node 0
    std::vector<std::uint32_t> places;      ///< of object i: 8 * node + slot, kNoBvhNode: not in it
    std::vector<std::uint32_t> free_nodes;  ///< emptied by removals
    std::vector<Aabb> node_boxes;           ///< what refit() works with, kept for its memory
    std::uint32_t object_count = 0;
    BvhPath path = BvhPath::simd;
};

/// From a binary tree of any leaf size.
WideBvh collapse(const Bvh& tree);
/// The fastest build (wide_lbvh.h).
WideBvh build_wide_lbvh(std::span<const Aabb> boxes);

/// Gives every object its box of now, as refit(Bvh&). Returns the sum of the nodes' surfaces, m2.
float refit(WideBvh& tree, std::span<const Aabb> boxes);
/// The same for one object, which must be in. Cost: the way up as far as boxes change.
void refit_object(WideBvh& tree, std::uint32_t object, const Aabb& box);

/// Puts one more object in, in one pass downward; `object` must not be in. An unusable box is
/// ignored. A tree that has grown so answers a little slower than a built one: rebuild after about
/// a tenth of its objects.
void insert(WideBvh& tree, std::uint32_t object, const Aabb& box);
/// Takes an object out; false if it is not in.
bool remove(WideBvh& tree, std::uint32_t object);

struct WideStat {
    std::uint32_t object_count = 0;
    std::uint32_t node_count = 0;
    std::uint32_t depth = 0;
    double slots_used = 0.0;  ///< share, 0 to 1
    double cost = 0.0;        ///< as BvhStat's, counting slots
    std::size_t memory_bytes = 0;
};
WideStat stat_of(const WideBvh& tree);
std::string validate_wide(const WideBvh& tree, std::span<const Aabb> boxes);

std::optional<BvhHit> closest_hit(const WideBvh& tree, const RayProbe& probe, HitTest test = {});
bool any_hit(const WideBvh& tree, const RayProbe& probe, HitTest test = {});
/// Appends.
void all_hits(const WideBvh& tree, const RayProbe& probe, std::vector<BvhHit>& hits,
              HitTest test = {});

/// `Volume`: Aabb, Sphere or Frustum.
template <typename Volume>
bool any_overlap(const WideBvh& tree, const Volume& volume, ObjectTest test = {});
/// Appends, ascending.
template <typename Volume>
void all_overlaps(const WideBvh& tree, const Volume& volume, std::vector<std::uint32_t>& objects,
                  ObjectTest test = {});
/// Appends as the tree meets them: for callers that sort or count by themselves.
template <typename Volume>
void all_overlaps_unordered(const WideBvh& tree, const Volume& volume,
                            std::vector<std::uint32_t>& objects, ObjectTest test = {});
/// Of what `volume` meets, the object whose box is nearest to `point`.
template <typename Volume>
std::optional<BvhNearest> closest_overlap(const WideBvh& tree, const Volume& volume,
                                          const Vec3& point, ObjectTest test = {});

/// A slot's box; empty for an empty slot.
inline Aabb slot_box(const WideNode& node, std::uint32_t slot) {
    return {{node.planes[0][slot], node.planes[1][slot], node.planes[2][slot]},
            {node.planes[3][slot], node.planes[4][slot], node.planes[5][slot]}};
}
inline void set_slot_box(WideNode& node, std::uint32_t slot, const Aabb& box) {
    node.planes[0][slot] = box.min.x;
    node.planes[1][slot] = box.min.y;
    node.planes[2][slot] = box.min.z;
    node.planes[3][slot] = box.max.x;
    node.planes[4][slot] = box.max.y;
    node.planes[5][slot] = box.max.z;
}
WideNode empty_wide_node(std::uint32_t parent, std::uint32_t parent_slot);
Aabb box_of(const WideNode& node);

}  // namespace terrane
