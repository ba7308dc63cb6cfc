#include "client-stub/viewer/script.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

namespace terrane {

namespace {

constexpr double kSecondsMax = 86'400.0;
constexpr double kRadiusMax = 4.0;

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    line = line.substr(0, line.find('#'));
    constexpr std::string_view kSpaces = " \t\r";
    for (std::size_t at = line.find_first_not_of(kSpaces); at != std::string_view::npos;
         at = line.find_first_not_of(kSpaces, at)) {
        const std::size_t end = std::min(line.find_first_of(kSpaces, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

/// One line's words, read from the left; errors name what was expected.
class LineReader {
  public:
    LineReader(std::string place, std::vector<std::string_view> words)
        : place_(std::move(place)), words_(std::move(words)) {}

    bool has_more() const { return next_ < words_.size(); }

    Result<double> number(std::string_view what, double low, double high) {
        if (!has_more()) {
            return fail("{}: {} is missing", place_, what);
        }
        const std::string_view word = words_[next_++];
        double value = 0.0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
            return fail("{}: '{}' is no number: {} was expected", place_, word, what);
        }
        if (value < low || value > high) {
            return fail("{}: {} is {}: it must be {} to {}", place_, what, word, low, high);
        }
        return value;
    }

    Result<std::string> word(std::string_view what) {
        if (!has_more()) {
            return fail("{}: {} is missing", place_, what);
        }
        return std::string(words_[next_++]);
    }

    /// What is left of the line.
    std::string rest() {
        std::string text;
        for (; next_ < words_.size(); ++next_) {
            text += text.empty() ? "" : " ";
            text += words_[next_];
        }
        return text;
    }

    Result<void> end() const {
        return has_more()
                   ? Result<void>(fail("{}: '{}' is one word too many", place_, words_[next_]))
                   : Result<void>();
    }
    const std::string& place() const { return place_; }

  private:
    std::string place_;
    std::vector<std::string_view> words_;
    std::size_t next_ = 0;
};

std::optional<ScriptDirection> direction_of(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, ScriptDirection>, 6> kDirections{
        {{"forward", ScriptDirection::forward},
         {"back", ScriptDirection::back},
         {"left", ScriptDirection::left},
         {"right", ScriptDirection::right},
         {"up", ScriptDirection::up},
         {"down", ScriptDirection::down}}};
    const auto* found =
        std::ranges::find(kDirections, word, &std::pair<std::string_view, ScriptDirection>::first);
    return found == kDirections.end() ? std::nullopt : std::optional(found->second);
}

Result<void> read_move(LineReader& line, ScriptAction& action) {
    const auto word = line.word("a direction");
    if (!word) {
        return std::unexpected(word.error());
    }
    const auto direction = direction_of(*word);
    if (!direction) {
        return fail("{}: unknown direction '{}': forward, back, left, right, up or down",
                    line.place(), *word);
    }
    const auto seconds = line.number("how many seconds", 0.0, kSecondsMax);
    if (!seconds) {
        return std::unexpected(seconds.error());
    }
    action.verb = ScriptVerb::move;
    action.direction = *direction;
    action.seconds = *seconds;
    return {};
}

Result<void> read_look(LineReader& line, ScriptAction& action) {
    const auto yaw = line.number("yaw in degrees", -3600.0, 3600.0);
    if (!yaw) {
        return std::unexpected(yaw.error());
    }
    const auto pitch = line.number("pitch in degrees", -90.0, 90.0);
    if (!pitch) {
        return std::unexpected(pitch.error());
    }
    action.verb = ScriptVerb::look;
    action.yaw_deg = static_cast<float>(*yaw);
    action.pitch_deg = static_cast<float>(*pitch);
    return {};
}

Result<void> read_edit(LineReader& line, ScriptVerb verb, ScriptAction& action) {
    action.verb = verb;
    if (verb == ScriptVerb::place) {
        auto material = line.word("a material");
        if (!material) {
            return std::unexpected(material.error());
        }
        action.text = std::move(*material);
    }
    if (line.has_more()) {
        const auto radius = line.number("radius in voxels", 0.5, kRadiusMax);
        if (!radius) {
            return std::unexpected(radius.error());
        }
        action.radius = static_cast<float>(*radius);
    }
    return {};
}

Result<void> read_verb(LineReader& line, ScriptAction& action) {
    const auto verb = line.word("an action");
    if (!verb) {
        return std::unexpected(verb.error());
    }
    if (*verb == "move" || *verb == "run") {
        action.is_running = *verb == "run";
        return read_move(line, action);
    }
    if (*verb == "look") {
        return read_look(line, action);
    }
    if (*verb == "dig" || *verb == "place") {
        return read_edit(line, *verb == "dig" ? ScriptVerb::dig : ScriptVerb::place, action);
    }
    if (*verb == "wait") {
        const auto seconds = line.number("how many seconds", 0.0, kSecondsMax);
        if (!seconds) {
            return std::unexpected(seconds.error());
        }
        action.seconds = *seconds;
        return {};
    }
    if (*verb == "screenshot") {
        auto file = line.word("a file");
        if (!file) {
            return std::unexpected(file.error());
        }
        action.verb = ScriptVerb::screenshot;
        action.text = std::move(*file);
        return {};
    }
    if (*verb == "use") {
        action.verb = ScriptVerb::use;
        return {};
    }
    if (*verb == "say") {
        action.verb = ScriptVerb::say;
        action.text = line.rest();
        return action.text.empty() ? Result<void>(fail("{}: what to say is missing", line.place()))
                                   : Result<void>();
    }
    return fail(
        "{}: unknown action '{}': move, run, look, dig, place, use, say, wait or screenshot",
        line.place(), *verb);
}

}  // namespace

Result<Script> parse_script(std::string_view name, std::string_view text) {
    Script script;
    std::size_t line_number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        auto words = words_of(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line_number;
        if (words.empty()) {
            continue;
        }
        LineReader line(fmt::format("{}:{}", name, line_number), std::move(words));
        ScriptAction action;
        const auto at = line.number("a time in seconds", 0.0, kSecondsMax);
        if (!at) {
            return std::unexpected(at.error());
        }
        action.at_s = *at;
        action.line = line_number;
        if (!script.actions.empty() && action.at_s < script.actions.back().at_s) {
            return fail("{}: time {} is before {}, the line above's", line.place(), action.at_s,
                        script.actions.back().at_s);
        }
        if (auto read = read_verb(line, action); !read) {
            return std::unexpected(read.error());
        }
        if (auto ended = line.end(); !ended) {
            return std::unexpected(ended.error());
        }
        script.end_s = std::max(script.end_s, action.at_s + action.seconds);
        script.actions.push_back(std::move(action));
    }
    return script;
}

Result<Script> read_script(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return fail("cannot read {}: {}", path, std::strerror(errno));
    }
    // One byte more than allowed is enough to know: some files never end.
    std::string text(kScriptBytesMax + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) {
        return fail("cannot read {}: {}", path, std::strerror(errno));
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kScriptBytesMax) {
        return fail("{}: a script may be {} bytes long at most", path, kScriptBytesMax);
    }
    return parse_script(path, text);
}

std::vector<ScriptAction> ScriptPlayer::take_due(double now_s) {
    std::vector<ScriptAction> due;
    for (; next_ < script_.actions.size() && script_.actions[next_].at_s <= now_s; ++next_) {
        due.push_back(script_.actions[next_]);
    }
    return due;
}

std::vector<ScriptAction> ScriptPlayer::moves_at(double now_s) const {
    std::vector<ScriptAction> moves;
    for (const ScriptAction& action : script_.actions) {
        if (action.verb == ScriptVerb::move && action.at_s <= now_s &&
            now_s < action.at_s + action.seconds) {
            moves.push_back(action);
        }
    }
    return moves;
}

}  // namespace terrane
