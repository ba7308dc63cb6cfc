#include "server/ops/http.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

HttpPage pages(std::string_view path) {
    if (path == "/status") {
        return {200, "application/json", "{\"a\":1}\n"};
    }
    return {404, "text/plain", "there is /status\n"};
}

std::string answer(std::string_view request) {
    return answer_http(request, pages);
}

int status_of(std::string_view text) {
    return text.size() < 12 ? 0 : std::stoi(std::string(text.substr(9, 3)));
}

struct Sample {
    std::string request;
    int status;
};

std::vector<Sample> samples() {
    const std::string host = "Host: zone\r\n";
    return {
        {"GET /status HTTP/1.1\r\n" + host + "\r\n", 200},
        {"GET /status?x=1 HTTP/1.1\r\n" + host + "Accept: */*\r\nX-Empty:\r\n\r\n", 200},
        {"GET http://zone:7780/status HTTP/1.1\r\n" + host + "\r\n", 200},
        {"GET /status HTTP/1.1\nhOsT: zone\n\n", 200},  // lone LF
        {"GET /status HTTP/1.0\r\n\r\n", 200},          // 1.0 needs no Host
        {"HEAD /status HTTP/1.1\r\n" + host + "\r\n", 200},
        {"GET /other HTTP/1.1\r\n" + host + "\r\n", 404},
        {"GET http://zone HTTP/1.1\r\n" + host + "\r\n", 404},
        {"POST /status HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc", 405},
        {"OPTIONS * HTTP/1.1\r\n" + host + "\r\n", 405},
        {"get /status HTTP/1.1\r\n" + host + "\r\n", 405},
        {"GET /status HTTP/2.0\r\n" + host + "\r\n", 505},
        {"GET /status HTTP/1.1\r\n\r\n", 400},                     // no Host
        {"GET /status HTTP/1.1\r\n" + host + host + "\r\n", 400},  // two
        {"GET /status HTTP/1.1\r\nHost : zone\r\n\r\n", 400},      // blank before the colon
        {"GET /status HTTP/1.1\r\n" + host + " folded\r\n\r\n", 400},
        {"GET /status HTTP/1.1\r\n" + host + "nonsense\r\n\r\n", 400},
        {"GET /status\r\n\r\n", 400},  // HTTP/0.9
        {"GET  HTTP/1.1\r\n" + host + "\r\n", 400},
        {"GET /a b HTTP/1.1\r\n" + host + "\r\n", 400},
        {"GET status HTTP/1.1\r\n" + host + "\r\n", 400},
        {"G@T /status HTTP/1.1\r\n" + host + "\r\n", 400},
        {"GET /status HTTP/1.x\r\n" + host + "\r\n", 400},
        {"GET /status XTTP/1.1\r\n" + host + "\r\n", 400},
        {"\r\n\r\n", 400},
        {" \r\n\r\n", 400},
        {"GET /status HTTP/1.1\r\nHost: zo\rne\r\n\r\n", 400},  // a CR alone
        {std::string("GET /sta\0tus HTTP/1.1\r\n", 24) + host + "\r\n", 400},
        {"\x16\x03\x01\x02", 400},  // TLS
    };
}

TEST_CASE("http: each request has its status") {
    for (const Sample& sample : samples()) {
        CAPTURE(sample.request);
        CHECK(status_of(answer(sample.request)) == sample.status);
    }
}

TEST_CASE("http: however a request is cut, it is answered once it is whole, and the same") {
    for (const Sample& sample : samples()) {
        CAPTURE(sample.request);
        std::string first;
        for (std::size_t size = 0; size <= sample.request.size() && first.empty(); ++size) {
            first = answer(std::string_view(sample.request).substr(0, size));
        }
        CHECK(first == answer(sample.request));
        CHECK(answer(sample.request + "GET /other HTTP/1.1\r\n\r\n") == first);  // pipelined
    }
}

TEST_CASE("http: a good answer says length, type and end; HEAD's is the same without the body") {
    const std::string got = answer("GET /status HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(got ==
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n"
          "Cache-Control: no-store\r\nConnection: close\r\n\r\n{\"a\":1}\n");
    const std::string head = answer("HEAD /status HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(head + "{\"a\":1}\n" == got);
    CHECK(answer("PUT /status HTTP/1.1\r\nHost: a\r\n\r\n").find("\r\nAllow: GET, HEAD\r\n") !=
          std::string::npos);
}

TEST_CASE("http: a request that is not whole gets no answer yet") {
    for (const char* part : {"", "G", "GET /status HTTP/1.1\r\n", "GET /status HTTP/1.1\r\nHost: a",
                             "GET /status HTTP/1.1\r\nHost: a\r\n\r"}) {
        CAPTURE(part);
        CHECK(answer(part).empty());
    }
}

TEST_CASE("http: changed and random bytes give a well-formed answer or none") {
    Random random(7);
    const std::vector<Sample> all = samples();
    int answered = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string request = all[random.below(static_cast<std::uint32_t>(all.size()))].request;
        for (std::uint32_t change = random.below(4) + 1; change > 0 && !request.empty(); --change) {
            const std::uint32_t at = random.below(static_cast<std::uint32_t>(request.size()));
            switch (random.below(3)) {
                case 0:
                    request[at] = static_cast<char>(random.below(256));
                    break;
                case 1:
                    request.erase(at, 1);
                    break;
                default:
                    request.insert(at, 1, static_cast<char>(random.below(256)));
            }
        }
        CAPTURE(round);
        const std::string text = answer(request);
        answered += text.empty() ? 0 : 1;
        const bool is_good = text.empty() || (text.starts_with("HTTP/1.1 ") &&
                                              text.find("\r\n\r\n") != std::string::npos);
        CHECK(is_good);
    }
    CHECK(answered > 10'000);
}

}  // namespace
}  // namespace terrane
