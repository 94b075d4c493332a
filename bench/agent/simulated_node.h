// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/agent/child_process.h"
#include "model/inventory.h"
#include "signing/signer.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_kubelet.h"
#include "tests/support/test_certificates.h"

namespace aliquot::bench {

// A GPU pod of one container "main" with a share of one card.
struct SharePod {
  std::string name;
  int core = 20;
  int memory_units = 60;
  int card = 0;  // index into the inventory
};

// The surroundings of one aliquot-agent, all in this process: an API server with TLS and token, a
// kubelet with PodResources and checkpoint, eight cards of a machine profile, the driver's files
// and signing keys. The agent is a process of its own, started anew for each SimulatedNode.
// Methods throw std::runtime_error when something does not come about.
class SimulatedNode {
 public:
  // `agent`: the program. `profile`: a machine profile of 8 cards. Returns when the agent is ready:
  // inventory published, every device advertised, pods known.
  SimulatedNode(const std::string& agent, const std::string& profile);
  ~SimulatedNode();
  SimulatedNode(const SimulatedNode&) = delete;
  SimulatedNode& operator=(const SimulatedNode&) = delete;

  // Created, bound to this node with its signed record, and admitted by the kubelet.
  void AddShares(const std::vector<SharePod>& pods);
  void AddPlainPods(int count);
  // Starts their containers by the kubelet; throws the agent's sentence when it refuses one.
  void Start(const std::vector<SharePod>& pods);
  // Deleted, and gone from the kubelet; returns when the agent has removed their grants.
  void Remove(const std::vector<SharePod>& pods);

  std::vector<std::string> CoreIds(const SharePod& pod) const;
  // The socket of the plugin that serves the core resource.
  std::string PluginSocket() const;
  // How many containers hold a grant with device nodes.
  std::size_t GrantsOnDisk() const;
  // Requests to the API server so far that change something.
  std::size_t ApiWrites() const;

  ChildProcess& agent() { return *agent_; }
  int cores() const { return static_cast<int>(inventory_.cards.size()) * 100; }
  const std::string& folder() const { return folder_.path(); }

 private:
  std::string WriteConfiguration(const std::string& profile);
  void MakeDriver(const std::string& profile, const std::string& any_program);
  void CreateNode();
  void WaitForAgent();
  void WaitForGrants(std::size_t expected);

  const test::TemporaryDirectory folder_;
  const test::CertificateAuthority authority_;
  test::FakeApiServer api_;
  test::FakeKubelet kubelet_;
  signing::Signer signer_;
  model::Inventory inventory_;
  std::unique_ptr<ChildProcess> agent_;
};

}  // namespace aliquot::bench
