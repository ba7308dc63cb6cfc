// The keys that a program's configuration has, each declared once: dotted name, unit, range,
// meaning, and the member of a plain struct that holds it. The member's value at declaration is the
// default. Whatever sets a key, a file or `--set key=value`, goes through set(): a wrong name is
// answered with the nearest right one, a wrong value with the range and unit.
//
// The table points into the structs it was declared over: they must outlive it and stay in place.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "shared/core/result.h"

namespace terrane {

/// A value that no key can take (array, date, table), as text for the line that refuses it.
struct UnsupportedValue {
    std::string text;
};
using ConfigValue = std::variant<bool, std::int64_t, double, std::string, UnsupportedValue>;

enum class ConfigType : std::uint8_t { boolean, integer, real, text, choice };

struct ConfigKey {
    std::string name;  ///< "tick.rate_hz"
    ConfigType type = ConfigType::text;
    std::string unit;          ///< "Hz"; "-" where there is none
    std::string range;         ///< "20, 30 or 60", "1..64", "true or false", "at most 255 bytes"
    std::string default_text;  ///< as TOML
    std::string help;          ///< one sentence
    double min = 0.0;          ///< integer and real
    double max = 0.0;
    std::vector<std::string> choices;
    bool is_required = false;

    std::function<std::string()> read;               ///< the member's value as TOML
    std::function<void(const ConfigValue&)> assign;  ///< after all checks
};

class ConfigTable {
  public:
    void add_flag(std::string name, bool& target, std::string help);

    template <std::integral T>
    void add_integer(std::string name, T& target, std::type_identity_t<T> min,
                     std::type_identity_t<T> max, std::string unit, std::string help) {
        ConfigKey& key =
            add(std::move(name), ConfigType::integer, std::move(unit), std::move(help));
        set_range(key, static_cast<std::int64_t>(min), static_cast<std::int64_t>(max));
        key.read = [&target] { return fmt::format("{}", target); };
        key.assign = [&target](const ConfigValue& value) {
            target = static_cast<T>(std::get<std::int64_t>(value));
        };
        key.default_text = key.read();
    }

    void add_real(std::string name, float& target, float min, float max, std::string unit,
                  std::string help);
    void add_text(std::string name, std::string& target, std::size_t bytes_max, std::string help);

    /// One of a few words (an enum) or of a few numbers (an integer).
    template <typename T>
    void add_choice(std::string name, T& target,
                    std::initializer_list<std::pair<std::string_view, T>> choices, std::string unit,
                    std::string help) {
        ConfigKey& key = add(std::move(name), ConfigType::choice, std::move(unit), std::move(help));
        std::vector<T> values;
        for (const auto& [word, value] : choices) {
            key.choices.emplace_back(word);
            values.push_back(value);
        }
        const std::vector<std::string> words = key.choices;
        key.read = [&target, words, values] {
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (values[i] == target) {
                    return std::is_enum_v<T> ? "\"" + words[i] + "\"" : words[i];
                }
            }
            return std::string("\"?\"");
        };
        key.assign = [&target, words, values](const ConfigValue& value) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (words[i] == std::get<std::string>(value)) {
                    target = values[i];
                }
            }
        };
        finish_choice(key);
    }

    /// `name` must be given in every section that is applied to this table.
    void require(std::string_view name);

    const std::vector<ConfigKey>& keys() const { return keys_; }
    const ConfigKey* find(std::string_view name) const;
    /// The declared name with the fewest typing errors between it and `name`; empty table: "".
    std::string_view nearest(std::string_view name) const;
    /// Is `name` a section that some key lies in?
    bool is_section(std::string_view name) const;

    /// `where` begins the line of failure: "config/zone.toml:12".
    Result<void> set(std::string_view where, std::string_view name, const ConfigValue& value);
    /// "key=value" of a command line; the value needs no quotes.
    Result<void> set(std::string_view assignment);

    /// TOML with a section line where the section changes and describe() above each key.
    std::string print() const;

  private:
    ConfigKey& add(std::string name, ConfigType type, std::string unit, std::string help);
    static void set_range(ConfigKey& key, std::int64_t min, std::int64_t max);
    static void finish_choice(ConfigKey& key);

    std::vector<ConfigKey> keys_;
};

/// The comment that belongs above a key: "# Ticks a second. [Hz; 20, 30 or 60; default 20]".
std::string describe(const ConfigKey& key);

/// A TOML string: quoted, with escapes.
std::string quote_toml(std::string_view text);

}  // namespace terrane
