// The solids that scene queries meet, and the trees over their boxes. Props stand in a static tree
// (DeferredBvh), bodies and players in a moving set (MovingSet). A solid has a slot for as long as
// it is in; its owner keeps the slot and says when the solid moves, changes and goes.
//
//   during the tick     add, move, replace, remove: answers count them at once
//   the commit point    commit(): the trees take the changes in
//   now and then        hand_out_build() -> run_build() on a worker -> take_build() on the tick
//
// No answer depends on slots, on the policies, or on when a commit or a new tree comes: results are
// ordered by t, then by category and id. (category, id) must be unique.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/bvh/deferred_bvh.h"
#include "shared/bvh/moving_set.h"
#include "shared/scene/solid.h"

namespace terrane {

/// Bits of a filter's mask. In the order of results: terrain first.
enum class SceneCategory : std::uint8_t { terrain = 1, prop = 2, body = 4, player = 8 };
using SceneCategories = std::uint8_t;
inline constexpr SceneCategories kAllCategories = 15;
constexpr SceneCategories operator|(SceneCategory a, SceneCategory b) {
    return static_cast<SceneCategories>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr SceneCategories operator|(SceneCategories a, SceneCategory b) {
    return static_cast<SceneCategories>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has_category(SceneCategories categories, SceneCategory category) {
    return (categories & static_cast<SceneCategories>(category)) != 0;
}

struct SceneObject {
    SceneCategory category = SceneCategory::body;
    std::uint64_t id = 0;  ///< the owner's, unique in its category
    Solid solid;
};

/// The highest bit says which tree.
using SceneSlot = std::uint32_t;
inline constexpr SceneSlot kStandingSlot = 1U << 31;
inline constexpr SceneSlot kNoSceneSlot = ~0U;

struct SceneObjectsConfig {
    BuildConfig props{.leaf_objects_max = 1};
    MovingSetConfig moving{};
};

/// Owner: World. Thread: tick; between changes any thread may ask.
class SceneObjects {
  public:
    explicit SceneObjects(const SceneObjectsConfig& config = {})
        : props_(config.props), moving_(config.moving) {}

    /// Props stand, bodies and players move; terrain is no object. A solid that is not finite is
    /// kept, and no query finds it.
    SceneSlot add(const SceneObject& object);
    void move(SceneSlot slot, const Vec3& position, const Quat& rotation);
    void replace(SceneSlot slot, const Solid& solid);
    void remove(SceneSlot slot);
    void commit();

    /// A build of the static tree that pays by now: a tenth of it has come or gone since the last
    /// one, and none is under way.
    std::optional<BvhBuildTask> hand_out_build();
    /// False: overtaken by another.
    bool take_build(BvhBuilt built) { return props_.take_build(std::move(built)); }

    const SceneObject& at(SceneSlot slot) const {
        return (slot & kStandingSlot) != 0 ? standing_.objects[slot & ~kStandingSlot]
                                           : loose_.objects[slot];
    }
    std::size_t object_count() const;
    const DeferredBvh& props() const { return props_; }
    const MovingSet& moving() const { return moving_; }

  private:
    struct Table {
        std::vector<SceneObject> objects;  ///< by slot; holes stay as they were
        std::vector<std::uint32_t> holes;

        std::uint32_t put(const SceneObject& object);
    };
    void note(SceneSlot slot);

    Table standing_;
    Table loose_;
    DeferredBvh props_;
    MovingSet moving_;
};

}  // namespace terrane
