// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/api_reader.h"

#include <ctime>
#include <utility>

#include "base/strings.h"
#include "kubeclient/api_path.h"

namespace aliquot::cli {
namespace {

using kubeclient::ApiRequest;
using kubeclient::ApiVerb;
using kubeclient::CallResult;
using nlohmann::json;

constexpr std::chrono::seconds kTimeout{20};
constexpr std::size_t kMaxReplyBytes = std::size_t{64} << 20;
constexpr std::size_t kShown = 400;

std::string Named(const ApiVerb& verb, const std::string& namespace_name, const std::string& name) {
  std::string what = std::string(verb.resource);
  if (!name.empty()) {
    what += " " + name;
  }
  return namespace_name.empty() ? what : what + " in namespace " + namespace_name;
}

std::optional<SystemTime> Parse(const std::string& text, const char* form) {
  std::tm fields{};
  if (strptime(text.c_str(), form, &fields) == nullptr) {
    return std::nullopt;
  }
  return std::chrono::system_clock::from_time_t(timegm(&fields));
}

Status Refused(const std::string& doing, const ApiVerb& verb, const CallResult& result) {
  const json body = json::parse(result.reply.body, nullptr, false);
  const int status = result.reply.status;
  const std::string message = Printable(TextAt(body, "/message"), kShown);
  if (status == 403 && message.find("cannot " + std::string(verb.verb)) != std::string::npos) {
    return Status(StatusCode::kPermissionDenied,
                  "there is no right to " + std::string(verb.verb) + " " + doing);
  }
  const std::string sentence = doing + ": the API server answers " + std::to_string(status) +
                               (message.empty() ? "" : ": " + message);
  switch (status) {
    case 401:
      return Status(StatusCode::kUnauthenticated,
                    doing + ": the API server does not accept the credentials");
    case 404:
      return NotFound(sentence);
    default:
      return FailedPrecondition(sentence);
  }
}

}  // namespace

const json& MemberAt(const json& object, const char* pointer) {
  static const json kNull;
  const json::json_pointer at(pointer);
  return object.contains(at) ? object.at(at) : kNull;
}

std::string TextAt(const json& object, const char* pointer) {
  const json& member = MemberAt(object, pointer);
  return member.is_string() ? member.get<std::string>() : std::string();
}

std::int64_t NumberAt(const json& object, const char* pointer, std::int64_t fallback) {
  const json& member = MemberAt(object, pointer);
  return member.is_number_integer() ? member.get<std::int64_t>() : fallback;
}

std::optional<SystemTime> ParseApiTime(const std::string& text) {
  return Parse(text, "%Y-%m-%dT%H:%M:%S");
}

std::optional<SystemTime> ParseHttpDate(const std::string& text) {
  return Parse(text, "%a, %d %b %Y %H:%M:%S GMT");
}

Result<json> ApiReader::Call(ApiRequest request, const std::string& doing) {
  request.max_reply_bytes = kMaxReplyBytes;
  const CallResult result = transport_.Call(request, clock_.SteadyNow() + kTimeout, nullptr);
  if (result.outcome != CallResult::Outcome::kReply) {
    return Unavailable(doing + ": " + result.message);
  }
  if (const std::string* date = result.reply.FindHeader("Date"); date != nullptr) {
    if (const auto server = ParseHttpDate(*date)) {
      clocks_ = Clocks{*server, clock_.SystemNow()};
    }
  }
  if (result.reply.status != 200 && result.reply.status != 201) {
    return Refused(doing, request.verb, result);
  }
  json parsed = json::parse(result.reply.body, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return Unavailable(doing + ": the API server's answer is no object");
  }
  return parsed;
}

Result<json> ApiReader::Get(const ApiVerb& verb, const std::string& namespace_name,
                            const std::string& name) {
  ApiRequest request;
  request.verb = verb;
  request.namespace_name = namespace_name;
  request.name = name;
  return Call(std::move(request), Named(verb, namespace_name, name));
}

Status ApiReader::ForEach(const ApiVerb& verb, const std::string& namespace_name,
                          const std::string& label_selector,
                          const std::function<void(const json&)>& take) {
  std::string token;
  do {
    ApiRequest request;
    request.verb = verb;
    request.namespace_name = namespace_name;
    request.query = "limit=500";
    if (!label_selector.empty()) {
      request.query += "&labelSelector=" + kubeclient::PercentEncode(label_selector);
    }
    if (!token.empty()) {
      request.query += "&continue=" + kubeclient::PercentEncode(token);
    }
    const auto page = Call(std::move(request), Named(verb, namespace_name, ""));
    if (!page.ok()) {
      return page.status();
    }
    for (const json& item : MemberAt(*page, "/items")) {
      take(item);
    }
    token = TextAt(*page, "/metadata/continue");
  } while (!token.empty());
  return Status::Ok();
}

Result<json> ApiReader::TryCreate(const ApiVerb& verb, const std::string& namespace_name,
                                  const json& object) {
  ApiRequest request;
  request.verb = verb;
  request.namespace_name = namespace_name;
  request.query = "dryRun=All";
  request.content_type = "application/json";
  request.body = object.dump();
  return Call(std::move(request), Named(verb, namespace_name, ""));
}

}  // namespace aliquot::cli
