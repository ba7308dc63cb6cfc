#include "tests/shared/scene/slow_scene.h"

#include <algorithm>

#include "shared/math/trig.h"

namespace terrane {

void SlowScene::create(NodeId id, const NodeDef& def) {
    nodes[id] = {def.parent, {}, def.local, def.local_box, def.user};
    if (def.parent != kNoNode) {
        nodes.at(def.parent).children.push_back(id);
    }
}

void SlowScene::destroy(NodeId id) {
    set_parent(id, kNoNode);
    const std::vector<NodeId> children = nodes.at(id).children;
    for (const NodeId child : children) {
        destroy(child);
    }
    nodes.erase(id);
}

void SlowScene::set_parent(NodeId id, NodeId parent) {
    SlowNode& node = nodes.at(id);
    if (node.parent == parent) {
        return;
    }
    if (node.parent != kNoNode) {
        std::erase(nodes.at(node.parent).children, id);
    }
    node.parent = parent;
    if (parent != kNoNode) {
        nodes.at(parent).children.push_back(id);
    }
}

bool SlowScene::is_below(NodeId id, NodeId ancestor) const {
    return id == ancestor ||
           (nodes.at(id).parent != kNoNode && is_below(nodes.at(id).parent, ancestor));
}

Transform SlowScene::world(NodeId id) const {
    const SlowNode& node = nodes.at(id);
    return node.parent == kNoNode ? node.local : compose(world(node.parent), node.local);
}

Aabb SlowScene::world_box(NodeId id) const {
    return transform_box(to_affine(world(id)), nodes.at(id).box);
}

Aabb SlowScene::subtree_box(NodeId id) const {
    Aabb box = world_box(id);
    for (const NodeId child : nodes.at(id).children) {
        box = merge(box, subtree_box(child));
    }
    return box;
}

std::vector<NodeId> SlowScene::visible(const Frustum& frustum) const {
    std::vector<NodeId> found;
    for (const auto& [id, node] : nodes) {
        if (classify(frustum, world_box(id)) != Containment::outside) {
            found.push_back(id);
        }
    }
    return found;
}

Transform random_local(Random& random, float reach) {
    Transform local;
    local.position.x = random.range(-reach, reach);
    local.position.y = random.range(-reach, reach);
    local.position.z = random.range(-reach, reach);
    local.rotation = rotation_about({0, 1, 0}, static_cast<std::uint16_t>(random.below(65536)));
    local.scale = Vec3{random.range(0.7F, 1.3F), random.range(0.7F, 1.3F), 1.0F};
    return local;
}

NodeDef random_def(Random& random, NodeId parent, float reach) {
    NodeDef def{parent, random_local(random, reach), {}, random.next()};
    if (random.below(6) != 0) {
        const float size = random.range(0.0F, 2.0F);
        def.local_box = {Vec3{-size, 0.0F, -1.0F}, Vec3{size, 1.0F, 2.0F}};
    }
    return def;
}

}  // namespace terrane
