// SPDX-License-Identifier: Apache-2.0
#include "api/caller_review_codec.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace aliquot::api {
namespace {

using Json = nlohmann::json;

std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// status.<...> of a review of that kind.
Result<Json> StatusOf(std::string_view json, const char* kind) {
  const Json review = Json::parse(json, nullptr, false);
  const bool good = review.is_object() && review.value("kind", Json()) == kind &&
                    review.contains("status") && review["status"].is_object();
  if (!good) {
    return InvalidArgument(std::string("the API server's answer is no ") + kind + " with a status");
  }
  return review["status"];
}

bool TextAt(const Json& object, const char* key, std::string& text) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) {
    return true;
  }
  if (!found->is_string()) {
    return false;
  }
  text = found->get<std::string>();
  return true;
}

bool Texts(const Json& list, std::vector<std::string>& texts) {
  if (!list.is_array()) {
    return list.is_null();
  }
  for (const Json& each : list) {
    if (!each.is_string()) {
      return false;
    }
    texts.push_back(each.get<std::string>());
  }
  return true;
}

bool TextsAt(const Json& object, const char* key, std::vector<std::string>& texts) {
  const auto found = object.find(key);
  return found == object.end() || Texts(*found, texts);
}

bool FlagAt(const Json& object, const char* key, bool& flag) {
  const auto found = object.find(key);
  flag = found != object.end() && found->is_boolean() && found->get<bool>();
  return found == object.end() || found->is_boolean();
}

bool TakeCaller(const Json& user, ReviewedCaller& caller) {
  if (!user.is_object() || !TextAt(user, "username", caller.user) ||
      !TextAt(user, "uid", caller.uid) || !TextsAt(user, "groups", caller.groups)) {
    return false;
  }
  const auto extra = user.find("extra");
  if (extra == user.end() || extra->is_null()) {
    return true;
  }
  if (!extra->is_object()) {
    return false;
  }
  for (const auto& [key, values] : extra->items()) {
    if (!Texts(values, caller.extra[key])) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string FormatTokenReview(std::string_view token, const std::vector<std::string>& audiences) {
  Json spec = {{"token", token}};
  if (!audiences.empty()) {
    spec["audiences"] = audiences;
  }
  return Dump({{"apiVersion", "authentication.k8s.io/v1"},
               {"kind", "TokenReview"},
               {"spec", std::move(spec)}});
}

Result<TokenReviewAnswer> ParseTokenReview(std::string_view json) {
  const auto status = StatusOf(json, "TokenReview");
  if (!status.ok()) {
    return status.status();
  }
  TokenReviewAnswer answer;
  bool good = FlagAt(*status, "authenticated", answer.authenticated) &&
              TextsAt(*status, "audiences", answer.audiences);
  if (good && answer.authenticated) {
    const auto user = status->find("user");
    good = user != status->end() && TakeCaller(*user, answer.caller) && !answer.caller.user.empty();
  }
  if (!good) {
    return InvalidArgument("the API server's TokenReview names no user, or not as it should");
  }
  return answer;
}

std::string FormatPathAccessReview(const ReviewedCaller& caller, std::string_view path) {
  Json spec = {{"user", caller.user},
               {"groups", caller.groups},
               {"nonResourceAttributes", {{"path", path}, {"verb", "get"}}}};
  if (!caller.uid.empty()) {
    spec["uid"] = caller.uid;
  }
  if (!caller.extra.empty()) {
    spec["extra"] = caller.extra;
  }
  return Dump({{"apiVersion", "authorization.k8s.io/v1"},
               {"kind", "SubjectAccessReview"},
               {"spec", std::move(spec)}});
}

Result<bool> ParseAccessReview(std::string_view json) {
  const auto status = StatusOf(json, "SubjectAccessReview");
  if (!status.ok()) {
    return status.status();
  }
  bool allowed = false;
  bool denied = false;
  if (!FlagAt(*status, "allowed", allowed) || !FlagAt(*status, "denied", denied)) {
    return InvalidArgument("the API server's SubjectAccessReview says neither yes nor no");
  }
  return allowed && !denied;
}

}  // namespace aliquot::api
