// SPDX-License-Identifier: Apache-2.0
#include "access/access_reviewer.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace aliquot::access {
namespace {

using Kind = AccessAnswer::Kind;
using kubeclient::CallResult;

constexpr std::size_t kMostReplyBytes = 512 << 10;  // of a user in very many groups
constexpr std::size_t kShownName = 120;

AccessAnswer Unavailable(const std::string& why) {
  return {Kind::kUnavailable, "the API server could not be asked who may read this: " + why};
}

}  // namespace

int HttpStatusOf(AccessAnswer::Kind kind) {
  switch (kind) {
    case Kind::kAllowed:
      return 200;
    case Kind::kUnknownCaller:
      return 401;
    case Kind::kForbidden:
      return 403;
    case Kind::kTooMany:
      return 429;
    case Kind::kUnavailable:
      break;
  }
  return 503;
}

Result<std::string> ApiAccessReviewer::Ask(const kubeclient::ApiVerb& verb, std::string body,
                                           SteadyTime deadline) {
  kubeclient::ApiRequest request;
  request.verb = verb;
  request.content_type = "application/json";
  request.body = std::move(body);
  request.max_reply_bytes = kMostReplyBytes;
  CallResult result = transport_.Call(request, deadline, nullptr);
  if (result.outcome != CallResult::Outcome::kReply) {
    return aliquot::Unavailable(result.message);
  }
  if (result.reply.status != 200 && result.reply.status != 201) {
    const std::string remedy =
        result.reply.status == 403 ? ", this program's own account lacks the right" : "";
    return aliquot::Unavailable(std::string(verb.resource) + " answered HTTP " +
                                std::to_string(result.reply.status) + remedy);
  }
  return std::move(result.reply.body);
}

Result<api::TokenReviewAnswer> ApiAccessReviewer::AskWho(std::string_view token,
                                                         const std::vector<std::string>& audiences,
                                                         SteadyTime deadline) {
  const auto reply =
      Ask(kubeclient::kReviewToken, api::FormatTokenReview(token, audiences), deadline);
  if (!reply.ok()) {
    return reply.status();
  }
  auto answer = api::ParseTokenReview(*reply);
  // A server that knows audiences names the one that fits; one that does not leaves the list empty,
  // and the token is then good for the server itself, which we take as well.
  if (answer.ok() && answer->authenticated && !answer->audiences.empty() && !audiences.empty() &&
      std::find(answer->audiences.begin(), answer->audiences.end(), audiences.front()) ==
          answer->audiences.end()) {
    answer->authenticated = false;
  }
  return answer;
}

AccessAnswer ApiAccessReviewer::Review(std::string_view token, std::string_view path) {
  const SteadyTime deadline = clock_.SteadyNow() + timeout_;
  auto who = AskWho(token, {pages_.audience}, deadline);
  if (who.ok() && !who->authenticated) {
    who = AskWho(token, {}, deadline);
  }
  if (!who.ok()) {
    return Unavailable(who.status().message());
  }
  if (!who->authenticated) {
    return {
        Kind::kUnknownCaller,
        "the API server does not know this token; show one that has not expired, with audience " +
            pages_.audience + " or the API server's own"};
  }
  const auto reply =
      Ask(kubeclient::kReviewAccess, api::FormatPathAccessReview(who->caller, path), deadline);
  if (!reply.ok()) {
    return Unavailable(reply.status().message());
  }
  const auto allowed = api::ParseAccessReview(*reply);
  if (!allowed.ok()) {
    return Unavailable(allowed.status().message());
  }
  if (!*allowed) {
    return {Kind::kForbidden, Printable(who->caller.user, kShownName) + " may not get " +
                                  std::string(path) + "; bind ClusterRole " + pages_.reader_role +
                                  " to it"};
  }
  return {Kind::kAllowed, ""};
}

}  // namespace aliquot::access
