// Time as an argument: the zone asks a Clock, never the operating system. SteadyClock is real
// time; VirtualClock stands still until someone moves it, so that a test runs a minute of zone
// time in the time its work takes.
#pragma once

#include <chrono>

namespace terrane {

using Nanoseconds = std::chrono::nanoseconds;

class Clock {
  public:
    virtual ~Clock() = default;

    /// Time since an arbitrary start; never goes back.
    virtual Nanoseconds now() const = 0;
    /// Returns at `deadline` or later. A virtual clock jumps there at once.
    virtual void sleep_until(Nanoseconds deadline) = 0;
};

class SteadyClock final : public Clock {
  public:
    Nanoseconds now() const override;
    void sleep_until(Nanoseconds deadline) override;
};

class VirtualClock final : public Clock {
  public:
    Nanoseconds now() const override { return now_; }
    void sleep_until(Nanoseconds deadline) override { now_ = deadline > now_ ? deadline : now_; }

  private:
    Nanoseconds now_{0};
};

}  // namespace terrane
