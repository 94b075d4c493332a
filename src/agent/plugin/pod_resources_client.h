// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agent/identity/pod_resources.h"
#include "base/mutex.h"

namespace grpc {
class Channel;
class Status;
}  // namespace grpc

namespace aliquot::agent {

// PodResources over the kubelet's unix socket, usually /var/lib/kubelet/pod-resources/kubelet.sock.
// One connection serves all calls: thirty starts at once would spend most of their time on thirty
// new ones. The kubelet's socket is another one after each of its starts, so a call that cannot
// reach it on a connection of before is made again on a new one. At most 16 MiB are received.
// Thread-safe.
class PodResourcesClient final : public PodResources {
 public:
  // `resource`: the core resource; entries of others are left out.
  PodResourcesClient(std::string socket_path, std::string resource);
  ~PodResourcesClient() override;

  Result<PodResourcesPod> Get(const model::PodKey& key, SteadyTime deadline) override
      EXCLUDES(mutex_);
  Result<std::vector<PodResourcesPod>> List(SteadyTime deadline) override EXCLUDES(mutex_);

 private:
  template <typename Call>
  grpc::Status Reach(SteadyTime deadline, const Call& call) EXCLUDES(mutex_);
  // The connection in use; `made` tells whether this call has made it.
  std::shared_ptr<grpc::Channel> Connection(bool& made) EXCLUDES(mutex_);
  void Forget(const std::shared_ptr<grpc::Channel>& channel) EXCLUDES(mutex_);

  const std::string socket_path_;
  const std::string resource_;
  Mutex mutex_;
  std::shared_ptr<grpc::Channel> channel_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::agent
