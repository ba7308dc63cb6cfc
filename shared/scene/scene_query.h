// One question, one answer, over everything that is solid: terrain, props, bodies and players.
//
//   raycast_closest, _any, _all    a ray
//   sweep_closest, _any, _all      a sphere, capsule or turned box that moves along a way
//   overlap_any, _all, _closest    the same shapes at rest; a frustum (objects only: some terrain
//                                  is in every view)
//
// The trees find candidates by their boxes (shared/bvh), the exact shape decides (solid.h), and the
// terrain answers by its own walk (shared/terrain). A filter leaves categories, one object or what
// its test refuses out. Hits come ascending by t, then by category and id; the terrain is one hit
// at most, its first or deepest. Answers are what asking every solid in turn gives.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shared/scene/scene_objects.h"
#include "shared/shape/query_shape.h"
#include "shared/terrain/terrain.h"

namespace terrane {

/// What is asked. Either part may be missing.
struct SceneView {
    Terrain* terrain = nullptr;  ///< makes colliders that it needs
    const SceneObjects* objects = nullptr;
};

struct SceneFilter {
    SceneCategories categories = kAllCategories;
    SceneSlot ignore = kNoSceneSlot;                  ///< e.g. who asks
    CallRef<bool(const SceneObject& object)> test{};  ///< must outlive the query; not of terrain
};

struct SceneHit {
    SceneCategory category = SceneCategory::terrain;
    std::uint64_t id = 0;           ///< of an object
    SceneSlot slot = kNoSceneSlot;  ///< of an object
    float t = 0.0F;                 ///< in lengths of the ray's direction or of the way
    Vec3 point{0.0F};               ///< of the surface
    Vec3 normal{0.0F, 1.0F, 0.0F};  ///< unit, out of what is hit
    MaterialId material = kAir;     ///< of terrain
};

/// What a shape at rest meets.
struct SceneOverlap {
    SceneCategory category = SceneCategory::terrain;
    std::uint64_t id = 0;
    SceneSlot slot = kNoSceneSlot;
    /// From the shape's centre; 0: the centre is inside. Of a frustum: from its near plane's side,
    /// not measured, 0.
    float distance_m = 0.0F;
    Vec3 point{0.0F};            ///< of what is met, nearest to the centre; terrain: the deepest
    MaterialId material = kAir;  ///< of terrain
};

std::optional<SceneHit> raycast_closest(const SceneView& view, const Ray& ray,
                                        const SceneFilter& filter = {});
bool raycast_any(const SceneView& view, const Ray& ray, const SceneFilter& filter = {});
/// Appends.
void raycast_all(const SceneView& view, const Ray& ray, std::vector<SceneHit>& hits,
                 const SceneFilter& filter = {});

/// `shape` must be valid (query_shape.h).
std::optional<SceneHit> sweep_closest(const SceneView& view, const QueryShape& shape,
                                      const Vec3& way, const SceneFilter& filter = {});
bool sweep_any(const SceneView& view, const QueryShape& shape, const Vec3& way,
               const SceneFilter& filter = {});
/// Appends.
void sweep_all(const SceneView& view, const QueryShape& shape, const Vec3& way,
               std::vector<SceneHit>& hits, const SceneFilter& filter = {});

bool overlap_any(const SceneView& view, const QueryShape& shape, const SceneFilter& filter = {});
bool overlap_any(const SceneView& view, const Frustum& frustum, const SceneFilter& filter = {});
/// Appends, ascending by category and id.
void overlap_all(const SceneView& view, const QueryShape& shape, std::vector<SceneOverlap>& found,
                 const SceneFilter& filter = {});
void overlap_all(const SceneView& view, const Frustum& frustum, std::vector<SceneOverlap>& found,
                 const SceneFilter& filter = {});
/// Of what the shape meets, the nearest to its centre; terrain counts by its deepest point.
std::optional<SceneOverlap> overlap_closest(const SceneView& view, const QueryShape& shape,
                                            const SceneFilter& filter = {});

}  // namespace terrane
