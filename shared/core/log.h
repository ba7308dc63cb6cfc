// The log: one line a cause, to stderr and, if asked, to a file. Levels: error = a person must
// act, warn = odd but handled, info = lifecycle, debug = the rest; nothing per packet.
// Shows fmt only: spdlog costs 8 s a file to compile and stays inside log.cpp. Thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "shared/core/result.h"

namespace terrane {

enum class LogLevel : unsigned char { debug, info, warn, error, off };

struct LogConfig {
    LogLevel level = LogLevel::info;
    std::string file;  ///< empty: stderr only
};

/// Call once, before threads start. Fails if the file cannot be opened. From then on lines go
/// through a bounded queue to a thread of their own: a pipe that nobody reads, or a full disk,
/// drops the oldest lines (counted) and never holds up the caller.
Result<void> open_log(const LogConfig& config);
/// Waits up to a second for what is queued. Call last in main, then leave by std::_Exit: the log's
/// thread may be stuck in a write for ever.
void drain_log();
/// Lines dropped because the queue was full.
std::uint64_t dropped_log_lines();

bool is_logged(LogLevel level);
void write_log(LogLevel level, std::string_view line);

template <typename... Args>
void log_at(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (is_logged(level)) {
        write_log(level, fmt::format(format, std::forward<Args>(args)...));
    }
}

template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
    log_at(LogLevel::debug, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
    log_at(LogLevel::info, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_warn(fmt::format_string<Args...> format, Args&&... args) {
    log_at(LogLevel::warn, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
    log_at(LogLevel::error, format, std::forward<Args>(args)...);
}

}  // namespace terrane
