#include "client-stub/bots/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace terrane {
namespace {

nlohmann::ordered_json to_object(const Histogram& histogram) {
    nlohmann::ordered_json object;
    if (histogram.count() == 0) {
        for (const char* key : {"p50", "p90", "p99", "max"}) {
            object[key] = nullptr;
        }
        return object;
    }
    object["p50"] = histogram.percentile(50);
    object["p90"] = histogram.percentile(90);
    object["p99"] = histogram.percentile(99);
    object["max"] = histogram.max();
    return object;
}

/// The promised keys of the zone's /status, null for one that it does not have.
nlohmann::ordered_json to_server(const std::string& zone_status) {
    const auto status =
        nlohmann::ordered_json::parse(zone_status, nullptr, false);  // no exceptions
    if (!status.is_object()) {
        return nullptr;
    }
    nlohmann::ordered_json server;
    for (const char* key : {"tick_ms", "ticks", "ticks_late", "phase_ms", "cpu_s", "rss_bytes",
                            "bodies", "chunks_resident"}) {
        server[key] = status.contains(key) ? status[key] : nlohmann::ordered_json(nullptr);
    }
    return server;
}

std::string to_line(const char* what, const Histogram& histogram, const char* unit) {
    if (histogram.count() == 0) {
        return fmt::format("  {:<19}-\n", what);
    }
    return fmt::format("  {:<19}p50 {:.1f}, p90 {:.1f}, p99 {:.1f}, max {:.1f} {}\n", what,
                       histogram.percentile(50), histogram.percentile(90), histogram.percentile(99),
                       histogram.max(), unit);
}

}  // namespace

std::string to_json(const SwarmReport& report) {
    nlohmann::ordered_json json;
    json["bots"] = report.bots;
    json["joined"] = report.joined;
    json["dropped"] = report.dropped;
    json["duration_s"] = report.duration_s;
    json["join_ms"] = to_object(report.join_ms);
    json["playable_ms"] = to_object(report.playable_ms);
    json["edit_to_seen_ms"] = to_object(report.edit_to_seen_ms);
    json["edit_to_durable_ms"] = nullptr;
    json["snapshot_interval_ms"] = to_object(report.snapshot_interval_ms);
    json["bytes_in_per_s"] = to_object(report.bytes_in_per_s);
    json["bytes_out_per_s"] = to_object(report.bytes_out_per_s);
    json["edits_sent"] = report.edits_sent;
    json["edits_applied"] = report.edits_applied;
    json["edits_rejected"] = nlohmann::ordered_json::object();
    for (const auto& [reason, count] : report.edits_rejected) {
        json["edits_rejected"][reason] = count;
    }
    json["chunks_received"] = report.chunks_received;
    json["divergences"] = report.divergences;
    json["bots_cpu_s"] = report.bots_cpu_s;
    json["server"] = to_server(report.zone_status);
    return json.dump(2) + "\n";
}

bool is_status_of(const std::string& zone_status, std::uint16_t port) {
    const auto status = nlohmann::json::parse(zone_status, nullptr, false);
    return status.is_object() && status.contains("port") && status["port"] == port;
}

std::string to_summary(const SwarmReport& report) {
    if (report.joined == 0) {
        return {};
    }
    std::string text =
        fmt::format("{} of {} bots joined, {} dropped, {:.1f} s, {:.1f} s of CPU\n", report.joined,
                    report.bots, report.dropped, report.duration_s, report.bots_cpu_s);
    text += to_line("join", report.join_ms, "ms");
    text += to_line("playable", report.playable_ms, "ms");
    text += to_line("snapshot interval", report.snapshot_interval_ms, "ms");
    text += to_line("edit to seen", report.edit_to_seen_ms, "ms");
    text += to_line("bytes in", report.bytes_in_per_s, "bytes/s a bot");
    text += to_line("bytes out", report.bytes_out_per_s, "bytes/s a bot");
    text += fmt::format("  {:<19}{} sent, {} applied", "edits", report.edits_sent,
                        report.edits_applied);
    for (const auto& [reason, count] : report.edits_rejected) {
        text += fmt::format(", {} {}", count, reason);
    }
    text += fmt::format("\n  {:<19}{} received\n", "chunks", report.chunks_received);
    if (report.is_verified) {
        text += fmt::format("  {:<19}{} in {} hashes compared\n", "divergences", report.divergences,
                            report.hashes_compared);
    } else {
        text += fmt::format("  {:<19}{} (without --verify: gaps only)\n", "divergences",
                            report.divergences);
    }
    const nlohmann::ordered_json server = to_server(report.zone_status);
    if (server.is_object() && server["tick_ms"].is_object()) {
        const auto of_tick = [&](const char* key) {
            const nlohmann::ordered_json& value = server["tick_ms"][key];
            return value.is_number() ? value.get<double>() : 0.0;
        };
        text += fmt::format("  {:<19}p50 {:.1f}, p99 {:.1f}, max {:.1f} ms (last minute)\n",
                            "zone's tick", of_tick("p50"), of_tick("p99"), of_tick("max"));
    }
    return text;
}

std::string failure_of(const SwarmReport& report) {
    if (report.joined < report.bots) {
        return fmt::format("{} of {} bots could not join: {}", report.bots - report.joined,
                           report.bots, report.first_failure);
    }
    if (report.dropped > 0) {
        return fmt::format("{} of {} bots were dropped: {}", report.dropped, report.bots,
                           report.first_failure);
    }
    if (report.divergences > 0) {
        return fmt::format("{} divergences between the bots' replicas and the zone",
                           report.divergences);
    }
    if (report.unanswered > 0) {
        return fmt::format("{} of {} bots got no answer to their last hash requests",
                           report.unanswered, report.bots);
    }
    return {};
}

}  // namespace terrane
