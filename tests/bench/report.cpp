#include "tests/bench/report.h"

#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace terrane::bench {
namespace {

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            const std::size_t colon = line.find(": ");
            return colon == std::string::npos ? line : line.substr(colon + 2);
        }
    }
    return "unknown";
}

}  // namespace

std::string table_header() {
    return fmt::format("{:<32} {:<24} {:>10} {:>10} {:<4} {:>7} {:>6} {:>6}  {}", "row", "peer",
                       "ours", "theirs", "unit", "ratio", "must", "amb.", "result");
}

std::string table_legend() {
    return "must, amb.: what the ratio has to reach (>=) or our own value may be at most (<=); met "
           "= "
           "within 10 % of must\nratio > 1: ours is better; figures of a --quick run are rough";
}

std::string table_line(const BenchResult& result) {
    const BenchRow& row = result.row;
    if (result.is_missing) {
        return fmt::format("{:<32} {:<24} not in this build", row.name, row.peer);
    }
    const std::string theirs = result.theirs ? fmt::format("{:.1f}", *result.theirs) : "-";
    const std::string ratio = result.theirs ? fmt::format("{:.2f}", result.ratio()) : "-";
    const char* const mark = row.goal == Goal::ratio ? ">=" : "<=";
    const char* const verdict = !result.agree     ? "ANSWERS DIFFER"
                                : result.is_met() ? "met"
                                                  : "below";
    return fmt::format("{:<32} {:<24} {:>10.1f} {:>10} {:<4} {:>7} {}{:>4} {:>6}  {}", row.name,
                       row.peer.empty() ? "-" : row.peer, result.ours, theirs, row.unit, ratio,
                       mark, row.must, row.ambitious, verdict);
}

Result<void> write_json(const std::string& file, const std::vector<BenchResult>& results) {
    nlohmann::ordered_json json;
    json["machine"] = {{"processor", processor_name()},
                       {"cores", std::thread::hardware_concurrency()},
                       {"compiler", __VERSION__}};
    json["rows"] = nlohmann::ordered_json::array();
    for (const BenchResult& result : results) {
        const BenchRow& row = result.row;
        nlohmann::ordered_json entry;
        entry["row"] = row.name;
        entry["peer"] = row.peer;
        entry["ours"] = nlohmann::ordered_json();
        if (!result.is_missing) {
            entry["ours"] = result.ours;
        }
        entry["theirs"] =
            result.theirs ? nlohmann::ordered_json(*result.theirs) : nlohmann::ordered_json();
        entry["unit"] = row.unit;
        entry["ratio"] =
            result.theirs ? nlohmann::ordered_json(result.ratio()) : nlohmann::ordered_json();
        entry["must"] = row.must;
        entry["ambitious"] = row.ambitious;
        entry["goal"] = row.goal == Goal::ratio ? "ratio at least must" : "ours at most must";
        entry["met"] = result.is_met();
        entry["agree"] = result.agree;
        json["rows"].push_back(std::move(entry));
    }
    std::ofstream out(file);
    out << json.dump(2) << '\n';
    out.flush();
    if (!out) {
        return fail("{}: cannot write the results", file);
    }
    return {};
}

}  // namespace terrane::bench
