// A byte stream behind a long line: what is sent and what comes arrives a fixed time later by the
// test's clock, in order and complete.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client-stub/session/connection.h"
#include "shared/core/clock.h"

namespace terrane::test {

class DelayedStream final : public ByteStream {
  public:
    /// `clock` outlives it.
    DelayedStream(std::unique_ptr<ByteStream> stream, const Clock& clock, Nanoseconds out_delay,
                  Nanoseconds in_delay)
        : stream_(std::move(stream)), clock_(clock), out_delay_(out_delay), in_delay_(in_delay) {}

    void send(std::span<const std::uint8_t> bytes) override {
        out_.push_back({clock_.now() + out_delay_, {bytes.begin(), bytes.end()}});
        pass();
    }
    std::size_t receive(std::vector<std::uint8_t>& out) override {
        pass();
        std::size_t received = 0;
        while (!in_.empty() && in_.front().due <= clock_.now()) {
            received += in_.front().bytes.size();
            out.insert(out.end(), in_.front().bytes.begin(), in_.front().bytes.end());
            in_.pop_front();
        }
        return received;
    }
    bool is_open() const override { return stream_->is_open(); }
    bool is_connecting() const override { return stream_->is_connecting(); }
    const std::string& close_reason() const override { return stream_->close_reason(); }
    void close(std::string_view reason) override { stream_->close(reason); }

    /// Moves on what is due; call it once a tick at least, before the zone's.
    void pass() {
        while (!out_.empty() && out_.front().due <= clock_.now()) {
            stream_->send(out_.front().bytes);
            out_.pop_front();
        }
        std::vector<std::uint8_t> arrived;
        if (stream_->receive(arrived) > 0) {
            in_.push_back({clock_.now() + in_delay_, std::move(arrived)});
        }
    }

  private:
    struct Piece {
        Nanoseconds due{0};
        std::vector<std::uint8_t> bytes;
    };

    std::unique_ptr<ByteStream> stream_;
    const Clock& clock_;
    Nanoseconds out_delay_;
    Nanoseconds in_delay_;
    std::deque<Piece> out_;
    std::deque<Piece> in_;
};

}  // namespace terrane::test
