#include "client-stub/viewer/viewer_report.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

namespace terrane {

namespace {

/// The smallest value that `share` of all do not exceed; `sorted` ascending.
double percentile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) {
        return 0.0;
    }
    const double rank = std::ceil(share * static_cast<double>(sorted.size())) - 1.0;
    return sorted[static_cast<std::size_t>(std::max(rank, 0.0))];
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

std::string to_json(const TreeReport& tree) {
    return fmt::format(
        "{{\"name\": {}, \"builder\": {}, \"boxes\": {}, \"nodes\": {}, \"leaves\": {}, \"depth\": "
        "{}, \"cost\": {:.3f}, \"build_ms\": {:.3f}}}",
        quoted(tree.name), quoted(tree.builder), tree.stat.object_count, tree.stat.node_count,
        tree.stat.leaf_count, tree.stat.depth, tree.stat.cost, tree.build_ms);
}

std::string to_json(const DebugReport& debug) {
    return fmt::format("{{\"views\": {}, \"lines\": {}, \"cubes\": {}, \"left_out\": {}}}",
                       quoted(debug.views), debug.lines, debug.cubes, debug.left_out);
}

}  // namespace

std::string to_json(const ViewerReport& report) {
    std::vector<double> ms = report.frame_ms;
    std::ranges::sort(ms);
    std::string trees;
    for (const TreeReport& tree : report.trees) {
        trees += (trees.empty() ? "" : ", ") + to_json(tree);
    }
    return fmt::format(
        "{{\"frames\": {}, \"ms\": {{\"p50\": {:.2f}, \"p99\": {:.2f}, \"max\": {:.2f}}}, "
        "\"nodes\": {}, \"chunks\": {}, \"draw_calls\": {}, \"culled\": {}, \"drawn_chunks\": {}, "
        "\"drawn_nodes\": {}, \"drawn_pieces\": {}, \"width\": {}, \"height\": {}, "
        "\"edits_refused\": {}, "
        "\"corrections\": {}, \"debug\": {}, \"trees\": [{}], \"gl\": {}}}\n",
        ms.size(), percentile(ms, 0.5), percentile(ms, 0.99), ms.empty() ? 0.0 : ms.back(),
        report.nodes, report.chunks_loaded, report.last.draw_calls, report.last.culled,
        report.last.chunks, report.last.bodies, report.last.pieces, report.size.width,
        report.size.height, report.edits_refused, report.corrections, to_json(report.debug), trees,
        quoted(report.gl));
}

Result<void> write_report(const ViewerReport& report, const std::string& path) {
    std::ofstream file(path, std::ios::trunc);
    file << to_json(report);
    file.close();
    if (!file) {
        return fail("cannot write {}: {}", path, std::strerror(errno));
    }
    return {};
}

}  // namespace terrane
