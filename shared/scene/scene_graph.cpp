#include "shared/scene/scene_graph.h"

#include "shared/core/assert.h"

namespace terrane {

NodeId SceneGraph::create(const NodeDef& def) {
    TERRANE_ASSERT(def.parent == kNoNode || is_alive(def.parent));
    TERRANE_DEBUG_ASSERT(is_finite(def.local.position));
    const std::uint32_t index = take_slot();
    const NodeId id{index, slots_[index].generation};
    slots_[index].user = def.user;
    link(index, def.parent.index);
    const std::uint32_t position = append_position(id, def);
    slots_[index].position = position;
    if (def.parent != kNoNode && !append_in_order(position, def.parent.index)) {
        misplaced_.push_back(id);
    }
    mark_dirty(position, kNodeDirtyFlags | kNodeNew);
    return id;
}

void SceneGraph::destroy(NodeId id) {
    TERRANE_ASSERT(is_alive(id));
    const std::uint32_t parent = slots_[id.index].parent;
    if (parent != kNowhere) {
        bounds_dirty_.set(slots_[parent].position);
    }
    unlink(id.index);
    scratch_.assign(1, id.index);
    while (!scratch_.empty()) {
        const std::uint32_t index = scratch_.back();
        scratch_.pop_back();
        Slot& gone = slots_[index];
        for (std::uint32_t c = gone.first_child; c != kNowhere; c = slots_[c].next) {
            scratch_.push_back(c);
        }
        make_hole(gone.position);
        moved_slots_.clear(index);
        gone = Slot{.generation = gone.generation + 1};
        free_slots_.push_back(index);
    }
}

void SceneGraph::set_local(NodeId id, const Transform& local) {
    TERRANE_DEBUG_ASSERT(is_finite(local.position) && is_finite(local.scale));
    const std::uint32_t position = this->position(id);
    Transform& old = local_[position];
    const int changed = (old.scale == local.scale ? 0 : kNodeScale) |
                        (old.rotation == local.rotation ? 0 : kNodeRotation) |
                        (old.position == local.position ? 0 : kNodeTranslation);
    if (changed != 0) {
        old = local;
        mark_dirty(position, static_cast<std::uint8_t>(changed));
    }
}

void SceneGraph::set_local_box(NodeId id, const Aabb& box) {
    const std::uint32_t position = this->position(id);
    local_box_[position] = box;
    flags_[position] = static_cast<std::uint8_t>((flags_[position] & ~kNodeBoxless) |
                                                 (is_empty(box) ? kNodeBoxless : 0));
    world_box_[position] = transform_box(model_[position], box);
    bounds_dirty_.set(position);
}

void SceneGraph::set_parent(NodeId id, NodeId parent) {
    TERRANE_ASSERT(is_alive(id));
    TERRANE_ASSERT(parent == kNoNode || (is_alive(parent) && !is_in_subtree(parent, id)));
    const std::uint32_t old_parent = slots_[id.index].parent;
    if (old_parent == parent.index) {
        return;
    }
    if (old_parent != kNowhere) {
        bounds_dirty_.set(slots_[old_parent].position);
    }
    unlink(id.index);
    link(id.index, parent.index);
    if (parent != kNoNode) {  // also if the node's own bounds do not change
        bounds_dirty_.set(slots_[parent.index].position);
    }
    mark_dirty(slots_[id.index].position, kNodeDirtyFlags);
    misplaced_.push_back(id);
}

Sphere SceneGraph::world_sphere(NodeId id) const {
    const std::uint32_t p = position(id);
    return transform_sphere(world_[p], sphere_around(local_box_[p]));
}

bool SceneGraph::is_in_subtree(NodeId id, NodeId ancestor) const {
    TERRANE_ASSERT(is_alive(id) && is_alive(ancestor));
    std::uint32_t index = id.index;
    while (index != kNowhere && index != ancestor.index) {
        index = slots_[index].parent;
    }
    return index == ancestor.index;
}

const SceneGraph::Slot& SceneGraph::slot(NodeId id) const {
    TERRANE_ASSERT(is_alive(id));
    return slots_[id.index];
}

NodeId SceneGraph::id_of(std::uint32_t slot_index) const {
    return slot_index == kNowhere ? kNoNode : NodeId{slot_index, slots_[slot_index].generation};
}

std::uint32_t SceneGraph::take_slot() {
    if (!free_slots_.empty()) {
        const std::uint32_t index = free_slots_.back();
        free_slots_.pop_back();
        return index;
    }
    slots_.emplace_back();
    moved_slots_.resize(slots_.size());
    return static_cast<std::uint32_t>(slots_.size() - 1);
}

void SceneGraph::link(std::uint32_t child, std::uint32_t parent) {
    Slot& node = slots_[child];
    node.parent = parent;
    node.next = kNowhere;
    node.previous = kNowhere;
    if (parent == kNowhere) {
        return;
    }
    Slot& above = slots_[parent];
    node.previous = above.last_child;
    (above.last_child == kNowhere ? above.first_child : slots_[above.last_child].next) = child;
    above.last_child = child;
}

void SceneGraph::unlink(std::uint32_t child) {
    Slot& node = slots_[child];
    if (node.parent == kNowhere) {
        return;
    }
    Slot& above = slots_[node.parent];
    (node.previous == kNowhere ? above.first_child : slots_[node.previous].next) = node.next;
    (node.next == kNowhere ? above.last_child : slots_[node.next].previous) = node.previous;
    node.parent = kNowhere;
}

void SceneGraph::mark_dirty(std::uint32_t position, std::uint8_t flags) {
    flags_[position] = static_cast<std::uint8_t>(flags_[position] | flags);
    transform_dirty_.set(position);
}

std::span<const NodeId> SceneGraph::update() {
    stat_ = {};
    relay_misplaced();
    squeeze_holes();
    update_transforms();
    update_bounds();
    report_moved();
    return moved_;
}

void SceneGraph::update_transforms() {
    for (std::size_t i = transform_dirty_.first_from(0); i != BitSet::kNone;
         i = transform_dirty_.first_from(i)) {
        update_range(static_cast<std::uint32_t>(i));
    }
}

/// Recomputes the subtree at `first`. A node's flags stay up until the range is done, so that its
/// children, which stand behind it, can read what changed above them.
void SceneGraph::update_range(std::uint32_t first) {
    const std::uint32_t end = end_[first];
    for (std::uint32_t i = first; i < end; ++i) {
        transform_dirty_.clear(i);
        if ((flags_[i] & kNodeDead) != 0) {
            continue;
        }
        if (i != first) {
            const int above = flags_[parent_[i]];
            int inherited = kNodeParentChanged | kNodeTranslation | (above & kNodeScale);
            inherited |= above & kNodeRotation;
            flags_[i] = static_cast<std::uint8_t>(flags_[i] | inherited);
        }
        compute_transform(i);
    }
    for (std::uint32_t i = first; i < end; ++i) {
        flags_[i] = static_cast<std::uint8_t>(flags_[i] & ~(kNodeDirtyFlags | kNodeNew));
    }
}

void SceneGraph::compute_transform(std::uint32_t position) {
    ++stat_.transforms_computed;
    const Transform& local = local_[position];
    const std::uint32_t above = parent_[position];
    const Transform old = world_[position];
    Transform& world = world_[position];
    if ((flags_[position] & (kNodeScale | kNodeRotation)) != 0) {
        world = above == kNowhere ? local : compose(world_[above], local);
        model_[position] = to_affine(world);
    } else {
        world.position =
            above == kNowhere ? local.position : transform_point(world_[above], local.position);
        model_[position][3] = world.position;
    }
    if ((flags_[position] & kNodeNew) != 0 || !(world == old)) {
        moved_slots_.set(id_[position].index);
    }
    world_box_[position] = transform_box(model_[position], local_box_[position]);
    bounds_dirty_.set(position);
}

/// Children stand behind their parent, so a scan from the end meets every child first.
void SceneGraph::update_bounds() {
    std::size_t i = id_.empty() ? BitSet::kNone : bounds_dirty_.last_from_word_of(id_.size() - 1);
    while (i != BitSet::kNone) {
        bounds_dirty_.clear(i);
        const auto position = static_cast<std::uint32_t>(i);
        if (compute_bounds(position) && parent_[position] != kNowhere) {
            bounds_dirty_.set(parent_[position]);
        }
        i = bounds_dirty_.last_from_word_of(i);
    }
}

/// Returns whether the bounds changed.
bool SceneGraph::compute_bounds(std::uint32_t position) {
    ++stat_.bounds_computed;
    Aabb box = world_box_[position];
    for (std::uint32_t c = position + 1; c < end_[position]; c = end_[c]) {
        if ((flags_[c] & kNodeDead) == 0) {
            box = merge(box, subtree_box_[c]);
        }
    }
    const Aabb& old = subtree_box_[position];
    if (box.min == old.min && box.max == old.max) {
        return false;
    }
    subtree_box_[position] = box;
    Sphere sphere = sphere_around(box);
    if (!is_empty(sphere)) {
        // A little too large, so that rounding cannot make the sphere test cull what the box test
        // keeps: both then give one answer.
        const Vec3 size = glm::abs(sphere.centre);
        sphere.radius += 2e-6F * (size.x + size.y + size.z + sphere.radius);
    }
    subtree_sphere_[position] = sphere;
    return true;
}

void SceneGraph::report_moved() {
    moved_.clear();
    for (std::size_t i = moved_slots_.first_from(0); i != BitSet::kNone;
         i = moved_slots_.first_from(i)) {
        moved_slots_.clear(i);
        moved_.push_back(id_of(static_cast<std::uint32_t>(i)));
    }
}

}  // namespace terrane
