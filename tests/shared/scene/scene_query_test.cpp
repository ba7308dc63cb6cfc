#include "shared/scene/scene_query.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <doctest/doctest.h>

#include "tests/shared/scene/solid_scenes.h"
#include "tests/shared/terrain/terrain_samples.h"

namespace terrane {
namespace {

bool operator==(const SceneHit& a, const SceneHit& b) {
    return std::tie(a.category, a.id, a.t, a.material) ==
               std::tie(b.category, b.id, b.t, b.material) &&
           a.point == b.point && a.normal == b.normal;
}
bool operator==(const SceneOverlap& a, const SceneOverlap& b) {
    return std::tie(a.category, a.id, a.distance_m, a.material) ==
               std::tie(b.category, b.id, b.distance_m, b.material) &&
           a.point == b.point;
}

using Key = std::pair<SceneCategory, std::uint64_t>;

/// The solids once more, as a list that is asked in turn.
struct SlowScene {
    Terrain* terrain = nullptr;
    std::map<Key, SceneObject> objects;

    template <typename Ask>
    std::vector<SceneHit> hits(const SceneFilter& filter, SceneSlot ignored_id,
                               const Ask& ask) const {
        std::vector<SceneHit> all;
        for (const auto& [key, object] : objects) {
            if (!has_category(filter.categories, object.category) || object.id == ignored_id ||
                (filter.test && !filter.test(object)) || is_empty(bounds_of(object.solid))) {
                continue;
            }
            if (const std::optional<SolidHit> hit = ask(object.solid)) {
                all.push_back({key.first, key.second, 0, hit->t, hit->point, hit->normal, kAir});
            }
        }
        return all;
    }
};

void sort_hits(std::vector<SceneHit>& hits) {
    std::ranges::sort(hits, [](const SceneHit& a, const SceneHit& b) {
        return std::tie(a.t, a.category, a.id) < std::tie(b.t, b.category, b.id);
    });
}

std::string compare_lists(const std::vector<SceneHit>& all, const std::optional<SceneHit>& first,
                          bool is_any, std::vector<SceneHit> slow) {
    sort_hits(slow);
    if (!std::ranges::equal(all, slow, [](auto& a, auto& b) { return a == b; })) {
        return fmt::format("all: {} instead of {}", all.size(), slow.size());
    }
    if (first.has_value() == slow.empty() || (first && !(*first == slow.front()))) {
        return "closest";
    }
    return is_any == !slow.empty() ? "" : "any";
}

struct Asked {
    SceneView view;
    SceneFilter filter;
    std::uint64_t ignored_id = ~0ULL;
};

std::string compare_ray(const Asked& asked, const SlowScene& slow, const Ray& ray) {
    std::vector<SceneHit> wanted = slow.hits(asked.filter, static_cast<SceneSlot>(asked.ignored_id),
                                             [&](const Solid& s) { return raycast(s, ray); });
    if (asked.view.terrain != nullptr &&
        has_category(asked.filter.categories, SceneCategory::terrain)) {
        if (const auto hit = slow.terrain->raycast(ray)) {
            wanted.push_back({SceneCategory::terrain, 0, kNoSceneSlot, hit->t,
                              point_at(ray, hit->t), hit->normal, hit->material});
        }
    }
    std::vector<SceneHit> all;
    raycast_all(asked.view, ray, all, asked.filter);
    return compare_lists(all, raycast_closest(asked.view, ray, asked.filter),
                         raycast_any(asked.view, ray, asked.filter), wanted);
}

std::string compare_sweep(const Asked& asked, const SlowScene& slow, const QueryShape& shape,
                          const Vec3& way) {
    const SolidSweep moving(shape, way);
    std::vector<SceneHit> wanted = slow.hits(asked.filter, static_cast<SceneSlot>(asked.ignored_id),
                                             [&](const Solid& s) { return sweep(s, moving); });
    if (asked.view.terrain != nullptr &&
        has_category(asked.filter.categories, SceneCategory::terrain)) {
        if (const auto hit = slow.terrain->sweep(shape, way)) {
            wanted.push_back({SceneCategory::terrain, 0, kNoSceneSlot, hit->t, hit->point,
                              hit->normal, hit->material});
        }
    }
    std::vector<SceneHit> all;
    sweep_all(asked.view, shape, way, all, asked.filter);
    return compare_lists(all, sweep_closest(asked.view, shape, way, asked.filter),
                         sweep_any(asked.view, shape, way, asked.filter), wanted);
}

std::string compare_overlap(const Asked& asked, const SlowScene& slow, const QueryShape& shape) {
    const ConvexCore core = core_of(shape);
    std::vector<SceneOverlap> wanted;
    for (const SceneHit& met :
         slow.hits(asked.filter, static_cast<SceneSlot>(asked.ignored_id), [&](const Solid& s) {
             return overlaps(s, core) ? std::optional(SolidHit{}) : std::nullopt;
         })) {
        const SolidNearest nearest =
            nearest_to(slow.objects.at({met.category, met.id}).solid, shape.centre);
        wanted.push_back({met.category, met.id, 0, nearest.distance_m, nearest.point, kAir});
    }
    if (asked.view.terrain != nullptr &&
        has_category(asked.filter.categories, SceneCategory::terrain)) {
        if (const auto touch = slow.terrain->deepest_overlap(shape)) {
            wanted.insert(wanted.begin(), {SceneCategory::terrain, 0, kNoSceneSlot,
                                           glm::length(touch->point - shape.centre), touch->point,
                                           touch->material});
        }
    }
    std::vector<SceneOverlap> all;
    overlap_all(asked.view, shape, all, asked.filter);
    if (!std::ranges::equal(all, wanted, [](auto& a, auto& b) { return a == b; })) {
        return fmt::format("overlaps: {} instead of {}", all.size(), wanted.size());
    }
    if (overlap_any(asked.view, shape, asked.filter) == wanted.empty()) {
        return "any overlap";
    }
    const auto nearest = std::ranges::min_element(wanted, {}, &SceneOverlap::distance_m);
    const std::optional<SceneOverlap> closest = overlap_closest(asked.view, shape, asked.filter);
    return closest.has_value() == !wanted.empty() && (!closest || *closest == *nearest)
               ? ""
               : "closest overlap";
}

std::string compare_frustum(const Asked& asked, const SlowScene& slow, const Frustum& frustum) {
    std::vector<std::uint64_t> wanted;
    for (const SceneHit& met :
         slow.hits(asked.filter, static_cast<SceneSlot>(asked.ignored_id), [&](const Solid& s) {
             return classify(frustum, bounds_of(s)) != Containment::outside && overlaps(s, frustum)
                        ? std::optional(SolidHit{})
                        : std::nullopt;
         })) {
        wanted.push_back(met.id);
    }
    std::vector<SceneOverlap> all;
    overlap_all(asked.view, frustum, all, asked.filter);
    if (!std::ranges::equal(all, wanted, {}, &SceneOverlap::id)) {
        return "frustum";
    }
    return overlap_any(asked.view, frustum, asked.filter) == !wanted.empty() ? "" : "any frustum";
}

/// The zone's solids: each has a key and, while it is there, a slot.
struct LiveScene {
    SceneObjects objects;
    std::map<Key, SceneSlot> slots;
};

Key random_key(Random& random) {
    const auto category = std::array{SceneCategory::prop, SceneCategory::body,
                                     SceneCategory::player}[random.below(3)];
    return {category, (static_cast<std::uint64_t>(category) << 8) + random.below(100)};
}

void put(LiveScene& live, const Key& key, const std::optional<Solid>& solid) {
    const auto at = live.slots.find(key);
    if (!solid) {
        if (at != live.slots.end()) {
            live.objects.remove(at->second);
            live.slots.erase(at);
        }
    } else if (at == live.slots.end()) {
        live.slots[key] = live.objects.add({key.first, key.second, *solid});
    } else if (solid->shape == live.objects.at(at->second).solid.shape &&
               solid->half_extents == live.objects.at(at->second).solid.half_extents) {
        live.objects.move(at->second, solid->position, solid->rotation);
    } else {
        live.objects.replace(at->second, *solid);
    }
}

Frustum random_view(Random& random) {
    const Vec3 eye = random_vec(30.0F, random);
    const Quat turn = random_rotation(random);
    Frustum frustum;
    const std::array<Vec3, 6> normals{Vec3(0.8F, 0.0F, -0.6F), Vec3(-0.8F, 0.0F, -0.6F),
                                      Vec3(0.0F, 0.8F, -0.6F), Vec3(0.0F, -0.8F, -0.6F),
                                      Vec3(0.0F, 0.0F, -1.0F), Vec3(0.0F, 0.0F, 1.0F)};
    for (std::size_t i = 0; i < 6; ++i) {
        const Vec3 normal = turn * normals[i];
        frustum.planes[i] = {normal, -glm::dot(normal, eye) + (i == 5 ? 25.0F : 0.0F)};
    }
    return frustum;
}

std::string compare_all(const SceneView& view, const LiveScene& live, const SlowScene& slow,
                        int count, Random& random) {
    const auto is_even = [](const SceneObject& object) { return object.id % 2 == 0; };
    for (int i = 0; i < count; ++i) {
        Asked asked{view, {}};
        if (i % 3 == 1) {
            asked.filter.categories = static_cast<SceneCategories>(random.below(16));
        }
        if (i % 4 == 1) {
            asked.filter.test = is_even;
        }
        if (i % 5 == 1 && !live.slots.empty()) {
            auto ignored = live.slots.begin();
            std::advance(ignored, random.below(static_cast<std::uint32_t>(live.slots.size())));
            asked.filter.ignore = ignored->second;
            asked.ignored_id = ignored->first.second;
        }
        const Vec3 from = random_vec(30.0F, random) * Vec3(1.0F, 0.3F, 1.0F);
        std::string wrong =
            compare_ray(asked, slow, {from, random_vec(1.0F, random), random.range(1.0F, 60.0F)});
        const QueryShape shape = random_shape(from, random);
        if (wrong.empty()) {
            wrong = compare_sweep(asked, slow, shape, random_vec(15.0F, random));
        }
        if (wrong.empty()) {
            QueryShape large = shape;
            (large.form == QueryForm::box ? large.half_extents.x : large.radius_m) += 6.0F;
            wrong = compare_overlap(asked, slow, i % 2 == 0 ? large : shape);
        }
        if (wrong.empty()) {
            wrong = compare_frustum(asked, slow, random_view(random));
        }
        if (!wrong.empty()) {
            return fmt::format("question {}: {}", i, wrong);
        }
    }
    return {};
}

TEST_CASE(
    "B1 scene_query: one call over terrain, props, bodies and players, as asking each in turn") {
    const VoxelGrid grid = test::rolling_grid(7);
    Terrain terrain(grid);
    test::follow(grid, terrain);
    Random random(211);
    for (const MovingPolicy policy : kMovingPolicies) {
        CAPTURE(name_of(policy));
        LiveScene live{
            SceneObjects({.props = {.builder = BvhBuilder::median, .leaf_objects_max = 2},
                          .moving = {.policy = policy}}),
            {}};
        SlowScene slow{&terrain, {}};
        const SceneView view{&terrain, &live.objects};
        REQUIRE(compare_all(view, live, slow, 5, random) == "");
        std::optional<BvhBuildTask> task;
        int swaps = 0;
        for (int tick = 0; tick < 25; ++tick) {
            for (int i = 0; i < 60; ++i) {
                const Key key = random_key(random);
                std::optional<Solid> solid = random_solid(Vec3(0.0F), 28.0F, random);
                if (random.below(5) == 0) {
                    solid.reset();
                    slow.objects.erase(key);
                } else {
                    if (random.below(40) == 0) {
                        solid->position = Vec3(NAN);
                    }
                    slow.objects[key] = {key.first, key.second, *solid};
                }
                put(live, key, solid);
            }
            REQUIRE(compare_all(view, live, slow, 4, random) == "");
            live.objects.commit();
            REQUIRE(live.objects.object_count() == slow.objects.size());
            REQUIRE(compare_all(view, live, slow, 6, random) == "");
            if (task && tick % 3 == 0) {
                CHECK(live.objects.take_build(run_build(*task)));
                task.reset();
                ++swaps;
            } else if (!task) {
                task = live.objects.hand_out_build();
            }
        }
        CHECK(swaps > 1);
        // Each part may be missing.
        REQUIRE(compare_all({&terrain, nullptr}, live, {&terrain, {}}, 4, random) == "");
        REQUIRE(compare_all({nullptr, &live.objects}, live, {nullptr, slow.objects}, 4, random) ==
                "");
    }
}

TEST_CASE("B1 scene_query: of equal places category and id decide, not slots") {
    const auto wall = [](float x) {
        return Solid{BodyShape::box, Vec3(0.5F, 3.0F, 3.0F), Vec3(x, 0.0F, 0.0F)};
    };
    for (const bool is_turned : {false, true}) {
        SceneObjects objects;
        std::vector<SceneObject> list{{SceneCategory::player, 1, wall(5.0F)},
                                      {SceneCategory::body, 9, wall(5.0F)},
                                      {SceneCategory::body, 4, wall(5.0F)},
                                      {SceneCategory::prop, 77, wall(5.0F)},
                                      {SceneCategory::prop, 70, wall(5.0F)}};
        if (is_turned) {
            std::ranges::reverse(list);
        }
        for (const SceneObject& object : list) {
            objects.add(object);
        }
        objects.commit();
        const SceneView view{nullptr, &objects};
        const Ray ray{Vec3(0.0F), Vec3(1.0F, 0.0F, 0.0F), 10.0F};
        std::vector<SceneHit> hits;
        raycast_all(view, ray, hits);
        std::vector<std::uint64_t> ids;
        for (const SceneHit& hit : hits) {
            CHECK(hit.t == 4.5F);
            CHECK(hit.normal == Vec3(-1.0F, 0.0F, 0.0F));
            ids.push_back(hit.id);
        }
        CHECK(ids == std::vector<std::uint64_t>{70, 77, 4, 9, 1});
        CHECK(raycast_closest(view, ray)->id == 70);
        const SceneFilter bodies{.categories = SceneCategory::body | SceneCategory::player};
        CHECK(raycast_closest(view, ray, bodies)->id == 4);
        const QueryShape ball = make_sphere(Vec3(0.0F), 0.25F);
        CHECK(sweep_closest(view, ball, Vec3(10.0F, 0.0F, 0.0F), bodies)->id == 4);
        CHECK(sweep_closest(view, ball, Vec3(10.0F, 0.0F, 0.0F))->t ==
              doctest::Approx(0.425).epsilon(1e-5));
        CHECK(overlap_closest(view, make_sphere(Vec3(0.0F), 4.6F))->id == 70);
        CHECK(overlap_closest(view, make_sphere(Vec3(0.0F), 4.6F))->distance_m == 4.5F);
        CHECK(!overlap_any(view, make_sphere(Vec3(0.0F), 4.4F)));
    }
}

TEST_CASE("B1 scene_query: odd questions have an answer") {
    SceneObjects objects;
    const SceneSlot crate = objects.add({SceneCategory::body, 1, Solid{}});
    const SceneView view{nullptr, &objects};
    for (const Ray& ray : {Ray{Vec3(NAN), Vec3(1.0F), 1.0F}, Ray{Vec3(0.0F), Vec3(0.0F), 1.0F},
                           Ray{Vec3(0.0F), Vec3(INFINITY), 1.0F}}) {
        CHECK(!raycast_closest(view, ray));
        CHECK(!raycast_any(view, ray));
    }
    CHECK(!sweep_closest(view, make_sphere(Vec3(3.0F), 1.0F), Vec3(NAN)));
    CHECK(sweep_any(view, make_sphere(Vec3(0.0F), 1.0F), Vec3(0.0F)));  // inside, going nowhere
    CHECK(!raycast_any(view, {Vec3(0.0F), Vec3(1.0F), 1.0F}, {.categories = 0}));
    CHECK(!raycast_any(view, {Vec3(0.0F), Vec3(1.0F), 1.0F}, {.ignore = crate}));
    CHECK(!raycast_any({}, {Vec3(0.0F), Vec3(1.0F), 1.0F}));
    objects.remove(crate);
    CHECK(!raycast_any(view, {Vec3(0.0F), Vec3(1.0F), 1.0F}));
    CHECK(objects.object_count() == 0);
}

}  // namespace
}  // namespace terrane
