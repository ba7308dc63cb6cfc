// What terrane-ctl can ask of a zone, and how: a table of verbs in ctl_verbs.cpp. Runs on the tick
// thread, between two ticks. What must wait for a tick or for the disk (spawn, save) is remembered
// and answered by after_tick.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/zone.h"
#include "server/ops/ctl_protocol.h"
#include "server/ops/pages.h"

namespace terrane {

using CtlAnswer = std::function<void(StreamId stream, std::string bytes)>;

struct CtlVerbsParts {
    Zone* zone = nullptr;
    const ZoneConfig* config = nullptr;
    const OpsPages* pages = nullptr;
    bool is_kept = false;  ///< there is a store
    CtlAnswer answer;
};

class CtlVerbs {
  public:
    explicit CtlVerbs(const CtlVerbsParts& parts) : parts_(parts) {}

    void run(const CtlRequest& request);
    /// Answers what the last tick settled; counts down a stop. `change_tick`: the newest tick with
    /// something to save.
    void after_tick(std::uint64_t change_tick);
    bool is_stop_due() const;
    void close();

  private:
    struct Verb;
    struct Request;
    /// A spawn that the next tick runs, or a save that the disk does.
    struct Waiting {
        StreamId stream = 0;
        std::uint64_t tick = 0;   ///< spawn: the one it runs in; save: the newest to be durable
        std::uint32_t count = 0;  ///< spawn: how many; 0: a save
        std::uint32_t kind = 0;
        std::uint64_t asked_tick = 0;
    };
    static const Verb kVerbs[];

    std::optional<std::string> status(const Request& request);
    std::optional<std::string> players(const Request& request);
    std::optional<std::string> say(const Request& request);
    std::optional<std::string> kick(const Request& request);
    std::optional<std::string> spawn(const Request& request);
    std::optional<std::string> teleport(const Request& request);
    std::optional<std::string> blast(const Request& request);
    std::optional<std::string> spawnpoint(const Request& request);
    std::optional<std::string> debug(const Request& request);
    std::string not_here(std::string_view name) const;
    std::optional<std::string> pregen(const Request& request);
    std::optional<std::string> save(const Request& request);
    std::optional<std::string> stop(const Request& request);
    std::optional<std::string> later(const Request& request);

    std::optional<std::string> outcome_of(const Waiting& waiting) const;
    void count_down();

    CtlVerbsParts parts_;
    std::vector<Waiting> waiting_;
    std::optional<std::uint64_t> stop_tick_;
    std::uint64_t change_tick_ = 0;
};

}  // namespace terrane
