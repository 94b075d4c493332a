// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a handler of the HTTPS server sees and answers with. Values only; no thread rules.

namespace aliquot::http {

// Go's decoders ask for nothing more than JSON; the parameter keeps cpp-httplib from compressing
// the reply, which would cost more time than a loopback or a pod network ever gives back.
inline constexpr std::string_view kJsonContentType = "application/json; charset=utf-8";
inline constexpr std::string_view kTextContentType = "text/plain; charset=utf-8";

using HeaderView = std::pair<std::string_view, std::string_view>;

// One request, complete: its whole body has arrived and has passed every limit of the server. All
// views are valid until the handler returns.
struct Request {
  std::string_view method;
  std::string_view path;  // percent-decoded, without the query
  std::string_view body;
  std::string_view remote_address;    // of the socket ("10.0.0.7:41234"), never taken from a header
  std::string_view peer_common_name;  // of the verified client certificate; empty without one
  std::vector<std::pair<std::string, std::string>> parameters;  // the query, percent-decoded
  std::vector<HeaderView> headers;                              // as sent; may hold credentials

  // The first value of a query parameter.
  std::optional<std::string_view> Parameter(std::string_view name) const;
  // The first value of a header; names compare without case.
  std::optional<std::string_view> Header(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string content_type{kJsonContentType};
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // besides those that the server writes
};

Response JsonResponse(std::string body);
// An error a person reads: one sentence, as plain text with a newline.
Response TextResponse(int status, std::string_view sentence);

// Called on one of the server's workers, which it may keep busy for as long as it needs. Must be
// safe to call from all workers at once. An exception becomes a 500 whose text says nothing of it.
using Handler = std::function<Response(const Request&)>;

}  // namespace aliquot::http
