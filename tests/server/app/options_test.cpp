#include "server/app/options.h"

#include <doctest/doctest.h>

namespace terrane {
namespace {

ParsedOptions parse(std::vector<std::string> arguments) {
    return parse_options(arguments);
}

TEST_CASE("options: without arguments the defaults of ./run stand") {
    const ParsedOptions parsed = parse({});
    REQUIRE(parsed.options);
    CHECK(parsed.exit_code == 0);
    CHECK(parsed.options->config_path.empty());  // to be found
    CHECK(parsed.options->data_folder == "data");
    CHECK(parsed.options->ready_file.empty());
    CHECK(!parsed.options->ticks_max);
    CHECK(!parsed.options->is_check_only);
    CHECK(parsed.options->overrides.empty());
}

TEST_CASE("options: every flag arrives, --set last so that it wins") {
    const ParsedOptions parsed =
        parse({"--config", "c.toml", "--data=d", "--set", "tick.rate_hz=30", "--ephemeral",
               "--listen", "::1", "--port", "0", "--seed", "7", "--ticks", "100", "--ready-file",
               "r.json", "--check-config", "--set", "edit.burst=5"});
    REQUIRE(parsed.options);
    CHECK(parsed.options->config_path == "c.toml");
    CHECK(parsed.options->data_folder == "d");
    CHECK(parsed.options->ready_file == "r.json");
    CHECK(parsed.options->ticks_max == 100);
    CHECK(parsed.options->is_check_only);
    CHECK(parsed.options->overrides ==
          std::vector<std::string>{"listen.address=::1", "listen.port=0", "zone.seed=7",
                                   "store.enabled=false", "tick.rate_hz=30", "edit.burst=5"});
}

TEST_CASE("options: an option given twice takes the last, so that ./run's own may be replaced") {
    const ParsedOptions parsed = parse({"--config", "a", "--data", "b", "--config", "c", "--data=d",
                                        "--port", "1", "--port", "2"});
    REQUIRE(parsed.options);
    CHECK(parsed.options->config_path == "c");
    CHECK(parsed.options->data_folder == "d");
    CHECK(parsed.options->overrides == std::vector<std::string>{"listen.port=2"});
}

TEST_CASE("options: help and version go to stdout with exit code 0") {
    const ParsedOptions help = parse({"--help"});
    CHECK(!help.options);
    CHECK(help.exit_code == 0);
    CHECK(help.err.empty());
    for (const char* name : {"--config", "--data", "--ephemeral", "--listen", "--port", "--seed",
                             "--ticks", "--set", "--check-config", "--ready-file", "--version"}) {
        CAPTURE(name);
        CHECK(help.out.find(name) != std::string::npos);
    }
    const ParsedOptions version = parse({"--version"});
    CHECK(version.exit_code == 0);
    CHECK(version.out == "terrane-server " TERRANE_VERSION "\n");
}

TEST_CASE("options: wrong usage is one line for stderr and exit code 2") {
    const std::vector<std::vector<std::string>> wrong = {{"--port", "70000"},
                                                         {"--port", "-1"},
                                                         {"--port", "x"},
                                                         {"--port"},
                                                         {"--seed", "1.5"},
                                                         {"--seed", "-1"},
                                                         {"--ticks", "-3"},
                                                         {"stray"},
                                                         {"--config"},
                                                         {"--set"},
                                                         {"-x"},
                                                         {"--data", ""}};
    for (const std::vector<std::string>& arguments : wrong) {
        CAPTURE(arguments.front());
        const ParsedOptions parsed = parse(arguments);
        CHECK(!parsed.options);
        CHECK(parsed.exit_code == 2);
        CHECK(parsed.err.starts_with("terrane-server: "));
        CHECK(parsed.err.find('\n') == std::string::npos);
        CHECK(parsed.out.empty());
    }
}

TEST_CASE("options: an unknown option is answered with the nearest one") {
    CHECK(parse({"--prot", "1"}).err ==
          "terrane-server: unknown option '--prot'; did you mean '--port'? (--help lists the "
          "options)");
    CHECK(parse({"--ephemerl"}).err.find("did you mean '--ephemeral'?") != std::string::npos);
}

TEST_CASE("options: what a later version brings says so") {
    for (const char* name : {"--record", "--replay"}) {
        const ParsedOptions parsed = parse({name, "log"});
        CHECK(parsed.exit_code == 2);
        CHECK(parsed.err == std::string("terrane-server: ") + name + ": not in this version");
    }
    CHECK(parse({"--record=log"}).err == "terrane-server: --record: not in this version");
}

}  // namespace
}  // namespace terrane
