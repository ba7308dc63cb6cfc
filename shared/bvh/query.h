// Questions that every tree of this room answers, with the same words for each:
//
//   closest_hit   the first object along a probe (ray or sweep); of equal t the lowest index
//   any_hit       is anything in the way?
//   all_hits      every object met, ascending
//   any_overlap, all_overlaps, closest_overlap   the same for a box, a sphere or a frustum
//
// The tree finds candidates by their boxes. A test may refuse a candidate (a filter) or put its
// exact shape in the place of its box (a narrow phase). Answers depend on the boxes and the test
// only, never on the tree: they are what asking every box in turn would give. Volumes follow
// shared/math: touching counts, an empty volume overlaps nothing; a frustum keeps what classify()
// does not call outside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "shared/bvh/bvh.h"
#include "shared/bvh/probe.h"
#include "shared/math/frustum.h"

namespace terrane {

/// A reference to a callable object (a lambda), which must outlive it; or nothing.
template <typename Signature>
class CallRef;

template <typename Return, typename... Args>
class CallRef<Return(Args...)> {
  public:
    CallRef() = default;

    template <typename Callable>
        requires(!std::is_same_v<std::remove_cvref_t<Callable>, CallRef> &&
                 std::is_class_v<std::remove_cvref_t<Callable>> &&
                 std::is_invocable_r_v<Return, Callable&, Args...>)
    CallRef(Callable&& callable)  // NOLINT(google-explicit-constructor): a lambda is passed as one
        : object_(const_cast<void*>(static_cast<const void*>(&callable))),
          call_([](void* object, Args... args) -> Return {
              return (*static_cast<std::remove_reference_t<Callable>*>(object))(args...);
          }) {}

    explicit operator bool() const { return call_ != nullptr; }
    Return operator()(Args... args) const { return call_(object_, args...); }

  private:
    void* object_ = nullptr;
    Return (*call_)(void*, Args...) = nullptr;
};

/// Where the probe meets the object itself, given where it enters its box: from `enter` up; kNoHit
/// for a miss or a refusal. Not asked: the box is the object.
using HitTest = CallRef<float(std::uint32_t object, float enter)>;
/// Does the object count?
using ObjectTest = CallRef<bool(std::uint32_t object)>;

struct BvhHit {
    std::uint32_t object = 0;
    float t = 0.0F;
    bool operator==(const BvhHit&) const = default;
};

struct BvhNearest {
    std::uint32_t object = 0;
    float distance_squared_m2 = 0.0F;
    bool operator==(const BvhNearest&) const = default;
};

inline bool meets(const Aabb& volume, const Aabb& box) {
    return overlaps(volume, box);
}
inline bool meets(const Sphere& volume, const Aabb& box) {
    return overlaps(volume, box);
}
inline bool meets(const Frustum& volume, const Aabb& box) {
    return classify(volume, box) != Containment::outside;
}
inline bool is_empty(const Frustum&) {
    return false;
}

/// The volume cut off where no object can be, so that infinite ones meet no empty slot.
inline Aabb within_bounds(const Aabb& volume) {
    const Vec3 far_corner{kBvhCoordinateMax};
    return intersect(volume, Aabb{-far_corner, far_corner});
}
inline Sphere within_bounds(const Sphere& volume) {
    return {volume.centre, std::min(volume.radius, 8.0F * kBvhCoordinateMax)};
}
inline Frustum within_bounds(const Frustum& volume) {
    return volume;
}

}  // namespace terrane
