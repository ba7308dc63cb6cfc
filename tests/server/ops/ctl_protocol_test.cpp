#include "server/ops/ctl_protocol.h"

#include <doctest/doctest.h>

namespace terrane {
namespace {

TEST_CASE(
    "ctl_protocol: a line waits in the mailbox until it is taken; what follows it is not read") {
    CtlMailbox mailbox;
    const StreamProtocol ctl = ctl_protocol(mailbox);
    CHECK(ctl.receive(5, "say hello").kind == StreamReply::Kind::more);
    CHECK(ctl.receive(5, "say hello\r\nstop\n").kind == StreamReply::Kind::later);
    CHECK(ctl.receive(6, "\n").kind == StreamReply::Kind::later);
    CHECK(mailbox.size() == 2);
    std::vector<CtlRequest> requests = {{9, "old"}};
    mailbox.take(requests);
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].stream == 5);
    CHECK(requests[0].line == "say hello");
    CHECK(requests[1].line.empty());
    mailbox.take(requests);
    CHECK(requests.empty());
    CHECK(mailbox.size() == 0);
}

TEST_CASE("ctl_protocol: a full mailbox refuses at once, and takes again when it was emptied") {
    CtlMailbox mailbox;
    const StreamProtocol ctl = ctl_protocol(mailbox);
    for (StreamId id = 1; id <= kCtlWaitingMax; ++id) {
        CHECK(ctl.receive(id, "status\n").kind == StreamReply::Kind::later);
    }
    const StreamReply full = ctl.receive(99, "status\n");
    CHECK(full.kind == StreamReply::Kind::answer);
    CHECK(full.bytes ==
          "{\"exit\":1,\"error\":\"16 requests wait for the zone already; try again\"}\n");
    std::vector<CtlRequest> requests;
    mailbox.take(requests);
    CHECK(requests.size() == kCtlWaitingMax);
    CHECK(ctl.receive(99, "status\n").kind == StreamReply::Kind::later);
}

TEST_CASE("ctl_protocol: answers are one line of JSON") {
    CHECK(ctl_answer("{\"saved_tick\":3}") == "{\"exit\":0,\"answer\":{\"saved_tick\":3}}\n");
    CHECK(ctl_error(2, "no \"such\"\nthing") ==
          "{\"exit\":2,\"error\":\"no \\\"such\\\"\\u000athing\"}\n");
}

}  // namespace
}  // namespace terrane
