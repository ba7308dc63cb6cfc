#include "shared/config/config_file.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

/// A file that lives as long as the test.
struct ScratchFile {
    std::string path;

    explicit ScratchFile(std::string_view text) {
        char name[] = "/tmp/terrane-config-XXXXXX";
        const int descriptor = mkstemp(name);
        REQUIRE(descriptor >= 0);
        close(descriptor);
        path = name;
        std::ofstream(path, std::ios::binary) << text;
    }
    ~ScratchFile() { std::filesystem::remove(path); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
};

struct Settings {
    std::uint32_t rate = 20;
    float reach_m = 8.0F;
    std::string name = "unnamed";
};

ConfigTable declare(Settings& settings) {
    ConfigTable table;
    table.add_integer("tick.rate", settings.rate, 10, 60, "Hz", "The rate.");
    table.add_real("edit.reach_m", settings.reach_m, 1.0F, 64.0F, "m", "The reach.");
    table.add_text("name", settings.name, 24, "The name.");
    return table;
}

/// The failing line without the file's name, or "" if all went well.
std::string load(std::string_view text, Settings& settings) {
    const ScratchFile file(text);
    ConfigTable table = declare(settings);
    const Result<ConfigSection> section = read_config(file.path);
    std::string line = section ? "" : section.error().message;
    if (section) {
        const Result<void> applied = apply_config(*section, table);
        line = applied ? "" : applied.error().message;
    }
    return line.starts_with(file.path) ? line.substr(file.path.size()) : line;
}

TEST_CASE("config_file: sections, dotted keys and inline tables say the same") {
    for (const char* text : {"name = \"n\"\n[tick]\nrate = 30\n[edit]\nreach_m = 4\n",
                             "name = \"n\"\ntick.rate = 30\nedit.reach_m = 4.0\n",
                             "name = \"n\"\ntick = { rate = 30 }\nedit = { reach_m = 4.0 }\n"}) {
        CAPTURE(text);
        Settings settings;
        CHECK(load(text, settings) == "");
        CHECK(settings.rate == 30);
        CHECK(settings.reach_m == 4.0F);
        CHECK(settings.name == "n");
    }
    Settings untouched;
    CHECK(load("", untouched) == "");
    CHECK(load("# nothing\n[tick]\n", untouched) == "");
    CHECK(untouched.rate == 20);
}

TEST_CASE("config_file: refusals name the line") {
    Settings settings;
    CHECK(load("[tick]\n\nrat = 30\n", settings) ==
          ":3: unknown key 'tick.rat'; did you mean 'tick.rate'?");
    CHECK(load("[tick]\n# comment\nrate = 600\n", settings) ==
          ":3: tick.rate = 600: must be a whole number, 10..60 (Hz)");
    CHECK(load("\n\n[edit]\nreach_m = nan\n", settings) ==
          ":4: edit.reach_m = nan: must be a number, 1..64 (m)");
    CHECK(load("[edit]\nreach_m = [1, 2]\n", settings) ==
          ":2: edit.reach_m = [...]: must be a number, 1..64 (m)");
    CHECK(load("[edit]\nreach_m = 2024-01-01\n", settings) ==
          ":2: edit.reach_m = a date: must be a number, 1..64 (m)");
    CHECK(load("name = true\n", settings) ==
          ":1: name = true: must be a string of at most 24 bytes, without control characters");
    CHECK(settings.rate == 20);
    CHECK(settings.reach_m == 8.0F);
}

TEST_CASE("config_file: the first wrong line of the file is the one that is named") {
    Settings settings;
    CHECK(load("[tick]\nrate = 600\n[edit]\nreach_m = 600\n", settings).starts_with(":2:"));
    CHECK(load("[edit]\nreach_m = 600\n[tick]\nrate = 600\n", settings).starts_with(":2:"));
}

TEST_CASE("config_file: sections that do not exist, keys given twice and values as sections") {
    Settings settings;
    CHECK(load("[tik]\n", settings) == ":1: unknown key 'tik'; did you mean 'name'?");
    CHECK(load("[tick.rate]\n", settings).starts_with(":1: tick.rate = {...}: must be"));
    CHECK(load("tick = 3\n", settings).starts_with(":1: unknown key 'tick'"));
    CHECK(load("\"tick.rate\" = 30\n[tick]\nrate = 20\n", settings) ==
          ":3: tick.rate is already set in line 1");
    CHECK(load("[tick]\nrate = 30\nrate = 20\n", settings).starts_with(":3: not valid TOML: "));
}

TEST_CASE("config_file: what is no TOML is one line with its place") {
    Settings settings;
    CHECK(load("[tick\nrate = 3\n", settings).starts_with(":1: not valid TOML: "));
    CHECK(load("a = 1\nb ==\n", settings).starts_with(":2: not valid TOML: "));
    CHECK(load("[}tick]\n", settings).starts_with(":1: not valid TOML: "));
    CHECK(load("name = 2020-01-01T?0:00:00Z\n", settings).starts_with(":1: not valid TOML: "));
    CHECK(load(std::string(kConfigFileBytesMax + 1, '\n'), settings) ==
          ": is longer than 1048576 bytes");
    std::string deep;
    for (int i = 0; i < 10000; ++i) {
        deep += "a.";
    }
    CHECK(load("\n" + deep + "a = 1\n", settings) == ":2: must have at most 100 dots in a line");
    CHECK(load("[" + deep + "a]\n", settings) == ":1: must have at most 100 dots in a line");
    CHECK(load("# " + deep + "\n", settings) == "");
    CHECK(load("a = " + std::string(100000, '['), settings).find('\n') == std::string::npos);
}

TEST_CASE("config_file: comments may hold any language, everything else is plain ASCII") {
    Settings settings;
    CHECK(load("# H\xc3\xb6he, \xe9\xab\x98\n[tick] # \xc3\xa9\nrate = 30 # \xff\n", settings) ==
          "");
    CHECK(settings.rate == 30);
    CHECK(load("\n\xc3\xa9 = 1\n", settings) ==
          ":2: holds byte 0xc3: must be plain ASCII outside comments");
    CHECK(load("name = \"#\xc3\xa9\"\n", settings).starts_with(":1: holds byte 0xc3"));
    CHECK(load("name = '\xef\xbb\xbf'\n", settings).starts_with(":1: holds byte 0xef"));
}

TEST_CASE("config_file: random bytes never crash and never set anything out of range") {
    const std::string valid = "name = \"n\"\n[tick]\nrate = 30\n[edit]\nreach_m = 4.5\n";
    Random random(11);
    for (int round = 0; round < 300; ++round) {
        std::string text = valid;
        for (std::uint32_t i = 0; i <= random.below(4); ++i) {
            text[random.below(static_cast<std::uint32_t>(text.size()))] =
                static_cast<char>(random.below(256));
        }
        CAPTURE(round);
        Settings settings;
        const std::string line = load(text, settings);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(settings.rate >= 10);
        CHECK(settings.rate <= 60);
        CHECK(settings.reach_m >= 1.0F);
        CHECK(settings.reach_m <= 64.0F);
    }
}

TEST_CASE("config_file: a missing file and a folder are refused") {
    const Result<ConfigSection> missing = read_config("/nonexistent/zone.toml");
    REQUIRE(!missing);
    CHECK(missing.error().message ==
          "/nonexistent/zone.toml: cannot be read: No such file or directory");
    const Result<ConfigSection> folder = read_config("/tmp");
    REQUIRE(!folder);
    CHECK(folder.error().message == "/tmp: cannot be read: Is a directory");
}

TEST_CASE("config_file: arrays of tables keep order and line, and refuse everything else") {
    const ScratchFile good("[[body]]\nname = \"a\"\n\n[[body]]\nname = \"b\"\n");
    const auto bodies = read_config_array(good.path, "body", 2);
    REQUIRE(bodies);
    REQUIRE(bodies->size() == 2);
    CHECK(place_of((*bodies)[0], "name") == good.path + ":2");
    CHECK(place_of((*bodies)[1], "name") == good.path + ":5");
    CHECK(place_of((*bodies)[1], "absent") == good.path + ":4");
    ConfigSection overridden = (*bodies)[0];
    overridden.overridden = {"name"};
    CHECK(place_of(overridden, "name") == "--set");
    CHECK(place_of(overridden, "absent", "name") == "--set");
    CHECK(place_of(overridden, "absent", "other") == good.path + ":1");

    const auto refused = [](std::string_view text, std::size_t count_max) {
        const ScratchFile file(text);
        const auto sections = read_config_array(file.path, "body", count_max);
        return sections ? std::string() : sections.error().message.substr(file.path.size());
    };
    CHECK(refused("[[body]]\n[[body]]\n[[body]]\n", 2) == ":3: body = 3 tables: must be at most 2");
    CHECK(refused("[[bodies]]\n", 2) == ":1: unknown key 'bodies'; did you mean '[[body]]'?");
    CHECK(refused("", 2) == ":1: must hold one '[[body]]' table for each body");
    CHECK(refused("body = 3\n", 2) == ":1: must hold one '[[body]]' table for each body");
    CHECK(refused("body = [1]\n", 2) == ":1: must hold one '[[body]]' table for each body");
    CHECK(refused("[body]\n", 2) == ":1: must hold one '[[body]]' table for each body");
}

TEST_CASE("config_file: a required key that is missing is named with its section's line") {
    Settings settings;
    ConfigTable table = declare(settings);
    table.require("name");
    const ScratchFile file("\n\n[[body]]\ntick.rate = 20\n");
    const auto bodies = read_config_array(file.path, "body", 8);
    REQUIRE(bodies);
    const Result<void> applied = apply_config(bodies->front(), table);
    REQUIRE(!applied);
    CHECK(applied.error().message == file.path + ":3: key 'name' is missing: The name.");
}

}  // namespace
}  // namespace terrane
