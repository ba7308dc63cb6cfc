// The slow oracle of the scene graph: a map of nodes, everything recomputed by recursion each time.
#pragma once

#include <map>
#include <vector>

#include "shared/core/random.h"
#include "shared/scene/scene_graph.h"

namespace terrane {

struct SlowNode {
    NodeId parent;
    std::vector<NodeId> children;
    Transform local;
    Aabb box;
    std::uint64_t user = 0;
};

struct SlowScene {
    std::map<NodeId, SlowNode> nodes;

    void create(NodeId id, const NodeDef& def);
    void destroy(NodeId id);
    void set_parent(NodeId id, NodeId parent);
    bool is_below(NodeId id, NodeId ancestor) const;
    Transform world(NodeId id) const;
    Aabb world_box(NodeId id) const;
    Aabb subtree_box(NodeId id) const;
    std::vector<NodeId> visible(const Frustum& frustum) const;  ///< ascending
};

Transform random_local(Random& random, float reach);
NodeDef random_def(Random& random, NodeId parent, float reach);

}  // namespace terrane
