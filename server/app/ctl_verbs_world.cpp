// Verbs that change the world: they become commands of the next tick.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "server/app/ctl_words.h"
#include "server/ops/json_text.h"
#include "server/world/blast.h"

namespace terrane {
namespace {

constexpr std::uint32_t kSpawnMax = 1000;

/// Bodies side by side around `middle`, a square of them, so that none starts inside another.
std::vector<Vec3> places_around(const Vec3& middle, std::uint32_t count, const BodyKind& kind) {
    const float spacing_m =
        2.0F * std::max({kind.half_extents.x, kind.half_extents.y, kind.half_extents.z}) + 0.1F;
    const auto side = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    const float half = static_cast<float>(side - 1) * 0.5F;
    std::vector<Vec3> places;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t row = i / side;
        places.push_back(middle + spacing_m * Vec3(static_cast<float>(i % side) - half, 0.0F,
                                                   static_cast<float>(row) - half));
    }
    return places;
}

}  // namespace

std::optional<std::string> CtlVerbs::teleport(const Request& request) {
    std::string_view rest = request.rest;
    const std::string_view name = take_word(rest);
    const World& world = parts_.zone->world();
    const auto found =
        std::ranges::find_if(world.players, [&](const auto& it) { return it.second.name == name; });
    if (name.empty()) {
        return usage_error(request.verb->usage, "teleport: whom?");
    }
    const Result<Vec3> place = take_place(rest, world.config.bounds);
    if (!place || !trim(rest).empty()) {
        return usage_error(request.verb->usage, place ? "teleport: three numbers are enough"
                                                      : "teleport: " + place.error().message);
    }
    if (found == world.players.end()) {
        return ctl_error(1, "teleport: " + not_here(name));
    }
    parts_.zone->submit(TeleportCommand{found->first, *place});
    return ctl_answer(fmt::format("{{\"teleported\":{},\"to\":[{},{},{}]}}", quote_json(name),
                                  place->x, place->y, place->z));
}

std::optional<std::string> CtlVerbs::spawn(const Request& request) {
    const World& world = parts_.zone->world();
    const BodyKindTable& kinds = world.config.kinds;
    std::string_view rest = request.rest;
    const std::string kind_name(take_word(rest));
    const std::uint32_t kind = find_kind(kinds, kind_name);
    if (kind_name.empty()) {
        return usage_error(request.verb->usage, "spawn: what?");
    }
    const bool is_known = kind != 0 && kind < kinds.size() && kind != world.piece_kind;
    if (!is_known) {
        std::vector<std::string_view> names;
        for (std::size_t i = 1; i < kinds.size(); ++i) {
            if (i != world.piece_kind) {
                names.push_back(kinds[i].name);
            }
        }
        return ctl_error(2,
                         fmt::format("spawn: no kind '{}'; there are {}", kind_name, join(names)));
    }
    const Result<Vec3> middle = take_place(rest, world.config.bounds);
    if (!middle) {
        return usage_error(request.verb->usage, "spawn: " + middle.error().message);
    }
    const std::string_view count_word = take_word(rest);
    const double count = count_word.empty() ? 1.0 : to_number(count_word).value_or(0.0);
    if (count < 1.0 || count > kSpawnMax || count != std::floor(count) || !trim(rest).empty()) {
        return usage_error(request.verb->usage,
                           fmt::format("spawn: N must be a whole number from 1 to {}", kSpawnMax));
    }
    const auto wanted = static_cast<std::uint32_t>(count);
    const std::uint32_t bodies_max = world.config.physics.bodies_max;
    if (world.bodies.size() + wanted > bodies_max) {
        return ctl_error(1, fmt::format("spawn: the zone holds {} bodies, and physics.bodies_max "
                                        "is {}",
                                        world.bodies.size(), bodies_max));
    }
    for (const Vec3& place : places_around(*middle, wanted, kinds[kind])) {
        parts_.zone->submit(SpawnCommand{kind_name, place, kNoRotation});
    }
    waiting_.push_back({request.stream, world.tick + 1, wanted, kind, world.tick});
    return std::nullopt;
}

std::optional<std::string> CtlVerbs::spawnpoint(const Request& request) {
    std::string_view rest = request.rest;
    const Result<Vec3> place = take_place(rest, parts_.zone->world().config.bounds);
    if (!place || !trim(rest).empty()) {
        return usage_error(request.verb->usage, place ? "spawnpoint: three numbers are enough"
                                                      : "spawnpoint: " + place.error().message);
    }
    parts_.zone->submit(SpawnPointCommand{*place});
    return ctl_answer(fmt::format("{{\"spawnpoint\":[{},{},{}]}}", place->x, place->y, place->z));
}

std::optional<std::string> CtlVerbs::blast(const Request& request) {
    std::string_view rest = request.rest;
    const World& world = parts_.zone->world();
    const Result<Vec3> place = take_place(rest, world.config.bounds);
    if (!place) {
        return usage_error(request.verb->usage, "blast: " + place.error().message);
    }
    BlastCommand blast;
    blast.centre = *place;
    const std::optional<double> radius = to_number(take_word(rest));
    const std::string_view impulse_word = take_word(rest);
    const std::optional<double> impulse =
        impulse_word.empty() ? double{blast.impulse_ns} : to_number(impulse_word);
    if (!radius || *radius < 0.1 || *radius > kBrushRadiusMax || !trim(rest).empty()) {
        return usage_error(request.verb->usage,
                           fmt::format("blast: RADIUS must be 0.1 to {} m", kBrushRadiusMax));
    }
    constexpr double kImpulseMaxNs = 1.0e6;
    if (!impulse || *impulse < 0.0 || *impulse > kImpulseMaxNs) {
        return usage_error(request.verb->usage,
                           fmt::format("blast: IMPULSE must be 0 to {} N s", kImpulseMaxNs));
    }
    blast.radius_m = static_cast<float>(*radius);
    blast.impulse_ns = static_cast<float>(*impulse);
    if (!is_ground_there(world, blast)) {
        return ctl_error(
            1, fmt::format("blast: around ({}, {}, {}) not all is simulated: nobody is near",
                           place->x, place->y, place->z));
    }
    parts_.zone->submit(blast);
    return ctl_answer(fmt::format("{{\"blast\":[{},{},{}],\"radius_m\":{},\"impulse_ns\":{}}}",
                                  place->x, place->y, place->z, blast.radius_m, blast.impulse_ns));
}

std::optional<std::string> CtlVerbs::pregen(const Request& request) {
    const ZoneBox box = box_of(parts_.zone->world().config.bounds);
    std::string_view rest = request.rest;
    std::int32_t corners[4] = {};
    for (int i = 0; i < 4; ++i) {
        const std::string_view word = take_word(rest);
        const std::optional<double> value = to_number(word);
        const int axis = i % 2 == 0 ? 0 : 2;
        if (!value) {
            return usage_error(request.verb->usage,
                               fmt::format("pregen: '{}' is no number of metres", word));
        }
        if (*value < double{box.min[axis]} || *value >= double{box.max[axis]}) {
            return usage_error(
                request.verb->usage,
                fmt::format("pregen: {} = {} lies outside the zone, which goes from {} to {} m",
                            axis == 0 ? 'x' : 'z', *value, box.min[axis], box.max[axis]));
        }
        corners[i] = static_cast<std::int32_t>(std::floor(*value));
    }
    if (!trim(rest).empty()) {
        return usage_error(request.verb->usage, "pregen: four numbers are enough");
    }
    if (!parts_.is_kept) {
        return ctl_error(1, fmt::format("pregen: {}", kKeepsNothing));
    }
    const auto chunk = [](std::int32_t metres) { return chunk_of(VoxelCoord{metres, 0, 0}).x; };
    const ChunkColumns columns{
        chunk(std::min(corners[0], corners[2])), chunk(std::min(corners[1], corners[3])),
        chunk(std::max(corners[0], corners[2])), chunk(std::max(corners[1], corners[3]))};
    if (parts_.zone->is_pregen_full()) {
        return ctl_error(1, fmt::format("pregen: {} areas wait already; ask again when "
                                        "pregen_waiting in `status` is lower",
                                        kPregenAreasMax));
    }
    const std::size_t chunks = parts_.zone->pregen(columns);
    return ctl_answer(
        fmt::format("{{\"chunks\":{},\"waiting\":{}}}", chunks, parts_.zone->pregen_waiting()));
}

}  // namespace terrane
