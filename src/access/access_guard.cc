// SPDX-License-Identifier: Apache-2.0
#include "access/access_guard.h"

#include <strings.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace aliquot::access {
namespace {

using Kind = AccessAnswer::Kind;

// A service account's token has some 1,000 bytes; the server takes no longer header line.
constexpr std::size_t kLongestToken = 7800;

bool CanBeToken(std::string_view text) {
  return !text.empty() && text.size() <= kLongestToken &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

// Of a request with both, the header that was made for us counts.
std::optional<std::string_view> TokenOf(const http::Request& request) {
  if (const auto token = request.Header(kTokenHeader)) {
    return token;
  }
  constexpr std::string_view kScheme = "Bearer ";
  const auto header = request.Header("Authorization");
  if (!header || header->size() < kScheme.size() ||
      strncasecmp(header->data(), kScheme.data(), kScheme.size()) != 0) {
    return std::nullopt;
  }
  return header->substr(kScheme.size());
}

std::string_view WithoutPort(std::string_view address) {
  return address.substr(0, address.rfind(':'));
}

}  // namespace

AccessGuard::AccessGuard(AccessReviewer& reviewer, const Clock& clock, ReviewRates rates,
                         AccessCache::Limits limits)
    : reviewer_(reviewer), clock_(clock), cache_(limits), budget_(rates) {}

AccessAnswer AccessGuard::Admit(const http::Request& request) {
  const auto token = TokenOf(request);
  if (!token || !CanBeToken(*token)) {
    return {
        Kind::kUnknownCaller,
        "show a token of the cluster as \"Authorization: Bearer TOKEN\", or alone in the header " +
            std::string(kTokenHeader)};
  }
  AccessCache::Key key;
  {
    const SteadyTime now = clock_.SteadyNow();
    MutexLock lock(mutex_);
    key = cache_.KeyOf(*token, request.path);
    if (auto known = cache_.Find(key, now)) {
      return *std::move(known);
    }
    if (asking_ >= kAtOnce || !budget_.Take(WithoutPort(request.remote_address), now)) {
      return {Kind::kTooMany, "too many callers that are not known yet; try again in a second"};
    }
    ++asking_;
  }
  AccessAnswer answer = reviewer_.Review(*token, request.path);
  MutexLock lock(mutex_);
  --asking_;
  cache_.Keep(key, answer, clock_.SteadyNow());
  return answer;
}

http::Handler AccessGuard::Guard(http::Handler handler) {
  return [this, handler = std::move(handler)](const http::Request& request) {
    const AccessAnswer answer = Admit(request);
    if (answer.allowed()) {
      return handler(request);
    }
    http::Response response = http::TextResponse(HttpStatusOf(answer.kind), answer.sentence);
    if (answer.kind == Kind::kUnknownCaller) {
      response.headers.emplace_back("WWW-Authenticate", "Bearer");
    }
    if (answer.kind == Kind::kTooMany) {
      response.headers.emplace_back("Retry-After", "1");
    }
    return response;
  };
}

}  // namespace aliquot::access
