#include "shared/core/worker_pool.h"

#include <utility>

namespace terrane {

WorkerPool::WorkerPool(unsigned thread_count) {
    threads_.reserve(thread_count);
    for (unsigned i = 0; i < thread_count; ++i) {
        threads_.emplace_back([this] { work(); });
    }
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        jobs_.clear();
    }
    wake_.notify_all();
}

void WorkerPool::post(std::move_only_function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void WorkerPool::drain() {
    std::unique_lock lock(mutex_);
    if (threads_.empty()) {
        while (run_one(lock)) {
        }
        return;
    }
    idle_.wait(lock, [this] { return jobs_.empty() && running_ == 0; });
}

std::size_t WorkerPool::pending() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size() + running_;
}

void WorkerPool::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (stopping_) {
            return;
        }
        run_one(lock);
    }
}

bool WorkerPool::run_one(std::unique_lock<std::mutex>& lock) {
    if (jobs_.empty()) {
        return false;
    }
    std::move_only_function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    job();
    job = nullptr;  // its captures die outside the lock
    lock.lock();
    --running_;
    if (jobs_.empty() && running_ == 0) {
        idle_.notify_all();
    }
    return true;
}

}  // namespace terrane
