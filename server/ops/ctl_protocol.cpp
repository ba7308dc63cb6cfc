#include "server/ops/ctl_protocol.h"

#include <fmt/format.h>

#include "server/ops/json_text.h"

namespace terrane {

bool CtlMailbox::push(CtlRequest request) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kCtlWaitingMax) {
        return false;
    }
    waiting_.push_back(std::move(request));
    size_ = waiting_.size();
    return true;
}

void CtlMailbox::take(std::vector<CtlRequest>& requests) {
    requests.clear();
    if (size_ == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    requests.swap(waiting_);
    size_ = 0;
}

std::string ctl_answer(std::string_view json) {
    return fmt::format("{{\"exit\":0,\"answer\":{}}}\n", json);
}

std::string ctl_error(int exit, std::string_view line) {
    return fmt::format("{{\"exit\":{},\"error\":{}}}\n", exit, quote_json(line));
}

StreamProtocol ctl_protocol(CtlMailbox& mailbox) {
    StreamProtocol protocol;
    protocol.receive = [&mailbox](StreamId stream, std::string_view input) {
        StreamReply reply;
        const std::size_t end = input.find('\n');
        if (end == std::string_view::npos) {
            return reply;
        }
        std::string_view line = input.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        reply.kind = StreamReply::Kind::later;
        if (!mailbox.push({stream, std::string(line)})) {
            reply.kind = StreamReply::Kind::answer;
            reply.bytes = ctl_error(
                1, fmt::format("{} requests wait for the zone already; try again", kCtlWaitingMax));
        }
        return reply;
    };
    protocol.too_many = ctl_error(1, "too many operators are connected; try again");
    protocol.too_long =
        ctl_error(2, fmt::format("a request is one line of at most {} bytes", kCtlRequestBytesMax));
    protocol.too_late = ctl_error(2, "no whole line came in time");
    protocol.no_answer = ctl_error(1, "the zone does not answer: it stands still or is stopping");
    return protocol;
}

StreamLimits ctl_limits() {
    return {.connections_max = 2 * kCtlWaitingMax, .request_bytes_max = kCtlRequestBytesMax};
}

}  // namespace terrane
