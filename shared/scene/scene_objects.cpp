#include "shared/scene/scene_objects.h"

#include <algorithm>

#include "shared/core/assert.h"

namespace terrane {

std::uint32_t SceneObjects::Table::put(const SceneObject& object) {
    if (holes.empty()) {
        objects.push_back(object);
        return static_cast<std::uint32_t>(objects.size() - 1);
    }
    const std::uint32_t index = holes.back();
    holes.pop_back();
    objects[index] = object;
    return index;
}

void SceneObjects::note(SceneSlot slot) {
    const Aabb box = bounds_of(at(slot).solid);
    if ((slot & kStandingSlot) != 0) {
        props_.set(slot & ~kStandingSlot, box);
    } else {
        moving_.set(slot, box);
    }
}

SceneSlot SceneObjects::add(const SceneObject& object) {
    TERRANE_ASSERT(object.category != SceneCategory::terrain);
    const SceneSlot slot = object.category == SceneCategory::prop
                               ? standing_.put(object) | kStandingSlot
                               : loose_.put(object);
    note(slot);
    return slot;
}

void SceneObjects::move(SceneSlot slot, const Vec3& position, const Quat& rotation) {
    Solid& solid = (slot & kStandingSlot) != 0 ? standing_.objects[slot & ~kStandingSlot].solid
                                               : loose_.objects[slot].solid;
    solid.position = position;
    solid.rotation = rotation;
    note(slot);
}

void SceneObjects::replace(SceneSlot slot, const Solid& solid) {
    ((slot & kStandingSlot) != 0 ? standing_.objects[slot & ~kStandingSlot].solid
                                 : loose_.objects[slot].solid) = solid;
    note(slot);
}

void SceneObjects::remove(SceneSlot slot) {
    if ((slot & kStandingSlot) != 0) {
        standing_.holes.push_back(slot & ~kStandingSlot);
        props_.remove(slot & ~kStandingSlot);
    } else {
        loose_.holes.push_back(slot);
        moving_.remove(slot);
    }
}

void SceneObjects::commit() {
    props_.commit();
    moving_.commit();
}

std::optional<BvhBuildTask> SceneObjects::hand_out_build() {
    constexpr std::size_t kFewest = 64;
    const std::size_t changes = props_.changes_since_build();
    if (changes < std::max(kFewest, std::size_t{props_.tree().object_count} / 10)) {
        return std::nullopt;
    }
    return props_.hand_out_build();
}

std::size_t SceneObjects::object_count() const {
    return standing_.objects.size() - standing_.holes.size() + loose_.objects.size() -
           loose_.holes.size();
}

}  // namespace terrane
