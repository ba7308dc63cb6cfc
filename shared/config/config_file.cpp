#include "shared/config/config_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <tuple>

// toml++ 3.3 asserts on input like "[}a]" before it reports it; the report is what we want.
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace terrane {
namespace {

constexpr std::uint32_t kDotsInLineMax = 100;

Result<std::string> read_text(const std::string& path) {
    std::string text(kConfigFileBytesMax + 1, '\0');
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file || !file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
        if (!file.eof()) {
            return fail("{}: cannot be read: {}", path,
                        errno != 0 ? std::strerror(errno) : "not a file");
        }
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kConfigFileBytesMax) {
        return fail("{}: is longer than {} bytes", path, kConfigFileBytesMax);
    }
    return text;
}

std::uint32_t line_of(const toml::source_region& source) {
    return source.begin.line;
}

std::string one_line(std::string text) {
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return text;
}

bool is_ascii(char c) {
    return static_cast<unsigned char>(c) < 0x80;
}

/// What toml++ 3.3 must not see. It runs into undefined behaviour on most characters beyond ASCII
/// outside strings (its whitespace tables end in "unreachable"): comments may hold them and are
/// blanked, anywhere else they are refused. And it nests a table for every dot of a key, without a
/// limit, until a walk over them overflows the stack.
Result<void> check_text(const std::string& path, std::string& text) {
    std::uint32_t line = 1;
    std::uint32_t dot_count = 0;
    bool is_comment = false;
    bool has_quote = false;
    for (char& c : text) {
        if (c == '\n') {
            ++line;
            dot_count = 0;
            is_comment = has_quote = false;
        } else if (is_comment) {
            c = is_ascii(c) ? c : '?';
        } else if (c == '#' && !has_quote) {
            is_comment = true;
        } else if (!is_ascii(c)) {
            return fail("{}:{}: holds byte {:#x}: must be plain ASCII outside comments", path, line,
                        static_cast<unsigned char>(c));
        }
        has_quote = has_quote || c == '"' || c == '\'';
        dot_count += c == '.' && !is_comment ? 1U : 0U;
        if (dot_count > kDotsInLineMax) {
            return fail("{}:{}: must have at most {} dots in a line", path, line, kDotsInLineMax);
        }
    }
    return {};
}

Result<toml::table> parse_toml(const std::string& path) {
    Result<std::string> text = read_text(path);
    if (!text) {
        return std::unexpected(text.error());
    }
    if (const Result<void> checked = check_text(path, *text); !checked) {
        return std::unexpected(checked.error());
    }
    toml::parse_result parsed = toml::parse(*text, path);
    if (!parsed) {
        const toml::parse_error& error = parsed.error();
        return fail("{}:{}: not valid TOML: {}", path, line_of(error.source()),
                    one_line(std::string(error.description())));
    }
    return std::move(parsed).table();
}

ConfigValue to_value(const toml::node& node) {
    if (const auto* flag = node.as_boolean()) {
        return flag->get();
    }
    if (const auto* whole = node.as_integer()) {
        return whole->get();
    }
    if (const auto* real = node.as_floating_point()) {
        return real->get();
    }
    if (const auto* text = node.as_string()) {
        return text->get();
    }
    return UnsupportedValue{node.is_array() ? "[...]" : node.is_table() ? "{...}" : "a date"};
}

void flatten(const toml::table& table, const std::string& prefix,
             std::vector<ConfigEntry>& entries) {
    for (const auto& [key, node] : table) {
        ConfigEntry entry;
        entry.name = prefix + std::string(key.str());
        entry.line = line_of(key.source());
        const toml::table* inner = node.as_table();
        if (inner != nullptr && !inner->empty()) {
            flatten(*inner, entry.name + ".", entries);
            continue;
        }
        entry.is_empty_section = inner != nullptr;
        entry.value = to_value(node);
        entries.push_back(std::move(entry));
    }
}

ConfigSection to_section(const std::string& path, const toml::table& table) {
    ConfigSection section;
    section.file = path;
    section.line = std::max(1U, line_of(table.source()));
    flatten(table, "", section.entries);
    std::ranges::sort(section.entries, [](const ConfigEntry& a, const ConfigEntry& b) {
        return std::tie(a.line, a.name) < std::tie(b.line, b.name);
    });
    return section;
}

std::string place(const ConfigSection& section, std::uint32_t line) {
    return fmt::format("{}:{}", section.file, line);
}

}  // namespace

Result<ConfigSection> read_config(const std::string& path) {
    const Result<toml::table> root = parse_toml(path);
    if (!root) {
        return std::unexpected(root.error());
    }
    return to_section(path, *root);
}

Result<std::vector<ConfigSection>> read_config_array(const std::string& path,
                                                     std::string_view array,
                                                     std::size_t count_max) {
    const Result<toml::table> root = parse_toml(path);
    if (!root) {
        return std::unexpected(root.error());
    }
    for (const auto& [key, node] : *root) {
        if (key.str() != array) {
            return fail("{}:{}: unknown key '{}'; did you mean '[[{}]]'?", path,
                        line_of(key.source()), one_line(std::string(key.str())), array);
        }
    }
    const toml::node* found = root->get(array);
    const toml::array* tables = found != nullptr ? found->as_array() : nullptr;
    if (tables == nullptr || !tables->is_homogeneous<toml::table>()) {
        return fail("{}:{}: must hold one '[[{}]]' table for each {}", path,
                    found != nullptr ? line_of(found->source()) : 1U, array, array);
    }
    if (tables->size() > count_max) {
        return fail("{}:{}: {} = {} tables: must be at most {}", path,
                    line_of(tables->get(count_max)->source()), array, tables->size(), count_max);
    }
    std::vector<ConfigSection> sections;
    for (const toml::node& table : *tables) {
        sections.push_back(to_section(path, *table.as_table()));
    }
    return sections;
}

Result<void> apply_config(const ConfigSection& section, ConfigTable& table) {
    for (std::size_t i = 0; i < section.entries.size(); ++i) {
        const ConfigEntry& entry = section.entries[i];
        if (entry.is_empty_section && table.is_section(entry.name)) {
            continue;
        }
        // A quoted "a.b" and [a] b are one key to us and two to TOML.
        for (std::size_t earlier = 0; earlier < i; ++earlier) {
            if (section.entries[earlier].name == entry.name) {
                return fail("{}: {} is already set in line {}", place(section, entry.line),
                            entry.name, section.entries[earlier].line);
            }
        }
        if (Result<void> set = table.set(place(section, entry.line), entry.name, entry.value);
            !set) {
            return set;
        }
    }
    for (const ConfigKey& key : table.keys()) {
        if (key.is_required && std::ranges::find(section.entries, key.name, &ConfigEntry::name) ==
                                   section.entries.end()) {
            return fail("{}: key '{}' is missing: {}", place(section, section.line), key.name,
                        key.help);
        }
    }
    return {};
}

std::string place_of(const ConfigSection& section, std::string_view name, std::string_view other) {
    if (std::ranges::any_of(section.overridden, [name, other](std::string_view overridden) {
            return overridden == name || overridden == other;
        })) {
        return "--set";
    }
    const auto entry = std::ranges::find(section.entries, name, &ConfigEntry::name);
    return place(section, entry == section.entries.end() ? section.line : entry->line);
}

}  // namespace terrane
