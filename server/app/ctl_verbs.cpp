#include "server/app/ctl_verbs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "server/ops/json_text.h"
#include "shared/config/nearest_word.h"
#include "shared/core/utf8.h"
#include "shared/protocol/limits.h"
#include "shared/protocol/messages.h"

namespace terrane {
namespace {

constexpr std::uint32_t kSpawnMax = 1000;
constexpr const char* kKeepsNothing =
    "this zone keeps nothing: it was started with --ephemeral or store.enabled = false";
constexpr double kStopWaitMaxS = 86'400.0;
/// Players are told at so many seconds before a stop.
constexpr std::uint32_t kCountdownS[] = {3600, 1800, 900, 600, 300, 120, 60, 30, 10, 5, 4, 3, 2, 1};

std::string_view take_word(std::string_view& text) {
    const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
    const std::string_view word = text.substr(start, end - start);
    text.remove_prefix(end);
    return word;
}

std::string_view trim(std::string_view text) {
    const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(start);
    text.remove_suffix(text.size() - std::min(text.find_last_not_of(" \t") + 1, text.size()));
    return text;
}

std::optional<double> to_number(std::string_view word) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_whole = error == std::errc() && end == word.data() + word.size();
    return is_whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string usage_error(std::string_view usage, std::string_view what) {
    return ctl_error(2, fmt::format("{}; usage: {}", what, usage));
}

std::string join(const std::vector<std::string_view>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

/// Metres of the zone: from the first voxel to behind the last.
struct ZoneBox {
    Vec3 min;
    Vec3 max;
};

ZoneBox box_of(const GridBounds& bounds) {
    const auto to_m = [](const ChunkCoord& chunk) {
        return Vec3(static_cast<float>(chunk.x * kChunkSize),
                    static_cast<float>(chunk.y * kChunkSize),
                    static_cast<float>(chunk.z * kChunkSize));
    };
    return {to_m(bounds.min), to_m(bounds.max)};
}

/// The next three words as a place in the zone; the error says what is wrong with them.
Result<Vec3> take_place(std::string_view& words, const GridBounds& bounds) {
    const ZoneBox box = box_of(bounds);
    Vec3 place{0.0F};
    for (int axis = 0; axis < 3; ++axis) {
        const char name = "xyz"[axis];
        const std::string_view word = take_word(words);
        const std::optional<double> value = to_number(word);
        if (!value) {
            return fail("{} must be a number of metres, not '{}'", name, word);
        }
        if (*value < double{box.min[axis]} || *value >= double{box.max[axis]}) {
            return fail("{} = {} lies outside the zone, which goes from {} to {} m", name, *value,
                        box.min[axis], box.max[axis]);
        }
        place[axis] = static_cast<float>(*value);
    }
    return place;
}

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

std::string seconds_text(std::uint64_t seconds) {
    return seconds % 60 == 0 && seconds > 60 ? fmt::format("{} minutes", seconds / 60)
                                             : fmt::format("{} s", seconds);
}

}  // namespace

struct CtlVerbs::Request {
    StreamId stream = 0;
    const Verb* verb = nullptr;
    std::string_view rest;  ///< behind the verb, trimmed
};

struct CtlVerbs::Verb {
    std::string_view name;
    std::string_view usage;
    /// The answer, or nothing: it waits.
    std::optional<std::string> (CtlVerbs::*run)(const Request& request);
};

const CtlVerbs::Verb CtlVerbs::kVerbs[] = {
    {"status", "status", &CtlVerbs::status},
    {"players", "players", &CtlVerbs::players},
    {"say", "say TEXT", &CtlVerbs::say},
    {"kick", "kick NAME [REASON]", &CtlVerbs::kick},
    {"debug", "debug NAME on|off", &CtlVerbs::debug},
    {"teleport", "teleport NAME X Y Z", &CtlVerbs::teleport},
    {"spawn", "spawn KIND X Y Z [N]", &CtlVerbs::spawn},
    {"blast", "blast X Y Z RADIUS [IMPULSE]", &CtlVerbs::blast},
    {"spawnpoint", "spawnpoint X Y Z", &CtlVerbs::spawnpoint},
    {"pregen", "pregen X0 Z0 X1 Z1", &CtlVerbs::pregen},
    {"save", "save", &CtlVerbs::save},
    {"stop", "stop [--in S]", &CtlVerbs::stop},
    {"ban", "ban NAME", &CtlVerbs::later},
    {"unban", "unban NAME", &CtlVerbs::later},
    {"invite", "invite NAME", &CtlVerbs::later},
    {"backup", "backup FILE", &CtlVerbs::later},
    {"set", "set KEY VALUE", &CtlVerbs::later},
    {"trace", "trace S FILE", &CtlVerbs::later},
};

void CtlVerbs::run(const CtlRequest& request) {
    std::string_view rest = request.line;
    const std::string_view word = take_word(rest);
    const Verb* found =
        std::ranges::find_if(kVerbs, [word](const Verb& verb) { return verb.name == word; });
    if (found == std::end(kVerbs)) {
        std::vector<std::string_view> names;
        for (const Verb& verb : kVerbs) {
            if (verb.run != &CtlVerbs::later) {
                names.push_back(verb.name);
            }
        }
        parts_.answer(request.stream,
                      ctl_error(2, fmt::format("unknown verb '{}'; did you mean '{}'? There are {}",
                                               word, nearest_word(word, names), join(names))));
        return;
    }
    if (std::optional<std::string> answer =
            (this->*found->run)({request.stream, found, trim(rest)})) {
        parts_.answer(request.stream, std::move(*answer));
    }
}

void CtlVerbs::after_tick(std::uint64_t change_tick) {
    change_tick_ = change_tick;
    std::erase_if(waiting_, [this](const Waiting& waiting) {
        std::optional<std::string> outcome = outcome_of(waiting);
        if (outcome) {
            parts_.answer(waiting.stream, std::move(*outcome));
        }
        return outcome.has_value();
    });
    count_down();
}

bool CtlVerbs::is_stop_due() const {
    return stop_tick_ && parts_.zone->world().tick >= *stop_tick_;
}

void CtlVerbs::close() {
    for (const Waiting& waiting : waiting_) {
        const std::string failure = parts_.zone->failure();
        parts_.answer(
            waiting.stream,
            waiting.count == 0 && failure.empty()
                ? ctl_answer(fmt::format("{{\"saved_tick\":{}}}", parts_.zone->world().tick))
                : ctl_error(1, failure.empty() ? "the zone is stopping" : failure));
    }
    waiting_.clear();
}

std::optional<std::string> CtlVerbs::outcome_of(const Waiting& waiting) const {
    const Zone& zone = *parts_.zone;
    if (waiting.count == 0) {
        const std::uint64_t saved = zone.saved_tick();
        // Nothing changed after waiting.tick: what is durable then is all of asked_tick.
        return saved < waiting.tick
                   ? std::nullopt
                   : std::optional(ctl_answer(fmt::format("{{\"saved_tick\":{}}}",
                                                          std::max(saved, waiting.asked_tick))));
    }
    if (zone.world().tick < waiting.tick) {
        return std::nullopt;
    }
    std::uint32_t spawned = 0;
    for (const EntityId id : zone.last_step().spawned) {
        const auto body = zone.world().bodies.find(id);
        spawned += body != zone.world().bodies.end() && body->second.kind == waiting.kind ? 1U : 0U;
    }
    spawned = std::min(spawned, waiting.count);
    const std::string& kind = zone.world().config.kinds[waiting.kind].name;
    if (spawned < waiting.count) {
        return ctl_error(1, fmt::format("spawn: {} of {} {} spawned; the zone refused the others",
                                        spawned, waiting.count, kind));
    }
    return ctl_answer(fmt::format("{{\"spawned\":{},\"kind\":{}}}", spawned, quote_json(kind)));
}

std::optional<std::string> CtlVerbs::status(const Request&) {
    return ctl_answer(parts_.pages->status());
}

std::optional<std::string> CtlVerbs::players(const Request&) {
    const Sessions& sessions = parts_.zone->sessions();
    std::string list;
    for (const auto& [id, player] : parts_.zone->world().players) {
        const Vec3& at = player.state.position;
        const Session* session = sessions.find_name(player.name);
        list += fmt::format(
            "{}{{\"name\":{},\"id\":{},\"position\":[{:.2f},{:.2f},{:.2f}],\"is_seated\":{},"
            "\"ticks_without_input\":{},\"address\":{},\"view_chunks\":{},\"queued_bytes\":{}}}",
            list.empty() ? "" : ",", quote_json(player.name), id, at.x, at.y, at.z,
            player.vehicle != 0, player.ticks_without_input,
            quote_json(session == nullptr ? "" : session->address),
            session == nullptr ? 0U : session->view_chunks,
            session == nullptr ? 0U : sessions.queued_bytes(session->id));
    }
    return ctl_answer(fmt::format("{{\"players\":[{}]}}", list));
}

std::optional<std::string> CtlVerbs::say(const Request& request) {
    if (request.rest.empty()) {
        return usage_error(request.verb->usage, "say: what?");
    }
    if (request.rest.size() > kChatBytesMax || !is_plain_line(request.rest)) {
        return ctl_error(2, fmt::format("say: TEXT is at most {} bytes of UTF-8 without control "
                                        "characters",
                                        kChatBytesMax));
    }
    parts_.zone->submit(SayCommand{0, std::string(request.rest)});
    return ctl_answer(fmt::format("{{\"said\":{},\"players\":{}}}", quote_json(request.rest),
                                  parts_.zone->world().players.size()));
}

std::optional<std::string> CtlVerbs::kick(const Request& request) {
    std::string_view rest = request.rest;
    const std::string_view name = take_word(rest);
    const std::string_view given = trim(rest);
    const std::string_view reason = given.empty() ? "you were kicked by the operator" : given;
    if (name.empty()) {
        return usage_error(request.verb->usage, "kick: whom?");
    }
    if (reason.size() > kLeaveTextBytesMax || !is_plain_line(reason)) {
        return ctl_error(2, fmt::format("kick: REASON is at most {} bytes of UTF-8 without control "
                                        "characters",
                                        kLeaveTextBytesMax));
    }
    if (parts_.zone->kick(name, reason)) {
        return ctl_answer(fmt::format("{{\"kicked\":{}}}", quote_json(name)));
    }
    return ctl_error(1, "kick: " + not_here(name));
}

/// The name need not be here: a grant waits for it, since operators grant names.
std::optional<std::string> CtlVerbs::debug(const Request& request) {
    std::string_view rest = request.rest;
    const std::string_view name = take_word(rest);
    const std::string_view wish = trim(rest);
    if (!is_valid_name(name) || (wish != "on" && wish != "off")) {
        return usage_error(request.verb->usage,
                           "debug: whom, and \"on\" or \"off\": may NAME see the zone's physics?");
    }
    parts_.zone->grant_debug(name, wish == "on");
    return ctl_answer(fmt::format("{{\"debug\":{},\"is_on\":{}}}", quote_json(name), wish == "on"));
}

/// "no player 'bob' is here; did you mean 'bobby'?"
std::string CtlVerbs::not_here(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto& [id, player] : parts_.zone->world().players) {
        names.push_back(player.name);
    }
    return names.empty() ? fmt::format("no player '{}' is here; nobody is", name)
                         : fmt::format("no player '{}' is here; did you mean '{}'?", name,
                                       nearest_word(name, names));
}

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
    if (kind == 0 || kind >= kinds.size()) {
        std::vector<std::string_view> names;
        for (std::size_t i = 1; i < kinds.size(); ++i) {
            names.push_back(kinds[i].name);
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
    if (!world.grid.is_loaded(chunk_of(voxel_at(blast.centre)))) {
        return ctl_error(1, fmt::format("blast: ({}, {}, {}) is not simulated: nobody is near",
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

std::optional<std::string> CtlVerbs::save(const Request& request) {
    if (!parts_.is_kept) {
        return ctl_error(1, fmt::format("save: {}", kKeepsNothing));
    }
    const Waiting saving{request.stream, change_tick_, 0, 0, parts_.zone->world().tick};
    if (std::optional<std::string> answer = outcome_of(saving)) {
        return answer;
    }
    parts_.zone->save_now();
    waiting_.push_back(saving);
    return std::nullopt;
}

std::optional<std::string> CtlVerbs::stop(const Request& request) {
    std::string_view rest = request.rest;
    std::string_view word = take_word(rest);
    double wait_s = 0.0;
    if (!word.empty()) {
        const bool is_joined = word.starts_with("--in=");
        const std::optional<double> value =
            to_number(is_joined ? word.substr(std::string_view("--in=").size()) : take_word(rest));
        if ((word != "--in" && !is_joined) || !value || *value < 0.0 || *value > kStopWaitMaxS ||
            !trim(rest).empty()) {
            return usage_error(
                request.verb->usage,
                fmt::format("stop: S must be seconds from 0 to {:.0f}", kStopWaitMaxS));
        }
        wait_s = *value;
    }
    const auto ticks = static_cast<std::uint64_t>(std::ceil(wait_s * parts_.config->tick_rate_hz));
    stop_tick_ = parts_.zone->world().tick + ticks;
    if (ticks >= parts_.config->tick_rate_hz) {
        parts_.zone->submit(
            SayCommand{0, fmt::format("The zone stops in {}.",
                                      seconds_text(ticks / parts_.config->tick_rate_hz))});
    }
    return ctl_answer(fmt::format("{{\"stops_in_s\":{}}}", wait_s));
}

std::optional<std::string> CtlVerbs::later(const Request& request) {
    return ctl_error(2, fmt::format("{}: not in this version", request.verb->name));
}

void CtlVerbs::count_down() {
    const std::uint64_t tick = parts_.zone->world().tick;
    if (!stop_tick_ || tick >= *stop_tick_) {
        return;
    }
    const std::uint64_t left = *stop_tick_ - tick;
    const std::uint64_t seconds = left / parts_.config->tick_rate_hz;
    if (left % parts_.config->tick_rate_hz == 0 &&
        std::ranges::find(kCountdownS, seconds) != std::end(kCountdownS)) {
        parts_.zone->submit(
            SayCommand{0, fmt::format("The zone stops in {}.", seconds_text(seconds))});
    }
}

}  // namespace terrane
