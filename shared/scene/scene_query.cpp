#include "shared/scene/scene_query.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "shared/core/assert.h"

namespace terrane {
namespace {

bool is_asked(const SceneView& view, const SceneFilter& filter, SceneSlot slot) {
    const SceneObject& object = view.objects->at(slot);
    return has_category(filter.categories, object.category) && slot != filter.ignore &&
           (!filter.test || filter.test(object));
}

bool asks_terrain(const SceneView& view, const SceneFilter& filter) {
    return view.terrain != nullptr && has_category(filter.categories, SceneCategory::terrain);
}
bool asks_props(const SceneView& view, const SceneFilter& filter) {
    return view.objects != nullptr && has_category(filter.categories, SceneCategory::prop);
}
bool asks_moving(const SceneView& view, const SceneFilter& filter) {
    return view.objects != nullptr &&
           (filter.categories & (SceneCategory::body | SceneCategory::player)) != 0;
}

bool is_before(const SceneHit& a, const SceneHit& b) {
    return std::tie(a.t, a.category, a.id) < std::tie(b.t, b.category, b.id);
}

/// A question along a way: the trees' probe, and what decides about one solid.
template <typename Exact>
struct AlongWay {
    const SceneView& view;
    const SceneFilter& filter;
    RayProbe probe;
    Exact exact;  ///< std::optional<SolidHit>(const Solid&, float limit)

    std::optional<SceneHit> ask(SceneSlot slot, float limit) const {
        if (!is_asked(view, filter, slot)) {
            return std::nullopt;
        }
        const SceneObject& object = view.objects->at(slot);
        // Places are decided before they are rounded to a float: of solids as far to a float as the
        // best one, all must be found.
        const float beyond = std::nextafter(limit, std::numeric_limits<float>::infinity());
        const std::optional<SolidHit> hit = exact(object.solid, beyond);
        if (!hit || !(hit->t <= limit)) {
            return std::nullopt;
        }
        return SceneHit{object.category, object.id, slot, hit->t, hit->point, hit->normal, kAir};
    }

    void closest(std::optional<SceneHit>& best) const {
        RayProbe shorter = probe;
        const auto look = [&](SceneSlot tree, std::uint32_t object) {
            const std::optional<SceneHit> hit = ask(object | tree, best ? best->t : probe.t_max);
            if (!hit) {
                return kNoHit;
            }
            if (!best || is_before(*hit, *best)) {
                best = hit;
            }
            return hit->t;
        };
        if (asks_props(view, filter)) {
            shorter.t_max = best ? best->t : probe.t_max;
            view.objects->props().closest_hit(
                shorter, [&](std::uint32_t object, float) { return look(kStandingSlot, object); });
        }
        if (asks_moving(view, filter)) {
            shorter.t_max = best ? best->t : probe.t_max;
            view.objects->moving().closest_hit(
                shorter, [&](std::uint32_t object, float) { return look(0, object); });
        }
    }

    bool any() const {
        const auto look = [&](SceneSlot slot) {
            const std::optional<SceneHit> hit = ask(slot, probe.t_max);
            return hit ? hit->t : kNoHit;
        };
        return (asks_props(view, filter) &&
                view.objects->props().any_hit(
                    probe,
                    [&](std::uint32_t object, float) { return look(object | kStandingSlot); })) ||
               (asks_moving(view, filter) &&
                view.objects->moving().any_hit(
                    probe, [&](std::uint32_t object, float) { return look(object); }));
    }

    void all(std::vector<SceneHit>& hits) const {
        std::vector<BvhHit> candidates;
        const auto look = [&](SceneSlot slot) {
            if (const std::optional<SceneHit> hit = ask(slot, probe.t_max)) {
                hits.push_back(*hit);
            }
            return kNoHit;
        };
        if (asks_props(view, filter)) {
            view.objects->props().all_hits(probe, candidates, [&](std::uint32_t object, float) {
                return look(object | kStandingSlot);
            });
        }
        if (asks_moving(view, filter)) {
            view.objects->moving().all_hits(
                probe, candidates, [&](std::uint32_t object, float) { return look(object); });
        }
    }
};

auto along_ray(const SceneView& view, const Ray& ray, const SceneFilter& filter) {
    const auto exact = [&ray](const Solid& solid, float limit) {
        return raycast(solid, {ray.origin, ray.direction, limit});
    };
    return AlongWay<decltype(exact)>{view, filter, probe_along(ray), exact};
}

/// `moving` must outlive the result.
auto along_sweep(const SceneView& view, const SolidSweep& moving, const QueryShape& shape,
                 const Vec3& way, const SceneFilter& filter) {
    const auto exact = [&moving](const Solid& solid, float limit) {
        return sweep(solid, moving, limit);
    };
    const Aabb box = bounds_of(shape);
    return AlongWay<decltype(exact)>{
        view, filter, probe_along({shape.centre, way, 1.0F}, half_extents(box)), exact};
}

std::optional<SceneHit> terrain_ray(const SceneView& view, const Ray& ray) {
    const std::optional<TerrainHit> hit = view.terrain->raycast(ray);
    if (!hit) {
        return std::nullopt;
    }
    return SceneHit{SceneCategory::terrain, 0,           kNoSceneSlot, hit->t,
                    point_at(ray, hit->t),  hit->normal, hit->material};
}

std::optional<SceneHit> terrain_sweep(const SceneView& view, const QueryShape& shape,
                                      const Vec3& way) {
    const std::optional<TerrainTouch> hit = view.terrain->sweep(shape, way);
    if (!hit) {
        return std::nullopt;
    }
    return SceneHit{SceneCategory::terrain, 0, kNoSceneSlot, hit->t, hit->point, hit->normal,
                    hit->material};
}

bool is_askable(const Ray& ray) {
    return is_finite(ray.origin) && is_finite(ray.direction) &&
           glm::dot(glm::dvec3(ray.direction), glm::dvec3(ray.direction)) > 0.0;
}

}  // namespace

std::optional<SceneHit> raycast_closest(const SceneView& view, const Ray& ray,
                                        const SceneFilter& filter) {
    std::optional<SceneHit> best;
    if (!is_askable(ray)) {
        return best;
    }
    // The solids first: they are cheap, and shorten the terrain's walk.
    along_ray(view, ray, filter).closest(best);
    if (asks_terrain(view, filter)) {
        const float limit = best ? best->t : ray.t_max;
        const std::optional<SceneHit> hit = terrain_ray(view, {ray.origin, ray.direction, limit});
        if (hit && (!best || is_before(*hit, *best))) {
            best = hit;
        }
    }
    return best;
}

bool raycast_any(const SceneView& view, const Ray& ray, const SceneFilter& filter) {
    return is_askable(ray) && (along_ray(view, ray, filter).any() ||
                               (asks_terrain(view, filter) && view.terrain->meets_ray(ray)));
}

void raycast_all(const SceneView& view, const Ray& ray, std::vector<SceneHit>& hits,
                 const SceneFilter& filter) {
    if (!is_askable(ray)) {
        return;
    }
    const auto from = static_cast<std::ptrdiff_t>(hits.size());
    along_ray(view, ray, filter).all(hits);
    if (asks_terrain(view, filter)) {
        if (const std::optional<SceneHit> hit = terrain_ray(view, ray)) {
            hits.push_back(*hit);
        }
    }
    std::sort(hits.begin() + from, hits.end(), is_before);
}

std::optional<SceneHit> sweep_closest(const SceneView& view, const QueryShape& shape,
                                      const Vec3& way, const SceneFilter& filter) {
    TERRANE_ASSERT(is_valid(shape));
    std::optional<SceneHit> best;
    if (!is_finite(way)) {
        return best;
    }
    if (asks_terrain(view, filter)) {
        best = terrain_sweep(view, shape, way);
    }
    const SolidSweep moving(shape, way);
    along_sweep(view, moving, shape, way, filter).closest(best);
    return best;
}

bool sweep_any(const SceneView& view, const QueryShape& shape, const Vec3& way,
               const SceneFilter& filter) {
    TERRANE_ASSERT(is_valid(shape));
    if (!is_finite(way)) {
        return false;
    }
    const SolidSweep moving(shape, way);
    return along_sweep(view, moving, shape, way, filter).any() ||
           (asks_terrain(view, filter) && view.terrain->meets_sweep(shape, way));
}

void sweep_all(const SceneView& view, const QueryShape& shape, const Vec3& way,
               std::vector<SceneHit>& hits, const SceneFilter& filter) {
    TERRANE_ASSERT(is_valid(shape));
    if (!is_finite(way)) {
        return;
    }
    const auto from = static_cast<std::ptrdiff_t>(hits.size());
    const SolidSweep moving(shape, way);
    along_sweep(view, moving, shape, way, filter).all(hits);
    if (asks_terrain(view, filter)) {
        if (const std::optional<SceneHit> hit = terrain_sweep(view, shape, way)) {
            hits.push_back(*hit);
        }
    }
    std::sort(hits.begin() + from, hits.end(), is_before);
}

namespace {

/// A question at rest: a volume for the trees, and what decides about one solid.
template <typename Volume, typename Exact>
struct AtRest {
    const SceneView& view;
    const SceneFilter& filter;
    const Volume& volume;
    Exact exact;  ///< bool(const Solid&)

    bool is_met(SceneSlot slot) const {
        return is_asked(view, filter, slot) && exact(view.objects->at(slot).solid);
    }
    bool any() const {
        return (asks_props(view, filter) &&
                view.objects->props().any_overlap(
                    volume,
                    [&](std::uint32_t object) { return is_met(object | kStandingSlot); })) ||
               (asks_moving(view, filter) &&
                view.objects->moving().any_overlap(
                    volume, [&](std::uint32_t object) { return is_met(object); }));
    }
    void all(std::vector<SceneOverlap>& found) const {
        std::vector<std::uint32_t> objects;
        const auto take = [&](SceneSlot tree) {
            for (const std::uint32_t object : objects) {
                const SceneObject& met = view.objects->at(object | tree);
                found.push_back({met.category, met.id, object | tree});
            }
            objects.clear();
        };
        if (asks_props(view, filter)) {
            view.objects->props().all_overlaps(volume, objects, [&](std::uint32_t object) {
                return is_met(object | kStandingSlot);
            });
            take(kStandingSlot);
        }
        if (asks_moving(view, filter)) {
            view.objects->moving().all_overlaps(
                volume, objects, [&](std::uint32_t object) { return is_met(object); });
            take(0);
        }
    }
};

template <typename Volume, typename Exact>
AtRest<Volume, Exact> at_rest(const SceneView& view, const SceneFilter& filter,
                              const Volume& volume, Exact exact) {
    return {view, filter, volume, exact};
}

void sort_by_id(std::vector<SceneOverlap>& found, std::size_t from) {
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(from), found.end(),
              [](const SceneOverlap& a, const SceneOverlap& b) {
                  return std::tie(a.category, a.id) < std::tie(b.category, b.id);
              });
}

}  // namespace

bool overlap_any(const SceneView& view, const QueryShape& shape, const SceneFilter& filter) {
    TERRANE_ASSERT(is_valid(shape));
    const ConvexCore core = core_of(shape);
    const Aabb box = bounds_of(shape);
    return at_rest(view, filter, box, [&](const Solid& solid) { return overlaps(solid, core); })
               .any() ||
           (asks_terrain(view, filter) && view.terrain->overlaps(shape));
}

bool overlap_any(const SceneView& view, const Frustum& frustum, const SceneFilter& filter) {
    return at_rest(view, filter, frustum,
                   [&](const Solid& solid) { return overlaps(solid, frustum); })
        .any();
}

void overlap_all(const SceneView& view, const QueryShape& shape, std::vector<SceneOverlap>& found,
                 const SceneFilter& filter) {
    TERRANE_ASSERT(is_valid(shape));
    const std::size_t from = found.size();
    const ConvexCore core = core_of(shape);
    const Aabb box = bounds_of(shape);
    at_rest(view, filter, box, [&](const Solid& solid) {
        return overlaps(solid, core);
    }).all(found);
    for (std::size_t i = from; i < found.size(); ++i) {
        const SolidNearest nearest =
            nearest_to(view.objects->at(found[i].slot).solid, shape.centre);
        found[i].distance_m = nearest.distance_m;
        found[i].point = nearest.point;
    }
    if (asks_terrain(view, filter)) {
        if (const std::optional<TerrainTouch> touch = view.terrain->deepest_overlap(shape)) {
            const Vec3 away = touch->point - shape.centre;
            found.push_back({SceneCategory::terrain, 0, kNoSceneSlot,
                             std::sqrt(glm::dot(away, away)), touch->point, touch->material});
        }
    }
    sort_by_id(found, from);
}

void overlap_all(const SceneView& view, const Frustum& frustum, std::vector<SceneOverlap>& found,
                 const SceneFilter& filter) {
    const std::size_t from = found.size();
    at_rest(view, filter, frustum, [&](const Solid& solid) {
        return overlaps(solid, frustum);
    }).all(found);
    sort_by_id(found, from);
}

std::optional<SceneOverlap> overlap_closest(const SceneView& view, const QueryShape& shape,
                                            const SceneFilter& filter) {
    std::vector<SceneOverlap> found;
    overlap_all(view, shape, found, filter);
    // Ascending by category and id already: the first of the nearest.
    const auto nearest = std::ranges::min_element(found, {}, &SceneOverlap::distance_m);
    return nearest != found.end() ? std::optional(*nearest) : std::nullopt;
}

}  // namespace terrane
