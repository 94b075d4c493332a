// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_api_reviews.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace aliquot::test {
namespace {

using Json = FakeApiStore::Json;
using Reply = FakeApiStore::Reply;

Reply Review(const char* group, const char* kind, Json status) {
  return {201, Json({{"apiVersion", std::string(group) + "/v1"},
                     {"kind", kind},
                     {"metadata", Json::object()},
                     {"status", std::move(status)}})
                   .dump()};
}

Json SpecOf(const std::string& body) {
  return Json::parse(body, nullptr, false).value("spec", Json::object());
}

}  // namespace

void FakeApiReviews::AddToken(const std::string& token, const std::string& user,
                              const std::string& audience) {
  MutexLock lock(mutex_);
  tokens_[token] = {user, audience};
}

void FakeApiReviews::RemoveToken(const std::string& token) {
  MutexLock lock(mutex_);
  tokens_.erase(token);
}

void FakeApiReviews::Allow(const std::string& user, const std::string& path) {
  MutexLock lock(mutex_);
  allowed_.emplace(user, path);
}

Reply FakeApiReviews::ReviewToken(const std::string& body) const {
  const Json spec = SpecOf(body);
  auto audiences = spec.value("audiences", std::vector<std::string>());
  if (audiences.empty()) {
    audiences.emplace_back(kOwnAudience);
  }
  MutexLock lock(mutex_);
  const auto token = tokens_.find(spec.value("token", ""));
  const bool good = token != tokens_.end() && std::find(audiences.begin(), audiences.end(),
                                                        token->second.audience) != audiences.end();
  return Review("authentication.k8s.io", "TokenReview",
                good ? Json({{"authenticated", true},
                             {"user", {{"username", token->second.user}, {"groups", {"all"}}}},
                             {"audiences", {token->second.audience}}})
                     : Json({{"user", Json::object()}, {"error", "invalid bearer token"}}));
}

Reply FakeApiReviews::ReviewAccess(const std::string& body) const {
  const Json spec = SpecOf(body);
  const Json asked = spec.value("nonResourceAttributes", Json::object());
  MutexLock lock(mutex_);
  const bool allowed = asked.value("verb", "") == "get" &&
                       allowed_.count({spec.value("user", ""), asked.value("path", "")}) != 0;
  return Review("authorization.k8s.io", "SubjectAccessReview", {{"allowed", allowed}});
}

Reply FakeApiReviews::RequestToken(const std::string& namespace_name, const std::string& name,
                                   const std::string& body) {
  const Json spec = SpecOf(body);
  if (spec.value("expirationSeconds", 0) < 600) {
    return FakeApiStore::Failure(422, "Invalid", "may not specify a duration less than 10 minutes");
  }
  MutexLock lock(mutex_);
  const std::string token = "token-" + std::to_string(++made_);
  tokens_[token] = {"system:serviceaccount:" + namespace_name + ":" + name,
                    spec.value("audiences", std::vector<std::string>{kOwnAudience}).at(0)};
  return Review("authentication.k8s.io", "TokenRequest",
                {{"token", token}, {"expirationTimestamp", "2030-01-01T00:00:00Z"}});
}

}  // namespace aliquot::test
