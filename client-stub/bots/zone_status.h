// What the zone says of itself over HTTP (/status): asked once, near the end of a run, so that a
// report holds both sides.
#pragma once

#include <cstdint>
#include <string>

#include "client-stub/session/connection.h"
#include "shared/core/clock.h"
#include "shared/core/result.h"

namespace terrane {

/// The body of `GET /status` at `http`. Waits at most `timeout`.
Result<std::string> fetch_zone_status(const HostPort& http, Nanoseconds timeout);

/// The body of a whole HTTP answer with status 200; anything else is an error.
Result<std::string> http_body(const std::string& answer);

}  // namespace terrane
