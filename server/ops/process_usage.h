// What this process has used of the machine, as the kernel counts it.
#pragma once

#include <cstdint>

namespace terrane {

struct ProcessUsage {
    double cpu_s = 0.0;           ///< of all threads, user and system, since the start
    std::uint64_t rss_bytes = 0;  ///< resident now; 0 where /proc does not say
};

ProcessUsage read_process_usage();

}  // namespace terrane
