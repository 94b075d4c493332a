// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kubeclient/transport.h"

namespace aliquot::certificates {

// The program ends here.
struct Killed {};

// An API server's Secrets, ConfigMaps and webhook configurations in memory, as the chart leaves
// them: empty. Versions are checked as by the real one. Not thread-safe.
class StoredObjects final : public kubeclient::Transport {
 public:
  using Json = nlohmann::json;

  StoredObjects();

  kubeclient::CallResult Call(const kubeclient::ApiRequest& request, SteadyTime deadline,
                              kubeclient::Cancellation* cancellation) override;
  kubeclient::CallResult Stream(const kubeclient::ApiRequest& request,
                                const kubeclient::StreamLimits& limits,
                                kubeclient::Cancellation& cancellation,
                                const kubeclient::ChunkConsumer& consumer) override;

  // A Secret's values are decoded here. "" where there is none.
  std::string Value(const std::string& object, const std::string& key) const;
  void SetValue(const std::string& object, const std::string& key, const std::string& value);
  void Annotate(const std::string& object, const std::string& rotate);
  Json& object(const std::string& name) { return objects_.at(name); }
  void Remove(const std::string& name) { objects_.erase(name); }
  // Of webhook i of MutatingWebhookConfiguration aliquot.
  std::string Bundle(std::size_t i) const;

  std::vector<std::string> writes;  // the names of the objects, in order
  int kill_at_write = -1;           // Killed instead of an answer to that write, which was done
  bool silent = false;              // nobody answers
  std::function<void(const std::string& name)> before_write;  // once, then forgotten

 private:
  kubeclient::CallResult Patch(const kubeclient::ApiRequest& request, const std::string& key);
  void Touch(Json& object);

  std::map<std::string, Json> objects_;  // by name; the webhooks' is "webhooks/<name>"
  int version_ = 100;
};

}  // namespace aliquot::certificates
