#include "tests/bench/brick_queries.h"

namespace terrane::bench {
namespace {

template <typename Visit>
void for_each_third(const TerrainScene& scene, Visit visit) {
    for (int round = 0; round < 4; ++round) {
        for (std::size_t i = 0; i < scene.surfaces.size(); i += 3) {
            visit(i);
        }
    }
}

}  // namespace

std::shared_ptr<std::vector<BoxQuery>> make_boxes(const TerrainScene& scene) {
    auto queries = std::make_shared<std::vector<BoxQuery>>();
    Random random(3);
    for_each_third(scene, [&](std::size_t i) {
        const std::vector<Vec3>& positions = scene.surfaces[i].mesh.positions;
        const Vec3 at = positions[random.below(static_cast<std::uint32_t>(positions.size()))];
        const Vec3 half{random.range(0.5F, 1.5F), random.range(0.5F, 1.5F),
                        random.range(0.5F, 1.5F)};
        queries->push_back({i, {at - half, at + half}});
    });
    return queries;
}

std::shared_ptr<std::vector<RayQuery>> make_rays(const TerrainScene& scene) {
    auto queries = std::make_shared<std::vector<RayQuery>>();
    Random random(4);
    const auto around = [&random] {
        const auto part = [&random] { return random.range(-1.0F, 1.0F); };
        return Vec3(part(), part(), part());
    };
    for_each_third(scene, [&](std::size_t i) {
        const Vec3 way = glm::normalize(around() + Vec3(1e-3F));
        const Vec3 middle = Vec3(4.0F) + 4.0F * around();
        queries->push_back({i, middle - 8.0F * way, middle + 8.0F * way});
    });
    return queries;
}

}  // namespace terrane::bench
