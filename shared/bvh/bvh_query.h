// The questions of query.h, put to the static binary tree.
#pragma once

#include "shared/bvh/bvh.h"
#include "shared/bvh/query.h"

namespace terrane {

std::optional<BvhHit> closest_hit(const Bvh& tree, const RayProbe& probe, HitTest test = {});
bool any_hit(const Bvh& tree, const RayProbe& probe, HitTest test = {});
/// Appends.
void all_hits(const Bvh& tree, const RayProbe& probe, std::vector<BvhHit>& hits, HitTest test = {});

/// `Volume`: Aabb, Sphere or Frustum.
template <typename Volume>
bool any_overlap(const Bvh& tree, const Volume& volume, ObjectTest test = {});
/// Appends, ascending.
template <typename Volume>
void all_overlaps(const Bvh& tree, const Volume& volume, std::vector<std::uint32_t>& objects,
                  ObjectTest test = {});
/// Appends as the tree meets them: for callers that sort or count by themselves.
template <typename Volume>
void all_overlaps_unordered(const Bvh& tree, const Volume& volume,
                            std::vector<std::uint32_t>& objects, ObjectTest test = {});
/// Of what `volume` meets, the object whose box is nearest to `point`.
template <typename Volume>
std::optional<BvhNearest> closest_overlap(const Bvh& tree, const Volume& volume, const Vec3& point,
                                          ObjectTest test = {});

}  // namespace terrane
