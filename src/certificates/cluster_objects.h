// SPDX-License-Identifier: Apache-2.0
#pragma once

// The objects of the cluster in which certificates and keys are kept: Secrets and ConfigMaps that
// exist already (the chart makes them empty, so that nobody needs the right to create any), and the
// webhook configuration. Each call is one request; blocking, thread-safe. Errors are one sentence
// that names the object; no data is ever in one.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"

namespace aliquot::certificates {

using Data = std::map<std::string, std::string>;  // decoded values by key

struct DataObject {
  std::string resource_version;
  std::string rotate;  // annotation aliquot.io/rotate
  Data data;
};

enum class DataKind { kSecret, kConfigMap };

class ClusterObjects {
 public:
  // All must outlive it.
  ClusterObjects(std::string namespace_name, kubeclient::Transport& transport, const Clock& clock)
      : namespace_(std::move(namespace_name)), transport_(transport), clock_(clock) {}

  Result<DataObject> Read(DataKind kind, const std::string& name);
  // Writes these keys, and removes those without a value, if the object is still of this version.
  // ABORTED when it is not: read again.
  Status Write(DataKind kind, const std::string& name, const std::string& resource_version,
               const std::map<std::string, std::optional<std::string>>& data);

  struct Webhook {
    std::string name;
    std::string ca_bundle;  // decoded; "" when there is none
  };
  Result<std::vector<Webhook>> ReadWebhooks(const std::string& configuration);
  // Gives every webhook of the configuration this bundle; `webhooks` are those just read, and
  // nothing is written when they are others by now.
  Status WriteBundle(const std::string& configuration, const std::vector<Webhook>& webhooks,
                     const std::string& bundle);

 private:
  Result<std::string> Call(kubeclient::ApiRequest request, const std::string& what);

  const std::string namespace_;
  kubeclient::Transport& transport_;
  const Clock& clock_;
};

}  // namespace aliquot::certificates
