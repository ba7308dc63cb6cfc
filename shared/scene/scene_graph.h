// The scene graph: who rides on what, where everything is, and how far each branch reaches. The
// same tree serves the zone (bodies, players, props, seats) and the viewer (culling, drawing).
//
// Nodes stand in flat arrays in depth-first pre-order, so that a subtree is a range and a parent
// stands before its children:
//
//        A            position  0  1  2  3  4  5
//      / | \          node      A  B  D  E  C  F        subtree of B = [1, end(1)) = [1, 4)
//     B  C  F         end       6  4  3  4  5  6
//    / \              parent    -  0  1  1  0  0
//   D   E
//
// update() is the one point of commitment:
//   1. layout: trees that gained nodes out of order are copied to the arrays' end; the holes they
//      leave are skipped and squeezed out when they exceed a quarter. Cost follows the trees
//      touched.
//   2. transforms: a dirty node recomputes its whole range once, nested dirty nodes are covered; a
//      recomputed node passes on what changed, so that a pure translation stays a translation.
//   3. bounds: one reverse scan over flagged nodes; a node whose subtree bounds changed flags its
//      parent, one whose bounds stayed ends the chain. A node costs its child count here: do not
//      hang thousands of moving children under one parent, make them roots.
// Measured against pointer trees this layout is 4x (1 % dirty) to 10x (all dirty) faster.
//
// Culling walks the array and skips by end: the subtree's sphere first, then its box; outside skips
// the branch, inside takes it whole without another test, intersecting goes on to the children.
//
// Owner: World or Replica. Thread: one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shared/core/result.h"
#include "shared/math/frustum.h"
#include "shared/scene/bit_set.h"
#include "shared/scene/node.h"

namespace terrane {

/// What the last update() did.
struct SceneUpdateStat {
    std::uint32_t transforms_computed = 0;
    std::uint32_t bounds_computed = 0;
    std::uint32_t nodes_relaid = 0;
};

struct CullStat {
    std::uint32_t spheres_tested = 0;
    std::uint32_t boxes_tested = 0;
};

class SceneGraph {
  public:
    /// The parent must be alive. Cost: constant, plus its depth when built in depth-first order.
    NodeId create(const NodeDef& def);
    /// With its subtree; every handle of it is dead at once.
    void destroy(NodeId id);
    /// Nothing happens if `local` equals what is there.
    void set_local(NodeId id, const Transform& local);
    void set_local_box(NodeId id, const Aabb& box);
    /// Becomes the last child of `parent` (kNoNode: a root) with its subtree; the local transform
    /// stays. `parent` must not stand in the subtree of `id`. To stay in place use relative_to().
    void set_parent(NodeId id, NodeId parent);

    /// Commits everything asked for since the last call. Returns the nodes whose world transform
    /// changed and all new ones, ascending by index; valid until the next call.
    std::span<const NodeId> update();

    bool is_alive(NodeId id) const {
        return id.index < slots_.size() && slots_[id.index].generation == id.generation &&
               slots_[id.index].position != kNowhere;
    }
    std::size_t node_count() const { return id_.size() - hole_count_; }
    std::size_t hole_count() const { return hole_count_; }
    std::uint64_t user(NodeId id) const { return slot(id).user; }
    const Transform& local(NodeId id) const { return local_[position(id)]; }
    const Aabb& local_box(NodeId id) const { return local_box_[position(id)]; }

    // As of the last update() (of create() for a new node).
    const Transform& world(NodeId id) const { return world_[position(id)]; }
    const Affine& model(NodeId id) const { return model_[position(id)]; }  ///< node to world
    const Aabb& world_box(NodeId id) const { return world_box_[position(id)]; }
    Sphere world_sphere(NodeId id) const;
    /// Around the node and everything below it.
    const Aabb& subtree_box(NodeId id) const { return subtree_box_[position(id)]; }
    const Sphere& subtree_sphere(NodeId id) const { return subtree_sphere_[position(id)]; }

    // The tree as asked for, pending edits included. kNoNode at the end of a list.
    NodeId parent(NodeId id) const { return id_of(slot(id).parent); }
    NodeId first_child(NodeId id) const { return id_of(slot(id).first_child); }
    NodeId next_sibling(NodeId id) const { return id_of(slot(id).next); }
    bool is_in_subtree(NodeId id, NodeId ancestor) const;

    /// Appends every node whose own box meets the frustum, in array order. Call after update().
    CullStat cull(const Frustum& frustum, std::vector<NodeId>& out) const;

    const SceneUpdateStat& last_update() const { return stat_; }
    friend Result<void> validate_scene(const SceneGraph& graph);

  private:
    static constexpr std::uint32_t kNowhere = ~0U;

    /// What outlives a move inside the arrays, by handle index.
    struct Slot {
        std::uint64_t user = 0;
        std::uint32_t generation = 0;
        std::uint32_t position = kNowhere;
        std::uint32_t parent = kNowhere;
        std::uint32_t first_child = kNowhere;
        std::uint32_t last_child = kNowhere;
        std::uint32_t previous = kNowhere;
        std::uint32_t next = kNowhere;
    };

    const Slot& slot(NodeId id) const;
    std::uint32_t position(NodeId id) const { return slot(id).position; }
    NodeId id_of(std::uint32_t slot_index) const;

    std::uint32_t take_slot();
    void link(std::uint32_t child, std::uint32_t parent);
    void unlink(std::uint32_t child);
    std::uint32_t append_position(NodeId id, const NodeDef& def);
    bool append_in_order(std::uint32_t position, std::uint32_t parent_slot);
    void make_hole(std::uint32_t position);
    void mark_dirty(std::uint32_t position, std::uint8_t flags);
    void resize_arrays(std::size_t count);
    void copy_position(std::uint32_t from, std::uint32_t to);

    void relay_misplaced();
    void relay_tree(std::uint32_t root_slot);
    void squeeze_holes();
    void update_transforms();
    void update_range(std::uint32_t first);
    void compute_transform(std::uint32_t position);
    void update_bounds();
    bool compute_bounds(std::uint32_t position);
    void report_moved();
    void append_range(std::uint32_t first, std::uint32_t end, std::vector<NodeId>& out) const;

    // By position.
    std::vector<std::uint8_t> flags_;
    std::vector<std::uint32_t> parent_;  ///< position; kNowhere: a root of the layout
    std::vector<std::uint32_t> end_;     ///< one past the subtree
    std::vector<NodeId> id_;
    std::vector<Transform> local_;
    std::vector<Transform> world_;
    std::vector<Affine> model_;
    std::vector<Aabb> local_box_;
    std::vector<Aabb> world_box_;
    std::vector<Aabb> subtree_box_;
    std::vector<Sphere> subtree_sphere_;
    BitSet transform_dirty_;
    BitSet bounds_dirty_;
    std::size_t hole_count_ = 0;

    // By handle index.
    std::vector<Slot> slots_;
    BitSet moved_slots_;
    std::vector<std::uint32_t> free_slots_;

    std::vector<NodeId> misplaced_;  ///< a node of each tree to lay out anew
    std::vector<NodeId> moved_;
    std::vector<std::uint32_t> scratch_;
    SceneUpdateStat stat_;
};

/// Walks everything: links against layout, bounds against children, flags. For tests and debugging;
/// call after update().
Result<void> validate_scene(const SceneGraph& graph);

}  // namespace terrane
