// The dynamic tree: objects come, go and move one by one. Two ways to find a new object's place:
//
//   nearest_centre   down to the child whose centre is nearer, into the leaf there; a full leaf is
//                    split in halves (as PhysX does). Cheap; leaves hold up to four.
//   least_surface    the place where the tree's surface grows least (Goldsmith and Salmon, 1987):
//                    the new parent's surface plus what every ancestor grows, found exactly by
//                    branch and bound (Bittner and others, 2013). One object a leaf.
//
// A leaf's box is larger than its objects by a margin; an object that moves within it costs
// nothing but its new box. Rotations (rotate_bvh.h) on the way up from a change keep sorted input
// from growing a list. Queries look at the objects' own boxes, never at the larger ones.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "shared/bvh/bvh.h"
#include "shared/bvh/query.h"
#include "shared/core/result.h"

namespace terrane {

inline constexpr std::uint32_t kDynamicLeafMax = 4;

enum class InsertRule : std::uint8_t { nearest_centre, least_surface };
/// sah: whenever a rotation lowers the surface; volume_ratio: if besides one child has more than
/// three times the other's volume, as PhysX does on insertion.
enum class RotateRule : std::uint8_t { off, sah, volume_ratio };

Result<InsertRule> insert_rule_named(std::string_view name);
Result<RotateRule> rotate_rule_named(std::string_view name);

struct DynamicBvhConfig {
    InsertRule insert = InsertRule::least_surface;
    RotateRule rotate = RotateRule::sah;
    float fat_margin_m = 0.3F;
    std::uint32_t leaf_objects_max = kDynamicLeafMax;  ///< nearest_centre; 1 to kDynamicLeafMax
};

struct DynamicNode {
    Aabb box;
    std::uint32_t parent;
    std::uint32_t count;                               ///< objects of a leaf; 0: an inner node
    std::array<std::uint32_t, kDynamicLeafMax> items;  ///< objects, or the two children
};
static_assert(sizeof(DynamicNode) == 48);

struct DynamicBvhStat {
    std::uint32_t object_count = 0;
    std::uint32_t node_count = 0;
    std::uint32_t depth = 0;
    double cost = 0.0;  ///< as BvhStat's, of the larger boxes
    std::uint64_t insertions = 0;
    std::uint64_t rotations = 0;
};

class DynamicBvh {
  public:
    explicit DynamicBvh(const DynamicBvhConfig& config = {});

    /// `object` must not be in. An unusable box is remembered, and no query finds the object.
    void insert(std::uint32_t object, const Aabb& box);
    /// False if it is not in.
    bool remove(std::uint32_t object);
    /// The object's box of now; true if it left its larger box and had to be put in anew. It must
    /// be in.
    bool move(std::uint32_t object, const Aabb& box);
    bool has(std::uint32_t object) const;

    const std::vector<DynamicNode>& nodes() const { return nodes_; }
    std::uint32_t root() const { return root_; }
    const Aabb& box_of(std::uint32_t object) const { return boxes_[object]; }
    DynamicBvhStat stat() const;
    /// What is wrong, in one line; "" if nothing is. Debug and tests.
    std::string validate() const;

  private:
    struct Candidate {
        float bound;
        std::uint32_t node;
        float inherited;  ///< what the ancestors grow
    };
    std::uint32_t take_node();
    void place_by_centre(std::uint32_t object, const Aabb& fat);
    void place_by_surface(std::uint32_t object, const Aabb& fat);
    std::uint32_t cheapest_sibling(const Aabb& fat);
    void split_leaf(std::uint32_t leaf, std::uint32_t object);
    void put_beside(std::uint32_t sibling, std::uint32_t leaf);
    void take_out(std::uint32_t object);
    Aabb leaf_box(const DynamicNode& leaf) const;
    void refresh_upward(std::uint32_t node);
    void rotate(std::uint32_t node);
    bool is_lopsided(const DynamicNode& node) const;

    DynamicBvhConfig config_;
    std::vector<DynamicNode> nodes_;
    std::vector<std::uint32_t> free_nodes_;
    std::uint32_t root_ = kNoBvhNode;
    std::vector<Aabb> boxes_;            ///< by object
    std::vector<std::uint32_t> leaves_;  ///< by object; kNoBvhNode: not in, kUnseen: in, no box
    std::vector<Candidate> open_;        ///< of cheapest_sibling, kept for its memory
    std::uint32_t object_count_ = 0;
    std::uint64_t insertions_ = 0;
    std::uint64_t rotations_ = 0;
};

std::optional<BvhHit> closest_hit(const DynamicBvh& tree, const RayProbe& probe, HitTest test = {});
bool any_hit(const DynamicBvh& tree, const RayProbe& probe, HitTest test = {});
/// Appends.
void all_hits(const DynamicBvh& tree, const RayProbe& probe, std::vector<BvhHit>& hits,
              HitTest test = {});
/// `Volume`: Aabb, Sphere or Frustum.
template <typename Volume>
bool any_overlap(const DynamicBvh& tree, const Volume& volume, ObjectTest test = {});
/// Appends, ascending.
template <typename Volume>
void all_overlaps(const DynamicBvh& tree, const Volume& volume, std::vector<std::uint32_t>& objects,
                  ObjectTest test = {});
/// Of what `volume` meets, the object whose box is nearest to `point`.
template <typename Volume>
std::optional<BvhNearest> closest_overlap(const DynamicBvh& tree, const Volume& volume,
                                          const Vec3& point, ObjectTest test = {});

}  // namespace terrane
