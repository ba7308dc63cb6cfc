// What a viewer measured, as JSON: frames drawn, milliseconds a frame, and of the last frame what
// was drawn and culled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client-stub/viewer/debug_tree.h"
#include "client-stub/viewer/renderer.h"
#include "shared/core/result.h"

namespace terrane {

/// What the debug views drew last.
struct DebugReport {
    std::string views;
    std::size_t lines = 0;
    std::size_t cubes = 0;
    std::size_t left_out = 0;  ///< for lack of room
};

struct ViewerReport {
    std::vector<double> frame_ms;
    FrameCounts last;       ///< of the last frame
    std::size_t nodes = 0;  ///< known in the zone around
    std::size_t chunks_loaded = 0;
    std::uint64_t edits_refused = 0;  ///< by the zone
    std::uint64_t corrections = 0;    ///< of the predicted player
    DebugReport debug;
    std::vector<TreeReport> trees;  ///< shown by --debug bvh
    ImageSize size;
    std::string gl;
};

/// `{"frames", "ms": {"p50", "p99", "max"}, "nodes", "chunks", "draw_calls", "culled", ...}`
std::string to_json(const ViewerReport& report);
Result<void> write_report(const ViewerReport& report, const std::string& path);

}  // namespace terrane
