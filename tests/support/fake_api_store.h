// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

// The state behind the fake API server: nodes, pods, disruption budgets, events, their versions and
// the history that watches read. No network. Thread-safe. It follows the real server where a client
// can tell: a version grows with each write, a page's continue token and a watch's place expire, a
// pod that loses a watched label is DELETED for that watch.

namespace aliquot::test {

class FakeApiStore {
 public:
  using Json = nlohmann::json;  // not ordered_json: references into it must survive an insertion
  enum class Kind { kNode, kPod, kBudget };
  // Of the label aliquot.io/gpu=true, the only selector that the client uses.
  enum class Selector { kAll, kLabelled, kUnlabelled };

  struct Reply {
    int status = 200;
    std::string body;
  };
  struct History {
    bool expired = false;
    std::vector<std::string> events;  // {"type":..,"object":..} without a newline
    std::int64_t version = 0;         // where to go on
  };

  // Creates or replaces; a UID is made where there is none. Returns the new resourceVersion.
  std::int64_t Put(Kind kind, Json object);
  void Delete(Kind kind,
              const std::string& key);  // "name" or "namespace/name"; nothing when it is not there
  std::optional<Json> Find(Kind kind, const std::string& key) const;
  std::size_t Count(Kind kind) const;
  std::vector<Json> Events() const;
  std::int64_t version() const;

  // All versions before this moment are forgotten, as by etcd's compaction.
  void Compact();

  // The bodies of the API's replies.
  Reply List(Kind kind, Selector selector, std::size_t limit, const std::string& token) const;
  Reply Get(Kind kind, const std::string& key) const;
  Reply Bind(const std::string& key, const std::string& body);
  Reply PatchPod(const std::string& key, const std::string& body, bool status);
  // A merge patch, or a JSON patch where `json_patch`.
  Reply PatchNode(const std::string& name, const std::string& body, bool json_patch);
  Reply CreateEvent(const std::string& namespace_name, const std::string& body);

  // What happened after `version`; waits up to `patience` for something.
  History Since(Kind kind, Selector selector, std::int64_t version,
                std::chrono::milliseconds patience);
  std::string Bookmark(Kind kind, std::int64_t version) const;
  // Ends every wait in Since at once, now and later.
  void Close();

  static Reply Failure(int status, const std::string& reason, const std::string& message);

 private:
  struct Object {
    std::string json;
    std::string uid;
    bool labelled = false;
  };
  struct Change {
    Kind kind = Kind::kNode;
    std::int64_t version = 0;
    std::string json;
    bool existed = false;
    bool exists = false;
    bool was_labelled = false;
    bool labelled = false;
  };

  static bool Selected(Selector selector, bool labelled);
  static std::string EventFor(const Change& change, Selector selector);
  std::map<std::string, Object>& Objects(Kind kind) REQUIRES(mutex_);
  const std::map<std::string, Object>& Objects(Kind kind) const REQUIRES(mutex_);
  std::int64_t PutLocked(Kind kind, Json object) REQUIRES(mutex_);
  std::optional<Reply> CheckUid(const Object& object, const Json& metadata) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  std::int64_t version_ GUARDED_BY(mutex_) = 1000;
  std::int64_t compacted_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Object> nodes_ GUARDED_BY(mutex_);
  std::map<std::string, Object> pods_ GUARDED_BY(mutex_);
  std::map<std::string, Object> budgets_ GUARDED_BY(mutex_);
  std::vector<Change> history_ GUARDED_BY(mutex_);
  std::vector<Json> events_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace aliquot::test
