#include "server/app/first_bodies.h"

#include <array>

#include "shared/core/log.h"
#include "shared/core/random.h"

namespace terrane {
namespace {

constexpr std::int32_t kWaterSearchM = 256;
constexpr std::int32_t kWaterStepM = 4;
constexpr std::int32_t kWaterDepthM = 2;
constexpr std::int32_t kSpreadOnLandM = 14;
constexpr std::int32_t kSpreadOnWaterM = 8;

/// Over column (x, z), what is about an axis lying along z.
BodyState state_at(const World& world, std::uint32_t kind, std::int32_t x, std::int32_t z) {
    BodyState state;
    state.position = ground_position(world, x, z);
    state.position.y += world.config.kinds[kind].half_extents.y + 0.4F;
    const BodyShape shape = world.config.kinds[kind].shape;
    if (shape == BodyShape::cylinder || shape == BodyShape::capsule) {
        constexpr float kHalf = 0.70710678F;
        state.rotation = Quat(kHalf, kHalf, 0.0F, 0.0F);
    }
    return state;
}

/// At most `spread` from column (x, z), beside what lies there already: nothing on top of a boat.
void place(World& world, std::uint32_t kind, std::int32_t x, std::int32_t z, std::int32_t spread,
           Random& random) {
    constexpr int kTries = 16;
    constexpr float kAroundM = 0.3F;
    const float reach = glm::length(local_box(world.config.kinds[kind]).max) + kAroundM;
    BodyState state;
    for (int i = 0; i < kTries; ++i) {
        const std::int32_t dx = random.between(-spread, spread);
        const std::int32_t dz = random.between(-spread, spread);
        state = state_at(world, kind, x + dx, z + dz);
        if (!world.physics.overlaps_body(grow(Aabb{state.position, state.position}, reach))) {
            break;
        }
    }
    if (add_body(world, 0, kind, state) == nullptr) {
        log_warn("spawn: a {} did not fit under physics.bodies_max", world.config.kinds[kind].name);
    }
}

bool is_deep_water(const ZoneConfig& config, std::int32_t x, std::int32_t z) {
    return ground_height_m(config.generator, x, z) <= config.generator.sea_level_m - kWaterDepthM;
}

}  // namespace

std::optional<VoxelCoord> find_water(const ZoneConfig& config) {
    const VoxelBox bounds = voxel_box(config.bounds);
    for (std::int32_t ring = 0; ring <= kWaterSearchM; ring += kWaterStepM) {
        for (std::int32_t a = -ring; a <= ring; a += kWaterStepM) {
            const std::array<std::array<std::int32_t, 2>, 4> edges{
                {{a, -ring}, {a, ring}, {-ring, a}, {ring, a}}};
            for (const auto& [dx, dz] : edges) {
                const std::int32_t x = config.spawn.x_m + dx;
                const std::int32_t z = config.spawn.z_m + dz;
                const VoxelCoord column{x, config.generator.sea_level_m, z};
                if (contains(bounds, column) && is_deep_water(config, x, z) &&
                    is_deep_water(config, x + kWaterStepM, z) &&
                    is_deep_water(config, x - kWaterStepM, z) &&
                    is_deep_water(config, x, z + kWaterStepM) &&
                    is_deep_water(config, x, z - kWaterStepM)) {
                    return column;
                }
            }
        }
    }
    return std::nullopt;
}

void place_first_bodies(World& world, const ZoneConfig& config,
                        const std::function<void(std::int32_t x, std::int32_t z)>& load_area) {
    const std::optional<VoxelCoord> water = find_water(config);
    load_area(config.spawn.x_m, config.spawn.z_m);
    if (water) {
        load_area(water->x, water->z);
    }
    Random random(mix_bits(config.generator.seed + 1));
    for (std::uint32_t kind = 1; kind < config.first_counts.size(); ++kind) {
        const bool floats =
            hull_density_kg_m3(config.kinds[kind]) < config.physics.water_density_kg_m3;
        const bool is_boat = floats && !config.kinds[kind].seats.empty();
        for (std::uint32_t i = 0; i < config.first_counts[kind]; ++i) {
            const bool on_water = water && (is_boat || (floats && i % 2 == 1));
            const std::int32_t spread = on_water ? kSpreadOnWaterM : kSpreadOnLandM;
            const std::int32_t x = on_water ? water->x : config.spawn.x_m;
            const std::int32_t z = on_water ? water->z : config.spawn.z_m;
            place(world, kind, x, z, spread, random);
        }
    }
}

}  // namespace terrane
