// SPDX-License-Identifier: Apache-2.0
#include "certificates/cluster_objects.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "kubeclient/base64.h"

namespace aliquot::certificates {
namespace {

using kubeclient::ApiRequest;
using kubeclient::CallResult;
using nlohmann::json;

constexpr std::chrono::seconds kTimeout{5};
constexpr char kRotate[] = "aliquot.io/rotate";
constexpr char kMergePatch[] = "application/merge-patch+json";
constexpr char kJsonPatch[] = "application/json-patch+json";
constexpr int kConflict = 409;
constexpr int kInvalid = 422;

std::string What(DataKind kind, const std::string& name) {
  return (kind == DataKind::kSecret ? "Secret " : "ConfigMap ") + name;
}

std::string Configuration(const std::string& name) {
  return "MutatingWebhookConfiguration " + name;
}

// "" where there is no such text.
std::string TextAt(const json& object, const json::json_pointer& at) {
  const auto found = object.contains(at) ? object.at(at) : json();
  return found.is_string() ? found.get<std::string>() : std::string();
}

Result<json> Parse(const std::string& body, const std::string& what) {
  json parsed = json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return Unavailable(what + ": the API server's answer is no object");
  return parsed;
}

Status Refused(const std::string& what, const CallResult& result) {
  const json body = json::parse(result.reply.body, nullptr, false);
  const std::string message =
      body.is_object() ? TextAt(body, json::json_pointer("/message")) : std::string();
  const std::string sentence = what + ": the API server answers " +
                               std::to_string(result.reply.status) +
                               (message.empty() ? "" : ": " + message);
  switch (result.reply.status) {
    case 404:
      return NotFound(what + " does not exist in the cluster; the chart makes it");
    case kConflict:
    case kInvalid:
      return Status(StatusCode::kAborted, sentence);
    default:
      return Unavailable(sentence);
  }
}

ApiRequest RequestFor(const kubeclient::ApiVerb& verb, std::string namespace_name,
                      std::string name) {
  ApiRequest request;
  request.verb = verb;
  request.namespace_name = std::move(namespace_name);
  request.name = std::move(name);
  return request;
}

}  // namespace

Result<std::string> ClusterObjects::Call(ApiRequest request, const std::string& what) {
  CallResult result = transport_.Call(request, clock_.SteadyNow() + kTimeout, nullptr);
  if (result.outcome != CallResult::Outcome::kReply) {
    return Unavailable(what + ": " + result.message);
  }
  if (result.reply.status != 200) return Refused(what, result);
  return std::move(result.reply.body);
}

Result<DataObject> ClusterObjects::Read(DataKind kind, const std::string& name) {
  const std::string what = What(kind, name);
  const bool secret = kind == DataKind::kSecret;
  auto body = Call(
      RequestFor(secret ? kubeclient::kGetSecret : kubeclient::kGetConfigMap, namespace_, name),
      what);
  if (!body.ok()) return body.status();
  const auto parsed = Parse(*body, what);
  if (!parsed.ok()) return parsed.status();
  DataObject object;
  object.resource_version = TextAt(*parsed, json::json_pointer("/metadata/resourceVersion"));
  object.rotate =
      TextAt(*parsed, json::json_pointer("/metadata/annotations") / std::string(kRotate));
  const auto data = parsed->find("data");
  if (data == parsed->end() || !data->is_object()) return object;
  for (const auto& [key, value] : data->items()) {
    if (!value.is_string()) continue;
    auto text = value.get<std::string>();
    if (!secret) {
      object.data[key] = std::move(text);
    } else if (auto decoded = kubeclient::DecodeBase64(text)) {
      object.data[key] = *std::move(decoded);
    }
  }
  return object;
}

Status ClusterObjects::Write(DataKind kind, const std::string& name,
                             const std::string& resource_version,
                             const std::map<std::string, std::optional<std::string>>& data) {
  const bool secret = kind == DataKind::kSecret;
  json values = json::object();
  for (const auto& [key, value] : data) {
    if (!value) {
      values[key] = nullptr;
    } else {
      values[key] = secret ? kubeclient::EncodeBase64(*value) : *value;
    }
  }
  ApiRequest request =
      RequestFor(secret ? kubeclient::kPatchSecret : kubeclient::kPatchConfigMap, namespace_, name);
  request.content_type = kMergePatch;
  request.body =
      json{{"metadata", {{"resourceVersion", resource_version}}}, {"data", values}}.dump();
  return Call(std::move(request), What(kind, name)).status();
}

Result<std::vector<ClusterObjects::Webhook>> ClusterObjects::ReadWebhooks(
    const std::string& configuration) {
  const std::string what = Configuration(configuration);
  auto body = Call(RequestFor(kubeclient::kGetWebhooks, "", configuration), what);
  if (!body.ok()) return body.status();
  const auto parsed = Parse(*body, what);
  if (!parsed.ok()) return parsed.status();
  std::vector<Webhook> webhooks;
  const auto listed = parsed->find("webhooks");
  if (listed == parsed->end() || !listed->is_array()) return webhooks;
  for (const json& each : *listed) {
    if (!each.is_object()) continue;
    const std::string encoded = TextAt(each, json::json_pointer("/clientConfig/caBundle"));
    webhooks.push_back({TextAt(each, json::json_pointer("/name")),
                        kubeclient::DecodeBase64(encoded).value_or("")});
  }
  return webhooks;
}

Status ClusterObjects::WriteBundle(const std::string& configuration,
                                   const std::vector<Webhook>& webhooks,
                                   const std::string& bundle) {
  json patch = json::array();
  for (std::size_t i = 0; i < webhooks.size(); ++i) {
    const std::string at = "/webhooks/" + std::to_string(i);
    patch.push_back({{"op", "test"}, {"path", at + "/name"}, {"value", webhooks[i].name}});
    patch.push_back({{"op", "add"},
                     {"path", at + "/clientConfig/caBundle"},
                     {"value", kubeclient::EncodeBase64(bundle)}});
  }
  ApiRequest request = RequestFor(kubeclient::kPatchWebhooks, "", configuration);
  request.content_type = kJsonPatch;
  request.body = patch.dump();
  return Call(std::move(request), Configuration(configuration)).status();
}

}  // namespace aliquot::certificates
