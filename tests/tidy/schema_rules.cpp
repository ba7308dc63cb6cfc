#include "tests/tidy/schema_rules.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace terrane {
namespace {

std::string without_comments(std::string_view text) {
    std::string code;
    for (const std::string& line : split_lines(text)) {
        code += line.substr(0, line.find("//")) + "\n";
    }
    return code;
}

std::string without_blanks(std::string_view text) {
    std::string word(text);
    std::erase_if(word, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    return word;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        if (at == text.size() || text[at] == separator) {
            const std::string part = without_blanks(text.substr(start, at - start));
            if (!part.empty()) {
                parts.push_back(part);
            }
            start = at + 1;
        }
    }
    return parts;
}

/// "name" or "name : type" before a brace.
std::pair<std::string, std::string> split_name(std::string_view head) {
    const std::string word = without_blanks(head);
    const std::size_t colon = word.find(':');
    return colon == std::string::npos ? std::pair(word, std::string())
                                      : std::pair(word.substr(0, colon), word.substr(colon + 1));
}

/// Enum values and union members get their number where it is not written.
void number_members(SchemaType& type) {
    long next = type.kind == "union" ? 1 : 0;
    for (auto& [name, number] : type.members) {
        if (number.empty()) {
            number = std::to_string(next);
        }
        next = std::strtol(number.c_str(), nullptr, 0) + 1;
    }
}

SchemaType parse_body(const std::string& kind, std::string_view body) {
    SchemaType type;
    type.kind = kind;
    const bool is_record = kind == "table" || kind == "struct";
    for (const std::string& member : split(body, is_record ? ';' : ',')) {
        const std::size_t mark = member.find(is_record ? ':' : '=');
        type.members.emplace_back(member.substr(0, mark), mark == std::string::npos
                                                              ? std::string()
                                                              : member.substr(mark + 1));
    }
    if (!is_record) {
        number_members(type);
    }
    return type;
}

std::string quoted_after(const std::string& code, std::string_view word) {
    const std::size_t at = code.find(word);
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t end = code.find(';', at);
    return without_blanks(code.substr(at + word.size(), end - at - word.size()));
}

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

Schema parse_schema(std::string_view text) {
    Schema schema;
    const std::string code = without_comments(text);
    schema.file_identifier = quoted_after(code, "file_identifier");
    schema.root_type = quoted_after(code, "root_type");
    for (const char* kind : {"table", "struct", "enum", "union"}) {
        const std::string word = std::string(kind) + " ";
        for (std::size_t at = code.find(word); at != std::string::npos;
             at = code.find(word, at + 1)) {
            const std::size_t open = code.find('{', at);
            const std::size_t close = code.find('}', at);
            if ((at > 0 && !is_space(code[at - 1])) || close == std::string::npos || open > close) {
                continue;
            }
            const auto [name, underlying] = split_name(
                std::string_view(code).substr(at + word.size(), open - at - word.size()));
            SchemaType type =
                parse_body(kind, std::string_view(code).substr(open + 1, close - open - 1));
            type.underlying = underlying;
            schema.types[name] = std::move(type);
        }
    }
    return schema;
}

std::vector<Finding> check_schema(const std::string& path, const Schema& released,
                                  const Schema& current) {
    std::vector<Finding> findings;
    const auto report = [&](std::string what) { findings.push_back({path, 0, std::move(what)}); };
    if (released.file_identifier != current.file_identifier) {
        report(fmt::format("file_identifier was {}", released.file_identifier));
    }
    if (released.root_type != current.root_type) {
        report(fmt::format("root_type was {}", released.root_type));
    }
    for (const auto& [name, old_type] : released.types) {
        const auto found = current.types.find(name);
        if (found == current.types.end()) {
            report(fmt::format("{} {} has disappeared", old_type.kind, name));
            continue;
        }
        const SchemaType& new_type = found->second;
        if (new_type.kind != old_type.kind || new_type.underlying != old_type.underlying) {
            report(fmt::format("{} was a {} {}", name, old_type.kind, old_type.underlying));
        }
        if (old_type.kind == "struct" && new_type.members.size() != old_type.members.size()) {
            report(fmt::format("struct {} has another number of fields", name));
        }
        for (std::size_t i = 0; i < old_type.members.size(); ++i) {
            if (i >= new_type.members.size() || new_type.members[i] != old_type.members[i]) {
                report(fmt::format("{}.{} has moved, changed or disappeared", name,
                                   old_type.members[i].first));
                break;
            }
        }
    }
    return findings;
}

}  // namespace terrane
