// A whole zone in virtual time with an operator at it: what HTTP would show,
// and what ctl would be answered, without sockets.
#pragma once

#include <map>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "server/app/zone_ops.h"
#include "tests/support/virtual_zone.h"

namespace terrane::test {

struct OperatedZone {
    VirtualZone zone;
    ZoneConfig config;
    Metrics metrics;
    OpsPages pages;
    CtlMailbox mailbox;
    std::map<StreamId, std::string> answers;
    ZoneOps ops;
    StreamId last_stream = 0;
    std::unique_ptr<ClientSession> listener;  ///< a player who stands and listens
    std::vector<std::string> heard;
    std::vector<std::uint64_t> heard_ticks;  ///< the zone's, of `heard`

    explicit OperatedZone(const ZoneConfig& zone_config, const VirtualZoneOptions& options = {})
        : zone(zone_config, options),
          config(zone_config),
          pages(metrics, zone.clock),
          ops({zone.zone.get(), &config, &zone.carrier, zone.store.get(), nullptr, &zone.clock,
               &mailbox, &pages, &metrics,
               [this](StreamId stream, std::string bytes) { answers[stream] = std::move(bytes); },
               7777}) {}

    void tick() {
        zone.tick();
        if (zone.store != nullptr) {
            zone.store->drain();  // the disk is as fast as virtual time
        }
        ops.after_tick();
        if (listener != nullptr) {
            for (const ChatEvent& line : listener->receive(zone.clock.now()).chats) {
                heard.push_back(line.text);
                heard_ticks.push_back(zone.zone->world().tick);
            }
            listener->tick({}, {});
        }
    }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) {
            tick();
        }
    }
    /// One that plays.
    ClientSession& join(const std::string& name) {
        ClientSession& client = zone.connect(name);
        ticks(60);
        REQUIRE(client.state() == ClientSessionState::playing);
        REQUIRE(client.replica()->has_state());
        return client;
    }
    /// One whose lines of chat are `heard`, from now on.
    void join_listener(const std::string& name) {
        ClientSessionConfig client;
        client.name = name;
        client.view_chunks = 1;
        client.client_version = "test";
        listener = std::make_unique<ClientSession>(
            std::make_unique<LoopbackStream>(zone.carrier.connect()), client, zone.clock.now());
        ticks(60);
        REQUIRE(listener->state() == ClientSessionState::playing);
        heard.clear();  // the welcome
        heard_ticks.clear();
    }
    /// The answer, as JSON with "exit" and "answer" or "error".
    nlohmann::json ask(const std::string& line) {
        const StreamId stream = ++last_stream;
        REQUIRE(mailbox.push({stream, line}));
        for (int i = 0; i < 200 && !answers.contains(stream); ++i) {
            tick();
        }
        REQUIRE_MESSAGE(answers.contains(stream), line);
        CHECK(answers[stream].find('\n') == answers[stream].size() - 1);
        return nlohmann::json::parse(answers[stream]);
    }
    /// name{labels} -> value, as /metrics shows them.
    std::map<std::string, double> read_metrics() const {
        std::map<std::string, double> values;
        std::istringstream lines(pages.page("/metrics").body);
        for (std::string line; std::getline(lines, line);) {
            if (const std::size_t space = line.rfind(' '); !line.starts_with('#')) {
                values[line.substr(0, space)] = std::stod(line.substr(space + 1));
            }
        }
        return values;
    }
};

}  // namespace terrane::test
