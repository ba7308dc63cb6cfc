// terrane-bench: measures ours against peers. Exit 0: every answer agrees; 1: some row's answers
// differ or the results cannot be written; others: CLI11's, for a bad command line.
#include <cstdio>
#include <exception>
#include <regex>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tests/bench/report.h"

namespace {

using namespace terrane::bench;

struct Options {
    bool is_list = false;
    bool is_quick = false;
    std::string filter = ".*";
    std::string json_file;
};

std::vector<BenchRow> rows_matching(const std::string& filter) {
    std::vector<BenchRow> all;
    add_terrain_rows(all);
    add_bvh_rows(all);
    add_bvh_build_rows(all);
    add_scene_rows(all);
    add_motion_rows(all);
    add_physics_rows(all);
    add_piece_rows(all);
    add_flat_rows(all);
    add_tree_rows(all);
    const std::regex pattern(filter);
    std::erase_if(all, [&](const BenchRow& row) { return !std::regex_search(row.name, pattern); });
    return all;
}

int run(const Options& options) {
    const std::vector<BenchRow> rows = rows_matching(options.filter);
    if (options.is_list) {
        for (const BenchRow& row : rows) {
            fmt::print("{}\n", row.name);
        }
        return 0;
    }
    MeasureConfig config;
    if (options.is_quick) {
        config.rounds = 3;
        config.round_ms = 4.0;
    }
    fmt::print("{}\n", table_header());
    std::vector<BenchResult> results;
    bool do_agree = true;
    for (const BenchRow& row : rows) {
        results.push_back(measure(row, config));
        fmt::print("{}\n", table_line(results.back()));
        std::fflush(stdout);
        do_agree = do_agree && results.back().agree;
    }
    fmt::print("{}\n", table_legend());
    if (!options.json_file.empty()) {
        if (const auto written = write_json(options.json_file, results); !written) {
            fmt::print(stderr, "terrane-bench: {}\n", written.error().message);
            return 1;
        }
    }
    return do_agree ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Measures parts of Terrane against peers on the same work, answers compared.",
                 "terrane-bench"};
    app.add_flag("--list", options.is_list, "print the names of the rows and stop");
    app.add_flag("--quick", options.is_quick, "short rounds: checks answers, times are rough");
    app.add_option("--filter", options.filter, "only rows whose name this expression finds");
    app.add_option("--json", options.json_file, "write the results here as well");
    app.set_version_flag("--version", "terrane-bench " TERRANE_VERSION);
    CLI11_PARSE(app, argc, argv);
    try {
        return run(options);
    } catch (const std::regex_error&) {
        fmt::print(stderr, "terrane-bench: --filter '{}' is not a regular expression\n",
                   options.filter);
        return 2;
    }
}
