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

}  // namespace

std::string to_json(const ViewerReport& report) {
    std::vector<double> ms = report.frame_ms;
    std::ranges::sort(ms);
    return fmt::format(
        "{{\"frames\": {}, \"ms\": {{\"p50\": {:.2f}, \"p99\": {:.2f}, \"max\": {:.2f}}}, "
        "\"nodes\": {}, \"chunks\": {}, \"draw_calls\": {}, \"culled\": {}, \"drawn_chunks\": {}, "
        "\"drawn_nodes\": {}, \"width\": {}, \"height\": {}, \"edits_refused\": {}, "
        "\"corrections\": {}, \"gl\": {}}}\n",
        ms.size(), percentile(ms, 0.5), percentile(ms, 0.99), ms.empty() ? 0.0 : ms.back(),
        report.nodes, report.chunks_loaded, report.last.draw_calls, report.last.culled,
        report.last.chunks, report.last.bodies, report.size.width, report.size.height,
        report.edits_refused, report.corrections, quoted(report.gl));
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
