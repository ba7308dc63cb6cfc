#include "server/app/ctl_verbs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "server/app/ctl_words.h"
#include "server/ops/json_text.h"
#include "shared/config/nearest_word.h"
#include "shared/core/utf8.h"
#include "shared/protocol/limits.h"
#include "shared/protocol/messages.h"

namespace terrane {
namespace {

constexpr double kStopWaitMaxS = 86'400.0;
/// Players are told at so many seconds before a stop.
constexpr std::uint32_t kCountdownS[] = {3600, 1800, 900, 600, 300, 120, 60, 30, 10, 5, 4, 3, 2, 1};

std::string seconds_text(std::uint64_t seconds) {
    return seconds % 60 == 0 && seconds > 60 ? fmt::format("{} minutes", seconds / 60)
                                             : fmt::format("{} s", seconds);
}

}  // namespace

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
