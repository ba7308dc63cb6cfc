// Just enough HTTP/1.1 to show three pages to a browser, a scraper or a health check: one request,
// one answer, then the connection closes (RFC 9112 lets a server do that). GET and HEAD; the
// request's head must be well formed, its body is not looked at.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace terrane {

/// Of a request's head; longer ones get kHttpTooLong.
inline constexpr std::size_t kHttpRequestBytesMax = 8 * 1024;

struct HttpPage {
    int status = 200;
    std::string_view content_type = "text/plain; charset=utf-8";
    std::string body;
};

/// The page of a path like "/status", query cut off; status 404 for one that does not exist.
using HttpPages = std::function<HttpPage(std::string_view path)>;

/// Answers the request that `bytes` begin with; empty as long as its head is not whole. Judges
/// bytes in order: what is wrong is refused as soon as it is there.
std::string answer_http(std::string_view bytes, const HttpPages& pages);

/// A whole answer with a line of text.
std::string http_error(int status);

}  // namespace terrane
