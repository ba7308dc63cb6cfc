#include "server/world/state_hash.h"

#include "server/world/pieces.h"

#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace terrane {
namespace {

struct Hasher {
    std::uint64_t value = 0;

    template <typename T>
    void add(const T& data) {
        static_assert(std::is_arithmetic_v<T>);  // no padding, no pointers
        value = XXH3_64bits_withSeed(&data, sizeof(data), value);
    }
    void add(const Vec3& v) {
        add(v.x);
        add(v.y);
        add(v.z);
    }
    void add(const Quat& q) {
        add(q.x);
        add(q.y);
        add(q.z);
        add(q.w);
    }
};

}  // namespace

std::uint64_t hash_state(const World& world, bool bodies_only) {
    Hasher hasher;
    hasher.add(world.tick);
    hasher.add(world.next_entity);
    hasher.add(world.spawn_point.value_or(Vec3(0.0F)));
    hasher.add(world.spawn_point.has_value());
    hasher.add(world.daytime.tick);
    hasher.add(world.daytime.day_fraction);
    hasher.add(world.daytime.day_length_s);
    if (!bodies_only) {
        for (const ChunkCoord& coord : world.grid.sorted_coords()) {
            hasher.add(hash_value(coord));
            hasher.add(hash_chunk(*world.grid.find(coord)));
        }
    }
    for (const auto& [id, player] : world.players) {
        hasher.add(id);
        hasher.add(player.state.position);
        hasher.add(player.state.velocity);
        hasher.add(player.state.yaw);
        hasher.add(player.state.pitch);
        hasher.add(player.state.is_grounded);
        hasher.add(player.state.is_swimming);
        hasher.add(player.applied_input);
        hasher.add(player.ticks_without_input);
        hasher.add(player.state.carrier);
        hasher.add(player.state.carrier_point);
        hasher.add(player.vehicle);
        hasher.add(player.seat);
        hasher.add(player.is_using);
        hasher.add(player.controls.move_right);  // a rower's go on for a while without input
        hasher.add(player.controls.move_forward);
        hasher.add(player.controls.buttons);
        hasher.add(player.controls.yaw);
        hasher.add(player.controls.pitch);
    }
    for (const auto& [id, body] : world.bodies) {
        const BodyState state = world.physics.state(body.handle);
        hasher.add(id);
        hasher.add(body.kind);
        hasher.add(state.position);
        hasher.add(state.rotation);
        hasher.add(state.linear_velocity);
        hasher.add(state.angular_velocity);
        hasher.add(state.is_asleep);
        if (body.piece != nullptr) {
            const std::vector<std::uint8_t>& bytes = body.piece->bytes;
            hasher.add(XXH3_64bits(bytes.data(), bytes.size()));
        }
    }
    for (const LoosePieces::Pending& pending : world.loose.pending()) {
        hasher.add(hash_value(pending.box.min));
        hasher.add(hash_value(pending.box.max));
        hasher.add(pending.next_seed);
    }
    for (const auto& [coord, props] : world.props) {
        hasher.add(hash_value(coord));
        for (const StandingProp& prop : props) {
            hasher.add(prop.placement.index);
            hasher.add(prop.placement.kind);
        }
    }
    return hasher.value;
}

}  // namespace terrane
