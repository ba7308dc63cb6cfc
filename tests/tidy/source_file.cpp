#include "tests/tidy/source_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace terrane {
namespace {

enum class Part : unsigned char { code, line_comment, block_comment, text, letter, raw_text };

/// Is the quote at `at` a digit separator, as in 1'000?
bool is_separator(std::string_view text, std::size_t at) {
    return at > 0 && at + 1 < text.size() &&
           std::isxdigit(static_cast<unsigned char>(text[at - 1])) &&
           std::isxdigit(static_cast<unsigned char>(text[at + 1]));
}

/// Walks the text once; what is not code becomes blanks, newlines stay.
class Blanker {
  public:
    explicit Blanker(std::string_view text) : text_(text), code_(text) {}

    std::string run() {
        for (at_ = 0; at_ < text_.size(); ++at_) {
            step();
        }
        return std::move(code_);
    }

  private:
    bool looking_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }

    void blank() {
        if (text_[at_] != '\n') {
            code_[at_] = ' ';
        }
    }

    void step() {
        switch (part_) {
            case Part::code:
                enter();
                return;
            case Part::line_comment:
                part_ = text_[at_] == '\n' ? Part::code : part_;
                break;
            case Part::block_comment:
                if (looking_at("*/")) {
                    blank();
                    ++at_;
                    part_ = Part::code;
                }
                break;
            case Part::text:
            case Part::letter:
                if (text_[at_] == '\\') {
                    blank();
                    ++at_;
                } else if (text_[at_] == (part_ == Part::text ? '"' : '\'')) {
                    part_ = Part::code;
                    return;  // the quote stays
                }
                break;
            case Part::raw_text:
                if (looking_at(raw_end_)) {
                    at_ += raw_end_.size() - 1;
                    part_ = Part::code;
                    return;
                }
                break;
        }
        if (at_ < text_.size()) {
            blank();
        }
    }

    void enter() {
        if (looking_at("//")) {
            part_ = Part::line_comment;
            blank();
        } else if (looking_at("/*")) {
            part_ = Part::block_comment;
            blank();
            ++at_;
            blank();
        } else if (looking_at("R\"")) {
            const std::size_t open = text_.find('(', at_);
            raw_end_ = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
            part_ = Part::raw_text;
            at_ = open;
        } else if (text_[at_] == '"') {
            part_ = Part::text;
        } else if (text_[at_] == '\'' && !is_separator(text_, at_)) {
            part_ = Part::letter;
        }
    }

    std::string_view text_;
    std::string code_;
    std::string raw_end_;
    std::size_t at_ = 0;
    Part part_ = Part::code;
};

/// An include's name is in quotes and still code to the rules.
void restore_includes(SourceFile& file) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (file.lines[i].starts_with("#include")) {
            file.code[i] = file.lines[i];
        }
    }
}

}  // namespace

SourceFile make_source(std::string path, std::string text) {
    SourceFile file;
    file.path = std::move(path);
    file.text = std::move(text);
    file.lines = split_lines(file.text);
    file.code = split_lines(Blanker(file.text).run());
    file.is_header = file.path.ends_with(".h");
    restore_includes(file);
    return file;
}

std::vector<SourceFile> read_sources(const std::string& root) {
    namespace fs = std::filesystem;
    std::vector<SourceFile> files;
    for (const char* folder : {"shared", "server", "client-stub", "tests"}) {
        for (const fs::directory_entry& entry :
             fs::recursive_directory_iterator(fs::path(root) / folder)) {
            const std::string extension = entry.path().extension().string();
            if (entry.is_regular_file() && (extension == ".h" || extension == ".cpp")) {
                const std::string path = fs::relative(entry.path(), root).generic_string();
                files.push_back(make_source(path, read_file(entry.path().string())));
            }
        }
    }
    std::ranges::sort(files, {}, &SourceFile::path);
    return files;
}

std::string read_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string to_text(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) {
        text += finding.line == 0
                    ? fmt::format("\n  {}: {}", finding.path, finding.what)
                    : fmt::format("\n  {}:{}: {}", finding.path, finding.line, finding.what);
    }
    return text;
}

std::string folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

std::string stem_of(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return std::string(name.substr(0, name.find('.')));
}

}  // namespace terrane
