#include "shared/core/log.h"

#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace terrane {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warn:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
        case LogLevel::off:
            break;
    }
    return spdlog::level::off;
}

using ThreadPool = spdlog::details::thread_pool;

constexpr std::size_t kQueueLinesMax = 8192;

void set_up(spdlog::logger& logger, LogLevel level) {
    logger.set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
    logger.set_level(to_spdlog(level));
    logger.flush_on(spdlog::level::info);
}

std::shared_ptr<spdlog::logger> make_direct_logger(LogLevel level) {
    auto made = std::make_shared<spdlog::logger>(
        "terrane", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    set_up(*made, level);
    return made;
}

/// Before open_log: straight to stderr.
std::shared_ptr<spdlog::logger>& logger() {
    static std::shared_ptr<spdlog::logger> instance = make_direct_logger(LogLevel::info);
    return instance;
}

std::shared_ptr<ThreadPool>& pool() {
    static std::shared_ptr<ThreadPool> instance;
    return instance;
}

}  // namespace

Result<void> open_log(const LogConfig& config) {
    std::vector<spdlog::sink_ptr> sinks{std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
    if (!config.file.empty()) {
        try {
            sinks.push_back(std::make_shared<spdlog::sinks::basic_file_sink_mt>(config.file));
        } catch (const spdlog::spdlog_ex& error) {
            return fail("log.file '{}' cannot be opened for writing: {}", config.file,
                        error.what());
        }
    }
    auto new_pool = std::make_shared<ThreadPool>(kQueueLinesMax, 1);
    auto made =
        std::make_shared<spdlog::async_logger>("terrane", sinks.begin(), sinks.end(), new_pool,
                                               spdlog::async_overflow_policy::overrun_oldest);
    set_up(*made, config.level);
    logger() = std::move(made);
    pool() = std::move(new_pool);
    return {};
}

void drain_log() {
    // No sink: stderr's may be locked by the thread that is stuck in it.
    logger() = std::make_shared<spdlog::logger>("terrane");
    logger()->set_level(spdlog::level::off);
    auto done = std::make_shared<std::promise<void>>();
    const std::future<void> is_done = done->get_future();
    // The pool's end waits for its queue; on a thread of its own, since it may never come.
    std::thread([old = std::exchange(pool(), nullptr), done]() mutable {
        old.reset();
        done->set_value();
    }).detach();
    is_done.wait_for(std::chrono::seconds(1));
}

std::uint64_t dropped_log_lines() {
    return pool() == nullptr ? 0 : pool()->overrun_counter();
}

bool is_logged(LogLevel level) {
    return logger()->should_log(to_spdlog(level));
}

void write_log(LogLevel level, std::string_view line) {
    logger()->log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace terrane
