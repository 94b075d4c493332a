// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

// The head of a request (RFC 9112 sections 3 and 5), checked before cpp-httplib sees any of it:
// that library bounds neither the number of header fields nor a line, and does not notice
// contradictory framing (CVE-2025-52887, -53628, -66570, CVE-2026-34441). Pure functions; no thread
// rules.

namespace aliquot::http {

// A request that is not going to be served: the status and one sentence for its sender.
struct Refusal {
  int status = 0;
  std::string sentence;
};

struct HeadLimits {
  std::size_t max_head_bytes = 32u << 10;
  std::size_t max_headers = 64;
  std::size_t max_body_bytes = 16u << 20;
};

// How long one line may be. Below the 8,192 at which cpp-httplib gives up, so that this limit
// decides.
inline constexpr std::size_t kMaxLineBytes = 8000;

struct RequestLine {
  std::string_view method;
  std::string_view target;
  bool http_1_0 = false;
};

// What the header fields say about the rest of the message.
struct Framing {
  bool chunked = false;
  std::size_t content_length = 0;
  bool keep_alive = true;
  bool expects_continue = false;
};

// `line` without its CRLF.
std::optional<Refusal> ParseRequestLine(std::string_view line, RequestLine* parsed);
// One field line without its CRLF; views into `line`.
std::optional<Refusal> ParseHeaderLine(std::string_view line, HeaderView* parsed);
// Refuses everything that two readers could frame differently, every encoding and every range.
std::optional<Refusal> CheckFraming(const RequestLine& line, const std::vector<HeaderView>& headers,
                                    const HeadLimits& limits, Framing* framing);

}  // namespace aliquot::http
