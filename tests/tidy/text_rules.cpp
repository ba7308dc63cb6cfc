#include "tests/tidy/text_rules.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace terrane {
namespace {

// Split so that this file does not hold the words it looks for.
constexpr std::array<std::string_view, 3> kMarks = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "XX"
    "X"};
constexpr std::array<std::string_view, 8> kEmptyNames = {"Manager", "Handler", "Helper", "Utils",
                                                         "Common",  "Misc",    "Base",   "Impl"};

std::size_t letter_count(std::string_view line) {
    return static_cast<std::size_t>(std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_word_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Is `word` in `line` with no letter, digit or underscore on either side?
bool has_word(std::string_view line, std::string_view word) {
    for (std::size_t at = line.find(word); at != std::string_view::npos;
         at = line.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool starts = at == 0 || !is_word_letter(line[at - 1]);
        if (starts && (end == line.size() || !is_word_letter(line[end]))) {
            return true;
        }
    }
    return false;
}

std::vector<std::string_view> identifiers_of(std::string_view line) {
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while (at < line.size()) {
        if (!is_word_letter(line[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < line.size() && is_word_letter(line[end])) {
            ++end;
        }
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

/// "FooManager" and "foo_manager", but neither "Command" nor "base_rate".
std::string_view empty_name_in(std::string_view identifier) {
    for (const std::string_view name : kEmptyNames) {
        const bool is_type = identifier.ends_with(name) &&
                             std::isupper(static_cast<unsigned char>(identifier.front())) != 0;
        std::string suffix = "_" + std::string(name);
        suffix[1] = static_cast<char>(std::tolower(static_cast<unsigned char>(suffix[1])));
        const bool is_snake = name != "Common" && name != "Base" && identifier.ends_with(suffix);
        if (is_type || is_snake) {
            return name;
        }
    }
    return {};
}

enum class Scope : unsigned char { space, type, function, other };

Scope scope_of(std::string_view head) {
    const auto has = [head](std::string_view word) { return has_word(head, word); };
    if (has("namespace") || has("extern")) {
        return Scope::space;
    }
    const bool has_call = head.find('(') != std::string_view::npos;
    if (!has_call && (has("class") || has("struct") || has("union") || has("enum"))) {
        return Scope::type;
    }
    // "constexpr Table x = {" is data; "x = [](int y) {" at namespace level is a function.
    const std::size_t equals = head.find(" = ");
    const bool is_data = equals != std::string_view::npos && head.find('(') > equals &&
                         head.find('[', equals) == std::string_view::npos;
    return has_call && !is_data ? Scope::function : Scope::other;
}

struct OpenBrace {
    Scope scope = Scope::other;
    std::size_t line = 0;
};

}  // namespace

std::vector<Finding> check_lengths(const SourceFile& file) {
    std::vector<Finding> findings;
    if (file.lines.size() > kFileLinesMax) {
        findings.push_back(
            {file.path, 0,
             fmt::format("has {} lines, at most {}", file.lines.size(), kFileLinesMax)});
    }
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const std::string& line = file.lines[i];
        if (const std::size_t count = letter_count(line); count > kLineLettersMax) {
            findings.push_back({file.path, i + 1,
                                fmt::format("has {} columns, at most {}", count, kLineLettersMax)});
        }
        if (line.find('\t') != std::string::npos) {
            findings.push_back({file.path, i + 1, "has a tab"});
        }
        if (line.ends_with(' ') || line.ends_with('\r')) {
            findings.push_back({file.path, i + 1, "ends in a blank"});
        }
    }
    if (!file.text.empty() && !file.text.ends_with('\n')) {
        findings.push_back({file.path, file.lines.size(), "the last line has no end"});
    }
    return findings;
}

std::vector<Finding> check_function_lengths(const SourceFile& file) {
    std::vector<Finding> findings;
    std::vector<OpenBrace> open;
    std::string head;  // what stands between the last ; { or } and the next {
    for (std::size_t i = 0; i < file.code.size(); ++i) {
        if (file.code[i].starts_with("#")) {
            continue;
        }
        for (const char c : file.code[i]) {
            if (c == '{') {
                open.push_back({scope_of(head), i + 1});
                head.clear();
            } else if (c == '}' && !open.empty()) {
                const OpenBrace brace = open.back();
                open.pop_back();
                head.clear();
                const bool is_outermost = std::ranges::none_of(open, [](const OpenBrace& outer) {
                    return outer.scope == Scope::function || outer.scope == Scope::other;
                });
                const std::size_t count = i + 2 - brace.line;
                if (brace.scope == Scope::function && is_outermost && count > kFunctionLinesMax) {
                    findings.push_back({file.path, brace.line,
                                        fmt::format("a function of {} lines, at most {}", count,
                                                    kFunctionLinesMax)});
                }
            } else if (c == ';') {
                head.clear();
            } else {
                head += c;
            }
        }
        head += ' ';
    }
    return findings;
}

std::vector<Finding> check_words(const SourceFile& file) {
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        for (const std::string_view mark : kMarks) {
            if (has_word(file.lines[i], mark)) {
                findings.push_back({file.path, i + 1, fmt::format("says {}", mark)});
            }
        }
        if (file.code[i].starts_with("#include")) {
            continue;
        }
        for (const std::string_view identifier : identifiers_of(file.code[i])) {
            if (!empty_name_in(identifier).empty()) {
                findings.push_back({file.path, i + 1,
                                    fmt::format("'{}': {} says nothing; name what it is or does",
                                                identifier, empty_name_in(identifier))});
            }
        }
    }
    std::string stem = "_" + stem_of(file.path);
    for (const char* word : {"_manager", "_handler", "_helper", "_helpers", "_utils", "_util",
                             "_common", "_misc", "_base", "_impl"}) {
        if (stem.ends_with(word)) {
            findings.push_back({file.path, 0, fmt::format("a file's name says {}", word + 1)});
        }
    }
    return findings;
}

std::vector<Finding> check_header_start(const SourceFile& file) {
    if (!file.is_header) {
        return {};
    }
    if (file.lines.empty() || !file.lines.front().starts_with("// ") ||
        letter_count(file.lines.front()) < 20) {
        return {{file.path, 1, "a header begins with a paragraph that says what it is"}};
    }
    const auto first_code = std::ranges::find_if(file.lines, [](const std::string& line) {
        return !line.starts_with("//") && !line.empty();
    });
    if (first_code == file.lines.end() || *first_code != "#pragma once") {
        return {{file.path, 1, "#pragma once follows the first paragraph"}};
    }
    return {};
}

}  // namespace terrane
