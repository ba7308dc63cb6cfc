// The layout half of SceneGraph: where nodes stand in the arrays. At any time the arrays are a
// valid forest of ranges; a node that could not be put where it belongs stands at the end as a root
// of the layout, and update() lays its tree out anew by the links.
#include "shared/core/assert.h"
#include "shared/scene/scene_graph.h"

namespace terrane {

void SceneGraph::resize_arrays(std::size_t count) {
    TERRANE_ASSERT(count < kNowhere);
    flags_.resize(count);
    parent_.resize(count);
    end_.resize(count);
    id_.resize(count);
    local_.resize(count);
    world_.resize(count);
    model_.resize(count);
    local_box_.resize(count);
    world_box_.resize(count);
    subtree_box_.resize(count);
    subtree_sphere_.resize(count);
    transform_dirty_.resize(count);
    bounds_dirty_.resize(count);
}

std::uint32_t SceneGraph::append_position(NodeId id, const NodeDef& def) {
    const auto position = static_cast<std::uint32_t>(id_.size());
    resize_arrays(id_.size() + 1);
    flags_[position] = is_empty(def.local_box) ? kNodeBoxless : 0;
    parent_[position] = kNowhere;
    end_[position] = position + 1;
    id_[position] = id;
    local_[position] = def.local;
    // Where it will be unless its ancestors move first, so that world() means something at once.
    world_[position] = def.parent == kNoNode ? def.local : compose(world(def.parent), def.local);
    model_[position] = to_affine(world_[position]);
    local_box_[position] = def.local_box;
    world_box_[position] = transform_box(model_[position], def.local_box);
    subtree_box_[position] = {};
    subtree_sphere_[position] = {};
    return position;
}

/// If the parent's range ends where the new node stands, the range and those around it grow by one.
bool SceneGraph::append_in_order(std::uint32_t position, std::uint32_t parent_slot) {
    const std::uint32_t above = slots_[parent_slot].position;
    if (end_[above] != position) {
        return false;
    }
    parent_[position] = above;
    for (std::uint32_t p = above; p != kNowhere; p = parent_[p]) {
        end_[p] = position + 1;
    }
    return true;
}

void SceneGraph::make_hole(std::uint32_t position) {
    flags_[position] = kNodeDead;
    end_[position] = position + 1;
    parent_[position] = kNowhere;
    id_[position] = kNoNode;
    transform_dirty_.clear(position);
    bounds_dirty_.clear(position);
    ++hole_count_;
}

void SceneGraph::copy_position(std::uint32_t from, std::uint32_t to) {
    flags_[to] = flags_[from];
    id_[to] = id_[from];
    local_[to] = local_[from];
    world_[to] = world_[from];
    model_[to] = model_[from];
    local_box_[to] = local_box_[from];
    world_box_[to] = world_box_[from];
    subtree_box_[to] = subtree_box_[from];
    subtree_sphere_[to] = subtree_sphere_[from];
    if (transform_dirty_.test(from)) {
        transform_dirty_.set(to);
    }
    if (bounds_dirty_.test(from)) {
        bounds_dirty_.set(to);
    }
    slots_[id_[to].index].position = to;
}

void SceneGraph::relay_misplaced() {
    if (misplaced_.empty()) {
        return;
    }
    const auto first_new = static_cast<std::uint32_t>(id_.size());
    for (const NodeId id : misplaced_) {
        if (!is_alive(id)) {
            continue;
        }
        std::uint32_t root = id.index;
        while (slots_[root].parent != kNowhere) {
            root = slots_[root].parent;
        }
        if (slots_[root].position < first_new) {  // else laid out for another of its nodes
            relay_tree(root);
        }
    }
    misplaced_.clear();
}

/// Copies the tree to the end of the arrays in the order of its links.
void SceneGraph::relay_tree(std::uint32_t root_slot) {
    scratch_.assign(1, root_slot);
    const auto first = static_cast<std::uint32_t>(id_.size());
    while (!scratch_.empty()) {
        const std::uint32_t index = scratch_.back();
        scratch_.pop_back();
        const auto to = static_cast<std::uint32_t>(id_.size());
        const std::uint32_t from = slots_[index].position;
        resize_arrays(id_.size() + 1);
        copy_position(from, to);
        make_hole(from);
        const std::uint32_t above = slots_[index].parent;
        parent_[to] = above == kNowhere ? kNowhere : slots_[above].position;
        end_[to] = to + 1;
        for (std::uint32_t c = slots_[index].last_child; c != kNowhere; c = slots_[c].previous) {
            scratch_.push_back(c);
        }
    }
    const auto end = static_cast<std::uint32_t>(id_.size());
    for (std::uint32_t i = end; i-- > first;) {
        if (parent_[i] != kNowhere && end_[parent_[i]] < end_[i]) {
            end_[parent_[i]] = end_[i];
        }
    }
    stat_.nodes_relaid += end - first;
}

/// Moves everything down over the holes once they exceed a quarter of the nodes: the cost, a few
/// copies a node, was paid for by the edits that made so many holes.
void SceneGraph::squeeze_holes() {
    constexpr std::size_t kFewHoles = 64;
    if (hole_count_ < kFewHoles + node_count() / 4) {
        return;
    }
    const auto old_count = static_cast<std::uint32_t>(id_.size());
    // scratch_[i] = number of nodes before position i: where what stood at i stands now.
    scratch_.resize(old_count + 1);
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < old_count; ++i) {
        scratch_[i] = kept;
        kept += (flags_[i] & kNodeDead) == 0 ? 1U : 0U;
    }
    scratch_[old_count] = kept;
    for (std::uint32_t i = 0; i < old_count; ++i) {
        if ((flags_[i] & kNodeDead) != 0) {
            continue;
        }
        const std::uint32_t to = scratch_[i];
        const std::uint32_t parent = parent_[i] == kNowhere ? kNowhere : scratch_[parent_[i]];
        const std::uint32_t end = scratch_[end_[i]];
        if (to != i) {
            copy_position(i, to);
            transform_dirty_.clear(i);
            bounds_dirty_.clear(i);
        }
        parent_[to] = parent;
        end_[to] = end;
    }
    stat_.nodes_relaid += kept;
    hole_count_ = 0;
    resize_arrays(kept);
}

}  // namespace terrane
