// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agent/identity/pod_resources.h"

namespace aliquot::agent {

// PodResources over the kubelet's unix socket, usually /var/lib/kubelet/pod-resources/kubelet.sock.
// Connects anew for each call: there are few, and the socket is another one after every start of
// the kubelet. At most 16 MiB are received. Thread-safe.
class PodResourcesClient final : public PodResources {
 public:
  // `resource`: the core resource; entries of others are left out.
  PodResourcesClient(std::string socket_path, std::string resource);
  ~PodResourcesClient() override;

  Result<PodResourcesPod> Get(const model::PodKey& key, SteadyTime deadline) override;
  Result<std::vector<PodResourcesPod>> List(SteadyTime deadline) override;

 private:
  const std::string socket_path_;
  const std::string resource_;
};

}  // namespace aliquot::agent
