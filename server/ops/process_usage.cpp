#include "server/ops/process_usage.h"

#include <cinttypes>
#include <cstdio>

#include <sys/resource.h>
#include <unistd.h>

namespace terrane {
namespace {

double to_s(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::uint64_t read_rss_bytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) {
        return 0;
    }
    std::uint64_t all_pages = 0;
    std::uint64_t resident_pages = 0;
    const int count = std::fscanf(file, "%" SCNu64 " %" SCNu64, &all_pages, &resident_pages);
    std::fclose(file);
    return count == 2 ? resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

ProcessUsage read_process_usage() {
    ProcessUsage usage;
    rusage kernel{};
    if (getrusage(RUSAGE_SELF, &kernel) == 0) {
        usage.cpu_s = to_s(kernel.ru_utime) + to_s(kernel.ru_stime);
    }
    usage.rss_bytes = read_rss_bytes();
    return usage;
}

}  // namespace terrane
