// The frame of terrane-bench. A row is one measure: our way and a peer's way of the same work, in
// one process, in turns. Both return an answer (a hash or a count), and the answers must agree: a
// fast wrong answer is no result. A row's work is made by its setup, only when the row is run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace terrane::bench {

/// One pass over the whole work. Returns its answer.
using Pass = std::function<std::uint64_t()>;

struct Work {
    Pass ours;
    Pass theirs;              ///< empty if there is no peer
    double operations = 1.0;  ///< in one pass; times are given for one of them
    /// Rows about memory: these instead of times; the passes still run once for their answers.
    std::optional<double> our_size;
    std::optional<double> their_size;
};

enum class Goal : std::uint8_t {
    ratio,  ///< theirs / ours is at least `must`
    value,  ///< ours is at most `must`
};

struct BenchRow {
    std::string name;  ///< row id, subject, measure: A9.kd_tree.build
    std::string peer;  ///< empty if there is none
    std::string unit = "ns";
    Goal goal = Goal::ratio;
    double must = 1.0;
    double ambitious = 1.0;
    /// nullopt: the peer is not in this build.
    std::function<std::optional<Work>()> setup;
};

struct BenchResult {
    BenchRow row;
    bool is_missing = false;  ///< the peer is not in this build: nothing was measured
    double ours = 0.0;
    std::optional<double> theirs;
    bool agree = true;

    /// theirs / ours; 0 without a peer.
    double ratio() const { return theirs && ours > 0.0 ? *theirs / ours : 0.0; }
    /// `must`, with the allowance of a tenth for time on a shared machine.
    bool is_met() const;
};

struct MeasureConfig {
    int rounds = 5;
    double round_ms = 40.0;  ///< at least, for either side
};

/// Runs setup, one pass of each side for the answers, then `rounds` interleaved rounds; medians of
/// the thread's CPU time.
BenchResult measure(const BenchRow& row, const MeasureConfig& config);

void add_flat_rows(std::vector<BenchRow>& rows);
void add_bvh_build_rows(std::vector<BenchRow>& rows);
void add_bvh_rows(std::vector<BenchRow>& rows);
void add_motion_rows(std::vector<BenchRow>& rows);
void add_physics_rows(std::vector<BenchRow>& rows);
void add_piece_rows(std::vector<BenchRow>& rows);
void add_scene_rows(std::vector<BenchRow>& rows);
void add_terrain_rows(std::vector<BenchRow>& rows);
void add_tree_rows(std::vector<BenchRow>& rows);

}  // namespace terrane::bench
