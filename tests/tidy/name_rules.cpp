#include "tests/tidy/name_rules.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

namespace terrane {
namespace {

std::vector<std::string> words_of(std::string_view head) {
    std::vector<std::string> words;
    bool is_open = false;
    for (const char c : head) {
        const bool is_letter =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
        if (is_letter && is_open) {
            words.back() += c;
        } else if (is_letter) {
            words.emplace_back(1, c);
        } else if (c == '<' || c == '(' || c == '[') {
            words.emplace_back(1, c);
        }
        is_open = is_letter;
    }
    return words;
}

/// `head` without a template's parameter list, whose "typename" and "class" define nothing.
std::string_view after_template(std::string_view head) {
    const std::size_t start = head.find_first_not_of(' ');
    if (start == std::string_view::npos || !head.substr(start).starts_with("template")) {
        return head;
    }
    int depth = 0;
    for (std::size_t i = head.find('<'); i < head.size(); ++i) {
        depth += head[i] == '<' ? 1 : 0;
        depth -= head[i] == '>' ? 1 : 0;
        if (depth == 0) {
            return head.substr(i + 1);
        }
    }
    return head;
}

/// The name that "struct Name final : Other {" defines; "" if the head defines no type or one that
/// is a member ("struct Outer::Inner") or a specialization ("struct std::hash<X>").
std::string defined_type(std::string_view head) {
    const std::vector<std::string> words = words_of(after_template(head));
    std::size_t at = 0;
    while (at < words.size() && (words[at] == "inline" || words[at] == "typedef")) {
        ++at;
    }
    const auto is = [&](const char* word) { return at < words.size() && words[at] == word; };
    if (is("enum")) {
        ++at;
        at += is("class") || is("struct") ? 1U : 0U;
    } else if (is("class") || is("struct") || is("union")) {
        ++at;
    } else {
        return {};
    }
    if (at >= words.size() || words[at].find("::") != std::string::npos) {
        return {};
    }
    const bool is_type = at + 1 == words.size() || words[at + 1] == "final" ||
                         words[at + 1].starts_with(':');  // else it is what a function returns
    return is_type ? words[at] : std::string();
}

/// What a brace opens: a namespace by its name, an unnamed one, or anything else.
struct Space {
    bool is_open = false;  ///< a named namespace
    std::string prefix;    ///< "inner::"; "" of terrane itself
};

Space space_of(std::string_view head) {
    const std::vector<std::string> words = words_of(head);
    const auto word = std::ranges::find(words, "namespace");
    if (word == words.end() || word + 1 == words.end()) {
        return {};
    }
    return {true, *(word + 1) == "terrane" ? "" : *(word + 1) + "::"};
}

}  // namespace

std::vector<TypeName> types_of(const SourceFile& file) {
    std::vector<TypeName> types;
    std::vector<Space> open;
    std::string head;  // what stands between the last ; { or } and the next {
    for (std::size_t i = 0; i < file.code.size(); ++i) {
        if (file.code[i].starts_with("#")) {
            continue;
        }
        for (const char c : file.code[i]) {
            if (c == '{') {
                const std::string name = defined_type(head);
                if (!name.empty() && std::ranges::all_of(open, &Space::is_open)) {
                    std::string prefix;
                    for (const Space& space : open) {
                        prefix += space.prefix;
                    }
                    types.push_back({prefix + name, i + 1});
                }
                open.push_back(space_of(head));
            } else if (c == '}' && !open.empty()) {
                open.pop_back();
            } else if (c != ';') {
                head += c;
                continue;
            }
            head.clear();
        }
        head += ' ';
    }
    return types;
}

std::vector<Finding> check_type_names(const std::vector<SourceFile>& files,
                                      const std::vector<std::string_view>& rooms) {
    std::vector<Finding> findings;
    std::map<std::string, std::string> first;
    for (const SourceFile& file : files) {
        if (std::ranges::none_of(
                rooms, [&](std::string_view room) { return file.path.starts_with(room); })) {
            continue;
        }
        for (const TypeName& type : types_of(file)) {
            const auto [other, is_new] =
                first.emplace(type.name, fmt::format("{}:{}", file.path, type.line));
            if (!is_new) {
                findings.push_back(
                    {file.path, type.line,
                     fmt::format("{} is defined in {} too", type.name, other->second)});
            }
        }
    }
    return findings;
}

}  // namespace terrane
