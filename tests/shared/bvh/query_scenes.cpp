#include "tests/shared/bvh/query_scenes.h"

#include <cmath>
#include <limits>

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>

namespace terrane {
namespace {

Vec3 random_point(const Vec3& low, const Vec3& high, Random& random) {
    return {random.range(low.x, high.x), random.range(low.y, high.y), random.range(low.z, high.z)};
}

Aabb box_about(const Vec3& at, float half_least, float half_most, Random& random) {
    const Vec3 half = random_point(Vec3(half_least), Vec3(half_most), random);
    return {at - half, at + half};
}

std::vector<Aabb> scattered(std::size_t count, const Vec3& half, Random& random) {
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        boxes.push_back(box_about(random_point(-half, half, random), 0.25F, 4.0F, random));
    }
    return boxes;
}

std::vector<Aabb> lattice(std::size_t count) {
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 at(static_cast<float>(i % 8), static_cast<float>(i / 8 % 4),
                      static_cast<float>(i / 32 % 8));
        boxes.push_back({at, at + 1.0F});
    }
    return boxes;
}

std::vector<Aabb> degenerate(std::size_t count, Random& random) {
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 at =
            i % 2 == 0 ? Vec3(3.0F, 5.0F, 7.0F) : Vec3(static_cast<float>(random.between(-4, 4)));
        Vec3 size(0.0F);
        if (i % 4 == 3) {
            size[static_cast<int>(random.below(3))] = 1.0F;
        }
        boxes.push_back({at, at + size});
    }
    return boxes;
}

/// Each box within the one before; the smallest a hair.
std::vector<Aabb> nested(std::size_t count) {
    std::vector<Aabb> boxes;
    float half = 64.0F;
    for (std::size_t i = 0; i < count; ++i) {
        boxes.push_back({Vec3(-half), Vec3(half) + 0.1F * half});
        half *= 0.97F;
    }
    return boxes;
}

}  // namespace

QueryScene flat_scene(std::size_t count, Random& random) {
    return {"flat", scattered(count, Vec3(400.0F, 6.0F, 400.0F), random)};
}

std::vector<QueryScene> query_scenes(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<QueryScene> scenes;
    scenes.push_back(flat_scene(count, random));
    scenes.push_back({"cube", scattered(count, Vec3(60.0F), random)});
    scenes.push_back({"line", scattered(count, Vec3(20000.0F, 15.0F, 15.0F), random)});
    scenes.push_back({"lattice", lattice(count)});
    scenes.push_back({"outlier", scattered(count, Vec3(50.0F, 5.0F, 50.0F), random)});
    scenes.back().boxes[count / 2] = {Vec3(90000.0F), Vec3(90001.0F)};
    scenes.push_back({"degenerate", degenerate(count, random)});
    scenes.push_back({"equal points", std::vector<Aabb>(count, {Vec3(1.0F), Vec3(1.0F)})});
    scenes.push_back({"nested", nested(count)});
    scenes.push_back({"with unusable boxes", scattered(count, Vec3(40.0F), random)});
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < count; i += 5) {
        Aabb& box = scenes.back().boxes[i];
        box = i % 3 == 0   ? Aabb{}
              : i % 3 == 1 ? Aabb{Vec3(0.0F, kNan, 0.0F), Vec3(1.0F)}
                           : Aabb{Vec3(-kInfinity), Vec3(kInfinity)};
    }
    scenes.push_back({"far away", scattered(count, Vec3(30.0F), random)});
    for (Aabb& box : scenes.back().boxes) {
        box = {box.min + Vec3(4096.0F, 0.0F, -4096.0F), box.max + Vec3(4096.0F, 0.0F, -4096.0F)};
    }
    scenes.push_back({"two", scattered(2, Vec3(3.0F), random)});
    scenes.push_back({"single", scattered(1, Vec3(3.0F), random)});
    scenes.push_back({"none", {}});
    scenes.push_back({"only empty boxes", std::vector<Aabb>(9)});
    return scenes;
}

namespace {

/// A place that questions about the scene should be near.
Aabb some_box(const std::vector<Aabb>& boxes, Random& random) {
    if (!boxes.empty()) {
        const Aabb& box = boxes[random.below(static_cast<std::uint32_t>(boxes.size()))];
        if (is_usable_box(box)) {
            return box;
        }
    }
    return {Vec3(-1.0F), Vec3(1.0F)};
}

}  // namespace

RayProbe random_probe(const std::vector<Aabb>& boxes, Random& random) {
    const Aabb from = some_box(boxes, random);
    const Aabb to = some_box(boxes, random);
    Ray ray;
    ray.origin = centre(from) + random_point(Vec3(-9.0F), Vec3(9.0F), random);
    ray.direction = centre(to) - ray.origin + random_point(Vec3(-2.0F), Vec3(2.0F), random);
    ray.t_max = random.range(0.1F, 1.6F);
    switch (random.below(8)) {
        case 0:  // along an axis, the other components 0, -0 or denormal
            ray.origin = centre(from);
            ray.direction = Vec3(0.0F, -0.0F, 1e-40F);
            ray.direction[static_cast<int>(random.below(3))] = random.below(2) == 0 ? 1.0F : -1.0F;
            ray.t_max = 200.0F;
            break;
        case 1:  // along a face
            ray.origin = {from.max.x, from.max.y, from.min.z - 3.0F};
            ray.direction = {0.0F, 0.0F, 1.0F};
            ray.t_max = 50.0F;
            break;
        case 2:  // from inside
            ray.origin = centre(from);
            break;
        case 3:  // without end
            ray.t_max = std::numeric_limits<float>::infinity();
            break;
        default:
            break;
    }
    const bool is_sweep = random.below(2) == 0;
    return probe_along(ray, is_sweep ? random_point(Vec3(0.0F), Vec3(1.5F), random) : Vec3(0.0F));
}

Aabb random_box_volume(const std::vector<Aabb>& boxes, Random& random) {
    const Aabb at = some_box(boxes, random);
    switch (random.below(12)) {
        case 0:
            return {};
        case 1:
            return {at.max, at.max};  // touches
        case 2:
            return {Vec3(-std::numeric_limits<float>::infinity()),
                    Vec3(std::numeric_limits<float>::infinity())};
        case 3:
            return box_about(centre(at), 20.0F, 300.0F, random);
        default:
            return box_about(centre(at) + random_point(Vec3(-4.0F), Vec3(4.0F), random), 0.0F, 6.0F,
                             random);
    }
}

Sphere random_sphere(const std::vector<Aabb>& boxes, Random& random) {
    const Aabb at = some_box(boxes, random);
    const Vec3 middle = centre(at) + random_point(Vec3(-6.0F), Vec3(6.0F), random);
    switch (random.below(10)) {
        case 0:
            return {middle, -1.0F};
        case 1:
            return {at.min, 0.0F};  // a corner
        case 2:
            return {middle, std::numeric_limits<float>::infinity()};
        default:
            return {middle, random.range(0.0F, 30.0F)};
    }
}

Frustum random_frustum(const std::vector<Aabb>& boxes, Random& random) {
    const Vec3 eye =
        centre(some_box(boxes, random)) + random_point(Vec3(-20.0F), Vec3(20.0F), random);
    const Vec3 to = centre(some_box(boxes, random)) + random_point(Vec3(-1.0F), Vec3(1.0F), random);
    const Mat4 view = glm::lookAt(eye, to + Vec3(0.01F, 0.0F, 0.02F), Vec3(0.0F, 1.0F, 0.0F));
    return frustum_of(glm::perspective(random.range(0.3F, 1.5F), 1.5F, 0.1F, 120.0F) * view);
}

std::vector<BvhHit> slow_hits(std::span<const Aabb> boxes, const RayProbe& probe, HitTest test) {
    std::vector<BvhHit> hits;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!is_usable_box(boxes[i])) {
            continue;
        }
        const auto object = static_cast<std::uint32_t>(i);
        float t = enter_box(probe, boxes[i], probe.t_max);
        t = t != kNoHit && test ? test(object, t) : t;
        if (t != kNoHit && t <= probe.t_max) {
            hits.push_back({object, t});
        }
    }
    return hits;
}

std::optional<BvhHit> slow_closest(std::span<const Aabb> boxes, const RayProbe& probe,
                                   HitTest test) {
    std::optional<BvhHit> best;
    for (const BvhHit& hit : slow_hits(boxes, probe, test)) {
        best = !best || hit.t < best->t ? hit : *best;
    }
    return best;
}

}  // namespace terrane
