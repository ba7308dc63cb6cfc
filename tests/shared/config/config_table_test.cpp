#include "shared/config/config_table.h"

#include <limits>

#include <doctest/doctest.h>

namespace terrane {
namespace {

enum class Mood : std::uint8_t { calm, wild };

struct Settings {
    bool is_open = true;
    std::uint16_t port = 7777;
    std::int32_t depth = -2;
    std::uint64_t seed = 1;
    float reach_m = 8.0F;
    std::string file;
    Mood mood = Mood::wild;
    std::uint32_t rate_hz = 20;
};

ConfigTable declare(Settings& settings) {
    ConfigTable table;
    table.add_flag("door.open", settings.is_open, "Whether it is open.");
    table.add_integer("listen.port", settings.port, 0, 65535, "-", "The port.");
    table.add_integer("zone.depth", settings.depth, -8, 0, "chunks", "The floor.");
    table.add_integer("zone.seed", settings.seed, 0,
                      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()), "-",
                      "The seed.");
    table.add_real("edit.reach_m", settings.reach_m, 0.1F, 64.0F, "m", "From the eye.");
    table.add_text("log.file", settings.file, 16, "The file.");
    table.add_choice<Mood>("mood", settings.mood, {{"calm", Mood::calm}, {"wild", Mood::wild}}, "-",
                           "The mood.");
    table.add_choice<std::uint32_t>("tick.rate_hz", settings.rate_hz,
                                    {{"20", 20}, {"30", 30}, {"60", 60}}, "Hz", "The rate.");
    return table;
}

std::string failure(ConfigTable& table, std::string_view assignment) {
    const Result<void> set = table.set(assignment);
    return set ? "" : set.error().message;
}

std::string failure(ConfigTable& table, std::string_view name, const ConfigValue& value) {
    const Result<void> set = table.set("zone.toml:7", name, value);
    return set ? "" : set.error().message;
}

TEST_CASE("config_table: every type is set from text and from values") {
    Settings settings;
    ConfigTable table = declare(settings);
    CHECK(failure(table, "door.open=false") == "");
    CHECK(failure(table, "listen.port=0") == "");
    CHECK(failure(table, "zone.depth=-8") == "");
    CHECK(failure(table, "zone.seed=9223372036854775807") == "");
    CHECK(failure(table, "edit.reach_m=0.1") == "");
    CHECK(failure(table, "log.file=a=b.log") == "");
    CHECK(failure(table, "mood=calm") == "");
    CHECK(failure(table, "tick.rate_hz=60") == "");
    CHECK(!settings.is_open);
    CHECK(settings.port == 0);
    CHECK(settings.depth == -8);
    CHECK(settings.seed == 9223372036854775807ULL);
    CHECK(settings.reach_m == 0.1F);
    CHECK(settings.file == "a=b.log");
    CHECK(settings.mood == Mood::calm);
    CHECK(settings.rate_hz == 60);

    CHECK(failure(table, "edit.reach_m", std::int64_t{5}) == "");  // a whole number will do
    CHECK(settings.reach_m == 5.0F);
    CHECK(failure(table, "log.file", std::string("x")) == "");
    CHECK(failure(table, "tick.rate_hz", std::int64_t{30}) == "");
    CHECK(settings.rate_hz == 30);
    CHECK(failure(table, "mood=\"wild\"") == "");  // quotes as in the file will do
    CHECK(settings.mood == Mood::wild);
}

TEST_CASE("config_table: a wrong key is answered with the nearest right one") {
    Settings settings;
    ConfigTable table = declare(settings);
    CHECK(failure(table, "tick.rate_hzz", std::int64_t{20}) ==
          "zone.toml:7: unknown key 'tick.rate_hzz'; did you mean 'tick.rate_hz'?");
    CHECK(failure(table, "lissen.port=1") ==
          "--set: unknown key 'lissen.port'; did you mean 'listen.port'?");
    CHECK(failure(table, "nonsense") ==
          "--set \"nonsense\": must be key=value, for example door.open=true");
    CHECK(failure(table, "=3") == "--set \"=3\": must be key=value, for example door.open=true");
}

TEST_CASE("config_table: a wrong type or a value out of range names key, value, range and unit") {
    Settings settings;
    ConfigTable table = declare(settings);
    CHECK(failure(table, "tick.rate_hz", std::int64_t{25}) ==
          "zone.toml:7: tick.rate_hz = 25: must be 20, 30 or 60 (Hz)");
    CHECK(failure(table, "zone.depth", std::int64_t{1}) ==
          "zone.toml:7: zone.depth = 1: must be a whole number, -8..0 (chunks)");
    CHECK(failure(table, "zone.depth", -9.0) ==
          "zone.toml:7: zone.depth = -9: must be a whole number, -8..0 (chunks)");
    CHECK(failure(table, "edit.reach_m", std::string("far")) ==
          "zone.toml:7: edit.reach_m = \"far\": must be a number, 0.1..64 (m)");
    CHECK(failure(table, "door.open", std::int64_t{1}) ==
          "zone.toml:7: door.open = 1: must be true or false");
    CHECK(failure(table, "mood=angry") == "--set: mood = \"angry\": must be calm or wild");
    CHECK(failure(table, "log.file", std::string("seventeen letters")) ==
          "zone.toml:7: log.file = \"seventeen letters\": must be a string of at most 16 bytes, "
          "without control characters");
    CHECK(failure(table, "log.file", UnsupportedValue{"[...]"}) ==
          "zone.toml:7: log.file = [...]: must be a string of at most 16 bytes, without control "
          "characters");
    CHECK(failure(table, "listen.port=70000") ==
          "--set: listen.port = 70000: must be a whole number, 0..65535");
    CHECK(failure(table, "listen.port=") ==
          "--set: listen.port = \"\": must be a whole number, 0..65535");
    CHECK(failure(table, "listen.port=7x") ==
          "--set: listen.port = \"7x\": must be a whole number, 0..65535");
    CHECK(failure(table, "zone.seed=9223372036854775808").starts_with("--set: zone.seed = 9.22"));
    CHECK(failure(table, "zone.seed=-1").starts_with("--set: zone.seed = -1: must be"));
    CHECK(settings.port == 7777);  // nothing refused has been stored
    CHECK(settings.depth == -2);
}

TEST_CASE("config_table: NaN, infinity and overflow are out of every range") {
    Settings settings;
    ConfigTable table = declare(settings);
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 1e300,
                               64.001, 0.0999, -0.0}) {
        CAPTURE(value);
        CHECK(failure(table, "edit.reach_m", value) != "");
    }
    CHECK(failure(table, "edit.reach_m=nan") != "");
    CHECK(failure(table, "edit.reach_m=inf") != "");
    CHECK(settings.reach_m == 8.0F);
}

TEST_CASE("config_table: hostile text ends up escaped, short and on one line") {
    Settings settings;
    ConfigTable table = declare(settings);
    CHECK(failure(table, "log.file", std::string("a\nb")) ==
          "zone.toml:7: log.file = \"a\\u000Ab\": must be a string of at most 16 bytes, without "
          "control characters");
    for (const std::string& name : {std::string(5000, 'k'), std::string("a\nb\x1b[31m")}) {
        const std::string line = failure(table, name, true);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(line.find('\x1b') == std::string::npos);
        CHECK(line.size() < 200);
    }
}

TEST_CASE("config_table: print shows sections, values in force and the declared default") {
    Settings settings;
    ConfigTable table = declare(settings);
    REQUIRE(failure(table, "edit.reach_m=5") == "");
    const std::string text = table.print();
    CHECK(text.find("[edit]\n# From the eye. [m; 0.1..64; default 8.0]\nreach_m = 5.0\n") !=
          std::string::npos);
    CHECK(text.find("# The mood. [-; calm or wild; default \"wild\"]\nmood = \"wild\"\n") !=
          std::string::npos);
}

TEST_CASE("config_table: quote_toml escapes what TOML needs escaped") {
    CHECK(quote_toml("a\"b\\c\t\x7f") == "\"a\\\"b\\\\c\\u0009\\u007F\"");
}

}  // namespace
}  // namespace terrane
