#include <algorithm>
#include <cmath>
#include <ctime>

#include "tests/bench/bench_row.h"

namespace terrane::bench {
namespace {

double thread_cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double time_passes(const Pass& pass, int passes, std::uint64_t expected, bool& agree) {
    const double start = thread_cpu_ns();
    for (int i = 0; i < passes; ++i) {
        agree = pass() == expected && agree;
    }
    return (thread_cpu_ns() - start) / passes;
}

/// As many passes as fill the round, judged by one warm pass.
int passes_for(const Pass& pass, double round_ms, std::uint64_t expected, bool& agree) {
    const double ns = std::max(time_passes(pass, 1, expected, agree), 1.0);
    return std::clamp(static_cast<int>(std::ceil(round_ms * 1e6 / ns)), 1, 1'000'000);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

double unit_ns(const std::string& unit) {
    return unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1.0;
}

}  // namespace

bool BenchResult::is_met() const {
    constexpr double kAllowance = 0.9;
    if (is_missing || !agree) {
        return false;
    }
    return row.goal == Goal::ratio ? ratio() >= kAllowance * row.must
                                   : ours <= row.must / (row.unit == "B" ? 1.0 : kAllowance);
}

BenchResult measure(const BenchRow& row, const MeasureConfig& config) {
    BenchResult result;
    result.row = row;
    const std::optional<Work> work = row.setup();
    if (!work) {
        result.is_missing = true;
        return result;
    }
    const std::uint64_t answer = work->ours();
    if (work->theirs) {
        result.agree = work->theirs() == answer;
    }
    if (work->our_size) {
        result.ours = *work->our_size;
        result.theirs = work->their_size;
        return result;
    }
    // A wrong answer is reported once; each side is then timed against its own.
    bool agree = true;
    const std::uint64_t their_answer = work->theirs ? work->theirs() : answer;
    const int our_passes = passes_for(work->ours, config.round_ms, answer, agree);
    const int their_passes =
        work->theirs ? passes_for(work->theirs, config.round_ms, their_answer, agree) : 0;
    std::vector<double> ours;
    std::vector<double> theirs;
    for (int round = 0; round < config.rounds; ++round) {
        ours.push_back(time_passes(work->ours, our_passes, answer, agree));
        if (work->theirs) {
            theirs.push_back(time_passes(work->theirs, their_passes, their_answer, agree));
        }
    }
    const double scale = work->operations * unit_ns(row.unit);
    result.ours = median(ours) / scale;
    if (!theirs.empty()) {
        result.theirs = median(theirs) / scale;
    }
    result.agree = result.agree && agree;
    return result;
}

}  // namespace terrane::bench
