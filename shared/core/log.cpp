#include "shared/core/log.h"

#include <memory>
#include <vector>

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

std::shared_ptr<spdlog::logger> make_logger(std::vector<spdlog::sink_ptr> sinks, LogLevel level) {
    auto made = std::make_shared<spdlog::logger>("terrane", sinks.begin(), sinks.end());
    made->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
    made->set_level(to_spdlog(level));
    made->flush_on(spdlog::level::info);
    return made;
}

std::shared_ptr<spdlog::logger>& logger() {
    static std::shared_ptr<spdlog::logger> instance =
        make_logger({std::make_shared<spdlog::sinks::stderr_color_sink_mt>()}, LogLevel::info);
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
    logger() = make_logger(std::move(sinks), config.level);
    return {};
}

bool is_logged(LogLevel level) { return logger()->should_log(to_spdlog(level)); }

void write_log(LogLevel level, std::string_view line) {
    logger()->log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace terrane
