// A small pool of threads for work that leaves the tick: generating, decoding and encoding
// chunks. Jobs run in the order they were posted, each on any worker; a job hands its result back
// through a queue of its owner's and never touches the world. With 0 threads, jobs run inside
// drain(), which makes a single-threaded, virtual-time zone possible.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace terrane {

class WorkerPool {
  public:
    explicit WorkerPool(unsigned thread_count);
    ~WorkerPool();  ///< waits for running jobs, drops waiting ones
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Thread: any.
    void post(std::move_only_function<void()> job);
    /// Returns when every job posted before this call has finished. Not from inside a job.
    void drain();
    unsigned thread_count() const { return static_cast<unsigned>(threads_.size()); }
    /// Jobs waiting or running.
    std::size_t pending() const;

  private:
    void work();
    bool run_one(std::unique_lock<std::mutex>& lock);

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::deque<std::move_only_function<void()>> jobs_;
    std::size_t running_ = 0;
    bool stopping_ = false;
    std::vector<std::jthread> threads_;
};

}  // namespace terrane
