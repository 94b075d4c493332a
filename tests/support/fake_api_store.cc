// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_api_store.h"

#include <algorithm>
#include <utility>

namespace aliquot::test {

namespace {

using Json = FakeApiStore::Json;

std::string KeyOf(FakeApiStore::Kind kind, const Json& object) {
  const Json& metadata = object.at("metadata");
  const std::string name = metadata.at("name");
  if (kind == FakeApiStore::Kind::kNode) return name;
  return metadata.value("namespace", "default") + "/" + name;
}

const char* KindName(FakeApiStore::Kind kind) {
  switch (kind) {
    case FakeApiStore::Kind::kNode:
      return "Node";
    case FakeApiStore::Kind::kPod:
      return "Pod";
    case FakeApiStore::Kind::kBudget:
      break;
  }
  return "PodDisruptionBudget";
}

FakeApiStore::Reply NotFound(const std::string& key) {
  return FakeApiStore::Failure(404, "NotFound",
                               "\"" + key.substr(key.find('/') + 1) + "\" not found");
}

// RFC 7386, and conditions by type as a strategic merge patch does it.
void MergeInto(Json& target, const Json& patch) {
  if (!target.is_object()) target = Json::object();
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null()) {
      target.erase(key);
    } else if (key == "conditions" && value.is_array() && target[key].is_array()) {
      for (const Json& condition : value) {
        Json& list = target[key];
        const auto same = std::find_if(list.begin(), list.end(), [&](const Json& other) {
          return other.value("type", "") == condition.value("type", "");
        });
        if (same == list.end()) {
          list.push_back(condition);
        } else {
          same->update(condition);
        }
      }
    } else if (value.is_object()) {
      MergeInto(target[key], value);
    } else {
      target[key] = value;
    }
  }
}

}  // namespace

FakeApiStore::Reply FakeApiStore::Failure(int status, const std::string& reason,
                                          const std::string& message) {
  const Json body{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", Json::object()},
                  {"status", "Failure"}, {"message", message}, {"reason", reason},
                  {"code", status}};
  return {status, body.dump()};
}

std::map<std::string, FakeApiStore::Object>& FakeApiStore::Objects(Kind kind) {
  if (kind == Kind::kBudget) return budgets_;
  return kind == Kind::kNode ? nodes_ : pods_;
}

const std::map<std::string, FakeApiStore::Object>& FakeApiStore::Objects(Kind kind) const {
  if (kind == Kind::kBudget) return budgets_;
  return kind == Kind::kNode ? nodes_ : pods_;
}

bool FakeApiStore::Selected(Selector selector, bool labelled) {
  return selector == Selector::kAll || (selector == Selector::kLabelled) == labelled;
}

std::int64_t FakeApiStore::Put(Kind kind, Json object) {
  MutexLock lock(mutex_);
  return PutLocked(kind, std::move(object));
}

std::int64_t FakeApiStore::PutLocked(Kind kind, Json object) {
  Json& metadata = object["metadata"];
  if (kind != Kind::kNode && !metadata.contains("namespace")) metadata["namespace"] = "default";
  const std::string key = KeyOf(kind, object);
  const std::int64_t version = ++version_;
  if (!metadata.contains("uid")) metadata["uid"] = "uid-" + std::to_string(version);
  metadata["resourceVersion"] = std::to_string(version);
  object["kind"] = KindName(kind);
  object["apiVersion"] = kind == Kind::kBudget ? "policy/v1" : "v1";

  Object& slot = Objects(kind)[key];
  Change change;
  change.kind = kind;
  change.version = version;
  change.existed = !slot.json.empty();
  change.exists = true;
  change.was_labelled = slot.labelled;
  slot.labelled = metadata.contains("labels") &&
                  metadata["labels"].value("aliquot.io/gpu", "") == std::string("true");
  slot.uid = metadata["uid"];
  slot.json = object.dump();
  change.labelled = slot.labelled;
  change.json = slot.json;
  history_.push_back(std::move(change));
  changed_.NotifyAll();
  return version;
}

void FakeApiStore::Delete(Kind kind, const std::string& key) {
  MutexLock lock(mutex_);
  auto& objects = Objects(kind);
  const auto found = objects.find(key);
  if (found == objects.end()) return;
  Json last = Json::parse(found->second.json);
  last["metadata"]["resourceVersion"] = std::to_string(++version_);
  Change change;
  change.kind = kind;
  change.version = version_;
  change.json = last.dump();
  change.existed = true;
  change.was_labelled = found->second.labelled;
  change.labelled = found->second.labelled;
  objects.erase(found);
  history_.push_back(std::move(change));
  changed_.NotifyAll();
}

std::optional<Json> FakeApiStore::Find(Kind kind, const std::string& key) const {
  MutexLock lock(mutex_);
  const auto& objects = Objects(kind);
  const auto found = objects.find(key);
  if (found == objects.end()) return std::nullopt;
  return Json::parse(found->second.json);
}

std::size_t FakeApiStore::Count(Kind kind) const {
  MutexLock lock(mutex_);
  return Objects(kind).size();
}

std::vector<Json> FakeApiStore::Events() const {
  MutexLock lock(mutex_);
  return events_;
}

std::int64_t FakeApiStore::version() const {
  MutexLock lock(mutex_);
  return version_;
}

void FakeApiStore::Compact() {
  MutexLock lock(mutex_);
  compacted_ = version_;
  history_.clear();
}

// A token is "<version>~<last key>".
FakeApiStore::Reply FakeApiStore::List(Kind kind, Selector selector, std::size_t limit,
                                       const std::string& token) const {
  MutexLock lock(mutex_);
  std::int64_t version = version_;
  std::string after;
  if (!token.empty()) {
    const std::size_t separator = token.find('~');
    version = std::stoll(token.substr(0, separator));
    after = token.substr(separator + 1);
    if (version < compacted_) {
      Reply expired = Failure(410, "Expired", "The provided continue parameter is too old");
      Json body = Json::parse(expired.body);
      body["metadata"]["continue"] = std::to_string(version_) + "~" + after;
      return {410, body.dump()};
    }
  }
  const auto& objects = Objects(kind);
  std::string items;
  std::string next;
  std::size_t count = 0;
  for (auto it = objects.upper_bound(after); it != objects.end(); ++it) {
    if (!Selected(selector, it->second.labelled)) continue;
    if (limit != 0 && count == limit) {
      next = std::to_string(version) + "~" + after;
      break;
    }
    if (count++ > 0) items += ',';
    items += it->second.json;
    after = it->first;
  }
  std::string body = std::string("{\"kind\":\"") + KindName(kind) +
                     "List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" +
                     std::to_string(version) + "\"";
  if (!next.empty()) body += ",\"continue\":" + Json(next).dump();
  body += "},\"items\":[" + items + "]}";
  return {200, std::move(body)};
}

FakeApiStore::Reply FakeApiStore::Get(Kind kind, const std::string& key) const {
  MutexLock lock(mutex_);
  const auto& objects = Objects(kind);
  const auto found = objects.find(key);
  if (found == objects.end()) return NotFound(key);
  return {200, found->second.json};
}

std::optional<FakeApiStore::Reply> FakeApiStore::CheckUid(const Object& object,
                                                          const Json& metadata) const {
  const std::string uid = metadata.value("uid", "");
  if (uid.empty() || uid == object.uid) return std::nullopt;
  return Failure(
      409, "Conflict",
      "Precondition failed: UID in precondition: " + uid + ", UID in object meta: " + object.uid);
}

FakeApiStore::Reply FakeApiStore::Bind(const std::string& key, const std::string& body) {
  const Json binding = Json::parse(body, nullptr, false);
  if (binding.is_discarded()) return Failure(400, "BadRequest", "the body is not JSON");
  MutexLock lock(mutex_);
  const auto found = pods_.find(key);
  if (found == pods_.end()) return NotFound(key);
  if (auto refusal = CheckUid(found->second, binding.at("metadata"))) return *refusal;
  Json pod = Json::parse(found->second.json);
  const std::string node = pod["spec"].value("nodeName", "");
  if (!node.empty()) {
    return Failure(409, "Conflict", "pod is already assigned to node \"" + node + "\"");
  }
  if (pod["metadata"].contains("deletionTimestamp")) {
    return Failure(409, "Conflict", "pod is being deleted, cannot be assigned to a host");
  }
  pod["spec"]["nodeName"] = binding.at("target").at("name");
  if (binding.at("metadata").contains("annotations")) {
    MergeInto(pod["metadata"]["annotations"], binding.at("metadata").at("annotations"));
  }
  PutLocked(Kind::kPod, std::move(pod));
  return {201,
          R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"};
}

FakeApiStore::Reply FakeApiStore::PatchPod(const std::string& key, const std::string& body,
                                           bool status) {
  Json patch = Json::parse(body, nullptr, false);
  if (patch.is_discarded()) return Failure(400, "BadRequest", "the body is not JSON");
  MutexLock lock(mutex_);
  const auto found = pods_.find(key);
  if (found == pods_.end()) return NotFound(key);
  if (auto refusal = CheckUid(found->second, patch.value("metadata", Json::object()))) {
    return *refusal;
  }
  patch.erase(status ? "spec" : "status");
  Json pod = Json::parse(found->second.json);
  MergeInto(pod, patch);
  PutLocked(Kind::kPod, std::move(pod));
  return {200, pods_[key].json};
}

FakeApiStore::Reply FakeApiStore::PatchNode(const std::string& name, const std::string& body,
                                            bool json_patch) {
  const Json patch = Json::parse(body, nullptr, false);
  if (patch.is_discarded()) return Failure(400, "BadRequest", "the body is not JSON");
  MutexLock lock(mutex_);
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return NotFound(name);
  const Json before = Json::parse(found->second.json);
  Json node = before;
  if (json_patch) {
    try {
      node = node.patch(patch);
    } catch (const Json::exception& error) {
      return Failure(422, "Invalid", error.what());
    }
  } else {
    const Json metadata = patch.value("metadata", Json::object());
    if (auto refusal = CheckUid(found->second, metadata)) return *refusal;
    const std::string version = metadata.value("resourceVersion", "");
    if (!version.empty() && version != before["metadata"]["resourceVersion"]) {
      return Failure(409, "Conflict", "the object has been modified");
    }
    MergeInto(node, patch);
  }
  if (node != before) PutLocked(Kind::kNode, std::move(node));
  return {200, nodes_[name].json};
}

FakeApiStore::Reply FakeApiStore::CreateEvent(const std::string& namespace_name,
                                              const std::string& body) {
  Json event = Json::parse(body, nullptr, false);
  if (event.is_discarded()) return Failure(400, "BadRequest", "the body is not JSON");
  if (event.at("metadata").value("namespace", "") != namespace_name) {
    return Failure(400, "BadRequest", "the namespace of the object does not match the URL's");
  }
  MutexLock lock(mutex_);
  events_.push_back(event);
  return {201, event.dump()};
}

std::string FakeApiStore::EventFor(const Change& change, Selector selector) {
  const bool before = change.existed && Selected(selector, change.was_labelled);
  const bool after = change.exists && Selected(selector, change.labelled);
  if (!before && !after) return "";
  const char* type = !before ? "ADDED" : after ? "MODIFIED" : "DELETED";
  return std::string("{\"type\":\"") + type + "\",\"object\":" + change.json + "}";
}

FakeApiStore::History FakeApiStore::Since(Kind kind, Selector selector, std::int64_t version,
                                          std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (version_ <= version && !closed_) {
    if (!changed_.WaitUntil(mutex_, deadline)) break;
  }
  History out;
  out.expired = version < compacted_;
  out.version = std::max(version, version_);
  if (out.expired) return out;
  auto it =
      std::upper_bound(history_.begin(), history_.end(), version,
                       [](std::int64_t v, const Change& change) { return v < change.version; });
  for (; it != history_.end(); ++it) {
    if (it->kind != kind) continue;
    std::string event = EventFor(*it, selector);
    if (!event.empty()) out.events.push_back(std::move(event));
  }
  return out;
}

std::string FakeApiStore::Bookmark(Kind kind, std::int64_t version) const {
  return std::string("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"") + KindName(kind) +
         "\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" + std::to_string(version) +
         "\",\"creationTimestamp\":null}}}";
}

void FakeApiStore::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

}  // namespace aliquot::test
