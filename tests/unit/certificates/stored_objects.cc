// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/certificates/stored_objects.h"

#include <utility>

#include "kubeclient/base64.h"

namespace aliquot::certificates {
namespace {

using kubeclient::CallResult;
using Json = StoredObjects::Json;

CallResult Reply(int status, const std::string& body) {
  CallResult result;
  result.outcome = CallResult::Outcome::kReply;
  result.reply.status = status;
  result.reply.body = body;
  return result;
}

CallResult Failure(int status, const std::string& message) {
  return Reply(status, Json{{"kind", "Status"}, {"message", message}}.dump());
}

std::string KeyOf(const kubeclient::ApiRequest& request) {
  return request.verb.resource == "mutatingwebhookconfigurations" ? "webhooks/" + request.name
                                                                  : request.name;
}

bool IsSecret(const Json& object) { return object.at("kind") == "Secret"; }

}  // namespace

StoredObjects::StoredObjects() {
  for (const auto& [name, kind] :
       {std::pair("aliquot-ca", "Secret"), std::pair("aliquot-scheduler-client", "Secret"),
        std::pair("aliquot-signing", "Secret"), std::pair("aliquot-signing-keys", "ConfigMap")}) {
    objects_[name] = {{"kind", kind}, {"metadata", {{"name", name}, {"namespace", "ns"}}}};
    Touch(objects_[name]);
  }
  Json hooks = Json::array();
  for (const char* name : {"mutate.aliquot.io", "stamp.aliquot.io"}) {
    hooks.push_back({{"name", name},
                     {"failurePolicy", "Fail"},
                     {"clientConfig", {{"service", {{"name", "aliquot-admission"}}}}}});
  }
  objects_["webhooks/aliquot"] = {{"kind", "MutatingWebhookConfiguration"}, {"webhooks", hooks}};
  Touch(objects_["webhooks/aliquot"]);
}

void StoredObjects::Touch(Json& object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
}

CallResult StoredObjects::Call(const kubeclient::ApiRequest& request, SteadyTime /*deadline*/,
                               kubeclient::Cancellation* /*cancellation*/) {
  if (silent) {
    CallResult result;
    result.message = "the connection was refused";
    return result;
  }
  const std::string key = KeyOf(request);
  if (objects_.find(key) == objects_.end()) return Failure(404, "not found");
  if (request.verb.verb == "get") return Reply(200, objects_.at(key).dump());
  if (auto hook = std::exchange(before_write, nullptr)) hook(key);
  CallResult result = Patch(request, key);
  if (result.reply.status == 200) {
    if (kill_at_write == static_cast<int>(writes.size())) {
      writes.push_back(key);
      throw Killed();
    }
    writes.push_back(key);
  }
  return result;
}

CallResult StoredObjects::Stream(const kubeclient::ApiRequest& /*request*/,
                                 const kubeclient::StreamLimits& /*limits*/,
                                 kubeclient::Cancellation& /*cancellation*/,
                                 const kubeclient::ChunkConsumer& /*consumer*/) {
  return {};
}

CallResult StoredObjects::Patch(const kubeclient::ApiRequest& request, const std::string& key) {
  Json& object = objects_.at(key);
  const Json patch = Json::parse(request.body);
  if (request.content_type == "application/json-patch+json") {
    try {
      object = object.patch(patch);
    } catch (const Json::exception& error) {
      return Failure(422, error.what());
    }
  } else {
    const Json version = patch.value("/metadata/resourceVersion"_json_pointer, Json());
    if (!version.is_null() && version != object["metadata"]["resourceVersion"]) {
      return Failure(409, "the object has been modified");
    }
    object.merge_patch(patch);
  }
  Touch(object);
  return Reply(200, object.dump());
}

std::string StoredObjects::Value(const std::string& name, const std::string& key) const {
  const Json& object = objects_.at(name);
  const std::string text = object.value("data", Json::object()).value(key, "");
  return IsSecret(object) ? kubeclient::DecodeBase64(text).value_or("") : text;
}

void StoredObjects::SetValue(const std::string& name, const std::string& key,
                             const std::string& value) {
  Json& object = objects_.at(name);
  object["data"][key] = IsSecret(object) ? kubeclient::EncodeBase64(value) : value;
  Touch(object);
}

void StoredObjects::Annotate(const std::string& name, const std::string& rotate) {
  Json& object = objects_.at(name);
  object["metadata"]["annotations"]["aliquot.io/rotate"] = rotate;
  Touch(object);
}

std::string StoredObjects::Bundle(std::size_t i) const {
  const Json& hook = objects_.at("webhooks/aliquot")["webhooks"][i];
  return kubeclient::DecodeBase64(hook["clientConfig"].value("caBundle", "")).value_or("");
}

}  // namespace aliquot::certificates
