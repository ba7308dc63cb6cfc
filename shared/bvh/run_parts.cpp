#include "shared/bvh/run_parts.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace terrane {
namespace {

/// Outlives the call, for a job may begin when all parts are done: it then finds none.
struct PartList {
    CallRef<void(std::uint32_t)> part;
    std::uint32_t count = 0;
    std::atomic<std::uint32_t> next = 0;
    std::atomic<std::uint32_t> done = 0;

    void work() {
        for (std::uint32_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
            part(i);
            if (done.fetch_add(1) + 1 == count) {
                done.notify_all();
            }
        }
    }
};

}  // namespace

void run_parts(WorkerPool* pool, std::uint32_t part_count, CallRef<void(std::uint32_t)> part) {
    if (pool == nullptr || pool->thread_count() == 0 || part_count < 2) {
        for (std::uint32_t i = 0; i < part_count; ++i) {
            part(i);
        }
        return;
    }
    const auto list = std::make_shared<PartList>();
    list->part = part;
    list->count = part_count;
    for (unsigned i = 0; i < std::min(pool->thread_count(), part_count - 1); ++i) {
        pool->post([list] { list->work(); });
    }
    list->work();
    for (std::uint32_t done = list->done; done != part_count; done = list->done) {
        list->done.wait(done);
    }
}

}  // namespace terrane
