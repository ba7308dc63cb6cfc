#include "shared/core/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <semaphore>
#include <thread>

#include <doctest/doctest.h>

namespace terrane {
namespace {

TEST_CASE("worker_pool: every job runs exactly once before drain returns") {
    for (const unsigned threads : {0U, 1U, 4U}) {
        CAPTURE(threads);
        WorkerPool pool(threads);
        CHECK(pool.thread_count() == threads);
        std::vector<std::atomic<int>> runs(500);
        for (std::atomic<int>& run : runs) {
            pool.post([&run] { ++run; });
        }
        pool.drain();
        CHECK(pool.pending() == 0);
        for (const std::atomic<int>& run : runs) {
            CHECK(run == 1);
        }
    }
}

TEST_CASE("worker_pool: without threads jobs run in drain, in order, on the caller's thread") {
    WorkerPool pool(0);
    std::vector<int> order;
    const std::thread::id caller = std::this_thread::get_id();
    for (int i = 0; i < 10; ++i) {
        pool.post([&order, i, caller] {
            CHECK(std::this_thread::get_id() == caller);
            order.push_back(i);
        });
    }
    CHECK(order.empty());
    CHECK(pool.pending() == 10);
    pool.drain();
    std::vector<int> expected(10);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(order == expected);
}

TEST_CASE("worker_pool: one thread keeps the order of posting") {
    WorkerPool pool(1);
    std::vector<int> order;
    for (int i = 0; i < 200; ++i) {
        pool.post([&order, i] { order.push_back(i); });
    }
    pool.drain();
    REQUIRE(order.size() == 200);
    CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("worker_pool: a job may post another, which drain waits for") {
    for (const unsigned threads : {0U, 2U}) {
        CAPTURE(threads);
        WorkerPool pool(threads);
        std::atomic<int> depth = 0;
        pool.post([&] {
            ++depth;
            pool.post([&] {
                ++depth;
                pool.post([&] { ++depth; });
            });
        });
        pool.drain();
        CHECK(depth == 3);
    }
}

TEST_CASE("worker_pool: destruction waits for running jobs and drops waiting ones unrun") {
    std::binary_semaphore started(0);
    std::binary_semaphore release(0);
    std::atomic<bool> is_finished = false;
    std::atomic<int> runs = 0;
    auto token = std::make_shared<int>(0);
    std::weak_ptr<int> watched = token;
    auto pool = std::make_unique<WorkerPool>(1);
    pool->post([&] {
        started.release();
        release.acquire();
        is_finished = true;
    });
    started.acquire();
    for (int i = 0; i < 50; ++i) {
        pool->post([&runs, token] { ++runs; });
    }
    token.reset();
    std::thread destroyer([&pool] { pool.reset(); });
    while (!watched.expired()) {  // the waiting jobs are dropped while the first still runs
        std::this_thread::yield();
    }
    CHECK(!is_finished);
    release.release();
    destroyer.join();
    CHECK(is_finished);
    CHECK(runs == 0);
}

}  // namespace
}  // namespace terrane
