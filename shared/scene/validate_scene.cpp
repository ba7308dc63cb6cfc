#include "shared/scene/scene_graph.h"

namespace terrane {

Result<void> validate_scene(const SceneGraph& graph) {
    constexpr std::uint32_t kNowhere = SceneGraph::kNowhere;
    const auto count = static_cast<std::uint32_t>(graph.id_.size());
    if (graph.transform_dirty_.count() != 0 || graph.bounds_dirty_.count() != 0) {
        return fail("scene: update() left dirty nodes");
    }
    std::size_t holes = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        if ((graph.flags_[i] & kNodeDead) != 0) {
            ++holes;
            continue;
        }
        const NodeId id = graph.id_[i];
        if (!graph.is_alive(id) || graph.slots_[id.index].position != i) {
            return fail("scene: position {} and handle {} do not name each other", i, id.index);
        }
        if ((graph.flags_[i] & (kNodeDirtyFlags | kNodeNew)) != 0) {
            return fail("scene: node {} keeps dirty flags", id.index);
        }
        const std::uint32_t above = graph.parent_[i];
        const NodeId linked = graph.parent(id);
        if (linked != (above == kNowhere ? kNoNode : graph.id_[above])) {
            return fail("scene: node {} stands under another parent than its link says", id.index);
        }
        if (above != kNowhere && (above >= i || graph.end_[i] > graph.end_[above])) {
            return fail("scene: node {} stands outside its parent's range", id.index);
        }
        if (above != kNowhere && !contains(graph.subtree_box_[above], graph.subtree_box_[i])) {
            return fail("scene: node {} reaches out of its parent's subtree bounds", id.index);
        }
        if (!contains(graph.subtree_box_[i], graph.world_box_[i])) {
            return fail("scene: node {} reaches out of its own subtree bounds", id.index);
        }
        // The children in the layout are the linked ones, in order.
        NodeId child = graph.first_child(id);
        for (std::uint32_t c = i + 1; c < graph.end_[i]; c = graph.end_[c]) {
            if ((graph.flags_[c] & kNodeDead) != 0) {
                continue;
            }
            if (graph.id_[c] != child) {
                return fail("scene: node {} has another child than its links say", id.index);
            }
            child = graph.next_sibling(child);
        }
        if (child != kNoNode) {
            return fail("scene: node {} lacks a linked child", id.index);
        }
    }
    if (holes != graph.hole_count_) {
        return fail("scene: {} holes, {} counted", holes, graph.hole_count_);
    }
    return {};
}

}  // namespace terrane
