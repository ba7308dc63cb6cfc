#include "server/ops/http.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace terrane {
namespace {

std::string_view reason_of(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 431:
            return "Request Header Fields Too Large";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Service Unavailable";
    }
}

std::string write_answer(const HttpPage& page, bool has_body) {
    return fmt::format(
        "HTTP/1.1 {} {}\r\n{}Content-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
        "Connection: close\r\n\r\n{}",
        page.status, reason_of(page.status), page.status == 405 ? "Allow: GET, HEAD\r\n" : "",
        page.content_type, page.body.size(), has_body ? std::string_view(page.body) : "");
}

/// Of a method and of a header's name.
bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
}

/// Cuts the next line off `head`, without its CR LF (or a lone LF).
std::string_view take_line(std::string_view& head) {
    const std::size_t end = head.find('\n');
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 1);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

struct Head {
    std::string_view text;  ///< up to and with the empty line
    int status = 200;       ///< 400: a byte in it is wrong
};

/// nullopt: not whole yet.
std::optional<Head> find_head(std::string_view bytes) {
    std::size_t line_start = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] == '\n') {
            const std::size_t length = i - line_start;
            if (length == 0 || (length == 1 && bytes[line_start] == '\r')) {
                return Head{bytes.substr(0, i + 1), line_start == 0 ? 400 : 200};
            }
            line_start = i + 1;
        } else if (bytes[i] == '\r') {
            if (i + 1 == bytes.size()) {
                return std::nullopt;
            }
            if (bytes[i + 1] != '\n') {
                return Head{bytes, 400};
            }
        } else if (is_control(bytes[i])) {
            return Head{bytes, 400};
        }
    }
    return std::nullopt;
}

/// "http://host/path?query" or "/path?query" to "/path"; empty: neither.
std::string_view path_of(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (target.starts_with(scheme)) {
            target.remove_prefix(scheme.size());
            const std::size_t slash = target.find('/');
            target = slash == std::string_view::npos ? "/" : target.substr(slash);
        }
    }
    return target.starts_with('/') ? target.substr(0, target.find_first_of("?#")) : "";
}

struct RequestLine {
    int status = 400;
    bool is_head = false;
    bool needs_host = false;
    std::string_view path;
};

RequestLine parse_request_line(std::string_view line) {
    RequestLine request;
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) {
        return request;
    }
    const std::string_view method = line.substr(0, first);
    const std::string_view target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    request.path = path_of(target);
    const bool is_version = version.size() == 8 && version.starts_with("HTTP/") &&
                            version[5] >= '0' && version[5] <= '9' && version[6] == '.' &&
                            version[7] >= '0' && version[7] <= '9';
    if (!is_token(method) || !is_version || target.find_first_of(" \t") != target.npos) {
        return request;
    }
    if (version[5] != '1') {
        request.status = 505;
    } else if (method != "GET" && method != "HEAD") {
        request.status = 405;
    } else if (!request.path.empty()) {
        request.status = 200;
    }
    request.is_head = method == "HEAD";
    request.needs_host = version != "HTTP/1.0";
    return request;
}

/// Name and colon in every line, no line that continues another, one Host if there must be one.
bool are_headers_good(std::string_view head, bool needs_host) {
    std::size_t host_count = 0;
    for (std::string_view line = take_line(head); !line.empty(); line = take_line(head)) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
            return false;
        }
        std::string name(line.substr(0, colon));
        std::ranges::transform(name, name.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        host_count += name == "host" ? 1U : 0U;
    }
    return host_count == 1 || (host_count == 0 && !needs_host);
}

}  // namespace

std::string http_error(int status) {
    HttpPage page;
    page.status = status;
    page.body = fmt::format("{} {}\n", status, reason_of(status));
    return write_answer(page, true);
}

std::string answer_http(std::string_view bytes, const HttpPages& pages) {
    const std::optional<Head> head = find_head(bytes);
    if (!head) {
        return {};
    }
    if (head->status != 200) {
        return http_error(head->status);
    }
    std::string_view rest = head->text;
    const RequestLine request = parse_request_line(take_line(rest));
    if (request.status != 200) {
        return http_error(request.status);
    }
    if (!are_headers_good(rest, request.needs_host)) {
        return http_error(400);
    }
    return write_answer(pages(request.path), !request.is_head);
}

}  // namespace terrane
