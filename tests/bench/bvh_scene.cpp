#include "tests/bench/bvh_scene.h"

#include <algorithm>
#include <cmath>

namespace terrane::bench {
namespace {

constexpr float kHalfLeast = 0.25F;
constexpr float kHalfMost = 4.0F;

Vec3 point_in(const Vec3& low, const Vec3& high, Random& random) {
    return {random.range(low.x, high.x), random.range(low.y, high.y), random.range(low.z, high.z)};
}

Aabb box_at(const Vec3& at, Random& random) {
    const Vec3 half = point_in(Vec3(kHalfLeast), Vec3(kHalfMost), random);
    return {at - half, at + half};
}

Vec3 direction(Random& random) {
    while (true) {
        const Vec3 way = point_in(Vec3(-1.0F), Vec3(1.0F), random);
        const float squared = glm::dot(way, way);
        if (squared <= 1.0F && squared > 0.01F) {
            return way / std::sqrt(squared);
        }
    }
}

const Aabb& any_of(const std::vector<Aabb>& boxes, Random& random) {
    return boxes[random.below(static_cast<std::uint32_t>(boxes.size()))];
}

}  // namespace

std::vector<Aabb> flat_world(std::size_t count) {
    Random random(11);
    const float side = 2048.0F * std::sqrt(static_cast<float>(count) / 10'000.0F);
    const auto place = [&] {
        const float x = random.range(-0.5F * side, 0.5F * side);
        const float z = random.range(-0.5F * side, 0.5F * side);
        return Vec3(x, 0.0F, z);
    };
    const auto ground = [](const Vec3& at) {
        return 50.0F + 35.0F * std::sin(at.x * 0.011F) + 15.0F * std::sin(at.z * 0.023F);
    };
    std::vector<Vec3> settlements;
    settlements.reserve(count / 200 + 1);
    for (std::size_t i = 0; i < count / 200 + 1; ++i) {
        settlements.push_back(place());
    }
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        Vec3 at = place();
        if (random.below(10) < 7) {
            at = settlements[random.below(static_cast<std::uint32_t>(settlements.size()))] +
                 point_in(Vec3(-60.0F, 0.0F, -60.0F), Vec3(60.0F, 0.0F, 60.0F), random);
        }
        at.y = ground(at) + random.range(0.0F, 8.0F);
        boxes.push_back(box_at(at, random));
    }
    return boxes;
}

std::vector<Aabb> cube_world(std::size_t count) {
    Random random(12);
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        boxes.push_back(box_at(point_in(Vec3(-160.0F), Vec3(160.0F), random), random));
    }
    return boxes;
}

std::vector<Aabb> line_world(std::size_t count) {
    Random random(13);
    const Vec3 half(20'000.0F, 15.0F, 15.0F);
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        boxes.push_back(box_at(point_in(-half, half, random), random));
    }
    return boxes;
}

std::vector<Aabb> lattice_world(std::size_t count) {
    Random random(14);
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 at(random.between(0, 63), random.between(0, 15), random.between(0, 63));
        boxes.push_back({at, at + 1.0F});
    }
    return boxes;
}

std::vector<Aabb> outlier_world(std::size_t count) {
    std::vector<Aabb> boxes = flat_world(count);
    boxes[count / 3] = {Vec3(100'000.0F), Vec3(100'001.0F)};
    return boxes;
}

std::vector<Ray> random_rays(const std::vector<Aabb>& boxes, std::size_t count) {
    Random random(15);
    std::vector<Ray> rays;
    rays.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 from = centre(any_of(boxes, random)) +
                          point_in(Vec3(-40.0F, 2.0F, -40.0F), Vec3(40.0F, 30.0F, 40.0F), random);
        rays.push_back({from, direction(random), random.range(10.0F, 150.0F)});
    }
    return rays;
}

std::vector<Ray> coherent_rays(const std::vector<Aabb>& boxes, std::size_t count) {
    Random random(16);
    std::vector<Ray> rays;
    while (rays.size() < count) {
        const Vec3 eye = centre(any_of(boxes, random)) + Vec3(0.0F, 12.0F, 0.0F);
        const Vec3 way = direction(random) * Vec3(1.0F, 0.3F, 1.0F);
        for (int i = 0; i < 256; ++i) {
            const Vec3 aside = point_in(Vec3(-0.25F), Vec3(0.25F), random);
            rays.push_back({eye, glm::normalize(way + aside), 150.0F});
        }
    }
    rays.resize(count);
    return rays;
}

std::vector<Aabb> query_cubes(const std::vector<Aabb>& boxes, float side_m, std::size_t count) {
    Random random(17);
    std::vector<Aabb> cubes;
    cubes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 at = centre(any_of(boxes, random)) + point_in(Vec3(-8.0F), Vec3(8.0F), random);
        cubes.push_back({at - 0.5F * side_m, at + 0.5F * side_m});
    }
    return cubes;
}

std::vector<std::vector<Aabb>> moving_boxes(const std::vector<Aabb>& boxes, std::size_t ticks) {
    constexpr float kTickS = 0.05F;
    Random random(18);
    std::vector<Vec3> velocities;
    velocities.reserve(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        velocities.push_back(direction(random) * Vec3(1.0F, 0.1F, 1.0F) * random.range(0.5F, 6.0F));
    }
    std::vector<std::vector<Aabb>> moved(ticks, boxes);
    for (std::size_t tick = 0; tick < ticks; ++tick) {
        const auto steps = static_cast<float>(std::min(tick, ticks - tick));
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const Vec3 by = velocities[i] * (kTickS * steps);
            moved[tick][i] = {boxes[i].min + by, boxes[i].max + by};
        }
    }
    return moved;
}

}  // namespace terrane::bench
