#include "shared/config/config_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "shared/config/nearest_word.h"
#include "shared/core/assert.h"
#include "shared/core/utf8.h"

namespace terrane {
namespace {

constexpr std::size_t kShownBytesMax = 60;

std::string print_real(double value) {
    std::string text = fmt::format("{}", static_cast<float>(value));
    if (text.find_first_not_of("-0123456789") == std::string::npos) {
        text += ".0";
    }
    return text;
}

/// A value from outside, short enough for one line and free of control characters.
std::string show(const ConfigValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
        return *flag ? "true" : "false";
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return fmt::format("{}", *whole);
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return fmt::format("{}", *real);
    }
    const auto* text = std::get_if<std::string>(&value);
    const std::string& whole = text != nullptr ? *text : std::get<UnsupportedValue>(value).text;
    const std::string shown =
        whole.size() > kShownBytesMax ? whole.substr(0, kShownBytesMax) + "..." : whole;
    return text != nullptr ? quote_toml(shown) : shown;
}

std::string show_name(std::string_view name) {
    std::string shown(name.substr(0, kShownBytesMax));
    std::ranges::replace_if(
        shown, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return shown;
}

std::string_view name_of(ConfigType type) {
    switch (type) {
        case ConfigType::boolean:
            return "";
        case ConfigType::integer:
            return "a whole number, ";
        case ConfigType::real:
            return "a number, ";
        case ConfigType::text:
            return "a string of ";
        case ConfigType::choice:
            break;
    }
    return "";
}

/// "must be a whole number, 1..64 (Hz)"
std::string requirement(const ConfigKey& key) {
    std::string line = fmt::format("must be {}{}", name_of(key.type), key.range);
    if (key.type == ConfigType::text) {
        line += ", without control characters";
    }
    if (key.unit != "-") {
        line += fmt::format(" ({})", key.unit);
    }
    return line;
}

/// Brings a value into the form that the key stores, or nothing if it cannot be one.
bool fit_value(const ConfigKey& key, ConfigValue& value) {
    switch (key.type) {
        case ConfigType::boolean:
            return std::holds_alternative<bool>(value);
        case ConfigType::integer: {
            const auto* whole = std::get_if<std::int64_t>(&value);
            // Compared as integers: a double would round the ends of a 63-bit range.
            return whole != nullptr && *whole >= static_cast<std::int64_t>(key.min) &&
                   (key.max >= 9.2e18 || *whole <= static_cast<std::int64_t>(key.max));
        }
        case ConfigType::real: {
            if (const auto* whole = std::get_if<std::int64_t>(&value)) {
                value = static_cast<double>(*whole);
            }
            const auto* real = std::get_if<double>(&value);
            if (real == nullptr || !(std::abs(*real) < 1e30)) {  // NaN too
                return false;
            }
            // As floats, like the member: 0.1 in a file is less than 0.1F in a double.
            const auto stored = static_cast<float>(*real);
            return stored >= static_cast<float>(key.min) && stored <= static_cast<float>(key.max);
        }
        case ConfigType::text: {
            const auto* text = std::get_if<std::string>(&value);
            return text != nullptr && static_cast<double>(text->size()) <= key.max &&
                   is_plain_line(*text);
        }
        case ConfigType::choice: {
            if (const auto* whole = std::get_if<std::int64_t>(&value)) {
                value = fmt::format("{}", *whole);
            }
            const auto* word = std::get_if<std::string>(&value);
            return word != nullptr && std::ranges::find(key.choices, *word) != key.choices.end();
        }
    }
    return false;
}

/// A command line's text as the value that its key expects; text that is none stays text, so that
/// set() refuses it by the same rule as a file's.
ConfigValue parse_text(const ConfigKey& key, std::string_view text) {
    if (key.type == ConfigType::boolean && (text == "true" || text == "false")) {
        return text == "true";
    }
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    if (key.type != ConfigType::boolean && key.type != ConfigType::text) {
        std::int64_t whole = 0;
        const auto parsed = std::from_chars(begin, end, whole);
        if (parsed.ec == std::errc{} && parsed.ptr == end) {
            return whole;
        }
    }
    if (key.type == ConfigType::real || key.type == ConfigType::integer) {
        double real = 0.0;
        const auto parsed = std::from_chars(begin, end, real);
        if (parsed.ec == std::errc{} && parsed.ptr == end) {
            return real;
        }
    }
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    return std::string(text);
}

std::string_view section_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

}  // namespace

ConfigKey& ConfigTable::add(std::string name, ConfigType type, std::string unit, std::string help) {
    TERRANE_ASSERT_MSG(find(name) == nullptr, "a key is declared twice");
    ConfigKey& key = keys_.emplace_back();
    key.name = std::move(name);
    key.type = type;
    key.unit = std::move(unit);
    key.help = std::move(help);
    return key;
}

void ConfigTable::set_range(ConfigKey& key, std::int64_t min, std::int64_t max) {
    key.min = static_cast<double>(min);
    key.max = static_cast<double>(max);
    key.range = fmt::format("{}..{}", min, max);
}

void ConfigTable::finish_choice(ConfigKey& key) {
    for (std::size_t i = 0; i < key.choices.size(); ++i) {
        key.range += i == 0 ? "" : i + 1 == key.choices.size() ? " or " : ", ";
        key.range += key.choices[i];
    }
    key.default_text = key.read();
}

void ConfigTable::add_flag(std::string name, bool& target, std::string help) {
    ConfigKey& key = add(std::move(name), ConfigType::boolean, "-", std::move(help));
    key.range = "true or false";
    key.read = [&target] { return std::string(target ? "true" : "false"); };
    key.assign = [&target](const ConfigValue& value) { target = std::get<bool>(value); };
    key.default_text = key.read();
}

void ConfigTable::add_real(std::string name, float& target, float min, float max, std::string unit,
                           std::string help) {
    ConfigKey& key = add(std::move(name), ConfigType::real, std::move(unit), std::move(help));
    key.min = static_cast<double>(min);
    key.max = static_cast<double>(max);
    key.range = fmt::format("{}..{}", min, max);
    key.read = [&target] { return print_real(static_cast<double>(target)); };
    key.assign = [&target](const ConfigValue& value) {
        target = static_cast<float>(std::get<double>(value));
    };
    key.default_text = key.read();
}

void ConfigTable::add_text(std::string name, std::string& target, std::size_t bytes_max,
                           std::string help) {
    ConfigKey& key = add(std::move(name), ConfigType::text, "-", std::move(help));
    key.max = static_cast<double>(bytes_max);
    key.range = fmt::format("at most {} bytes", bytes_max);
    key.read = [&target] { return quote_toml(target); };
    key.assign = [&target](const ConfigValue& value) { target = std::get<std::string>(value); };
    key.default_text = key.read();
}

void ConfigTable::require(std::string_view name) {
    const auto key = std::ranges::find(keys_, name, &ConfigKey::name);
    TERRANE_ASSERT(key != keys_.end());
    key->is_required = true;
}

const ConfigKey* ConfigTable::find(std::string_view name) const {
    const auto key = std::ranges::find(keys_, name, &ConfigKey::name);
    return key == keys_.end() ? nullptr : &*key;
}

std::string_view ConfigTable::nearest(std::string_view name) const {
    std::vector<std::string_view> names;
    names.reserve(keys_.size());
    for (const ConfigKey& key : keys_) {
        names.push_back(key.name);
    }
    return nearest_word(name, names);
}

bool ConfigTable::is_section(std::string_view name) const {
    return std::ranges::any_of(keys_, [name](const ConfigKey& key) {
        return key.name.size() > name.size() && key.name.starts_with(name) &&
               key.name[name.size()] == '.';
    });
}

Result<void> ConfigTable::set(std::string_view where, std::string_view name,
                              const ConfigValue& value) {
    const ConfigKey* key = find(name);
    if (key == nullptr) {
        return fail("{}: unknown key '{}'; did you mean '{}'?", where, show_name(name),
                    nearest(name));
    }
    ConfigValue fitted = value;
    if (!fit_value(*key, fitted)) {
        return fail("{}: {} = {}: {}", where, name, show(value), requirement(*key));
    }
    key->assign(fitted);
    return {};
}

Result<void> ConfigTable::set(std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return fail("--set {}: must be key=value, for example {}={}", show(std::string(assignment)),
                    keys_.front().name, keys_.front().default_text);
    }
    const std::string_view name = assignment.substr(0, equals);
    const ConfigKey* key = find(name);
    const std::string_view text = assignment.substr(equals + 1);
    return set("--set", name, key != nullptr ? parse_text(*key, text) : std::string(text));
}

std::string ConfigTable::print() const {
    std::string text;
    std::string_view section;
    for (const ConfigKey& key : keys_) {
        const std::string_view own = section_of(key.name);
        if (own != section) {
            text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", own);
            section = own;
        }
        const std::string_view leaf = own.empty()
                                          ? std::string_view(key.name)
                                          : std::string_view(key.name).substr(own.size() + 1);
        text += fmt::format("{}\n{} = {}\n", describe(key), leaf, key.read());
    }
    return text;
}

std::string describe(const ConfigKey& key) {
    return fmt::format("# {} [{}; {}; default {}]", key.help, key.unit, key.range,
                       key.default_text);
}

std::string quote_toml(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            quoted += fmt::format("\\u{:04X}", byte);
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

}  // namespace terrane
