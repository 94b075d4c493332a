// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"
#include "model/pod.h"

namespace aliquot::cli {

// Where the agents are and by whose token they are asked; the chart's names by default.
struct AgentAccess {
  std::string namespace_name = "aliquot-system";
  std::string account = "aliquot-verify";  // ServiceAccount of that namespace
  int port = 0;                            // 0: the agent's port named `authenticated`, or 8443
};

// An agent's pod as a list shows it.
struct AgentPod {
  std::string name;
  int port = 0;  // 0: it names none
  bool running = false;
};

// Of a PodList; pods that are being deleted are left out. Pure.
Result<std::vector<AgentPod>> ParseAgentPods(std::string_view json);

// Reads /verify of the agent on the pod's node, through the API server's proxy to the agent's pod,
// with a token that is good at agents only. Four requests. What fails is one sentence with the
// remedy. Thread-safe.
class AgentPages {
 public:
  // All outlive it.
  AgentPages(kubeclient::Transport& transport, const Clock& clock, AgentAccess access)
      : transport_(transport), clock_(clock), access_(std::move(access)) {}

  // The page's text. `container` "": all.
  Result<std::string> Verify(const model::PodKey& pod, const std::string& container);

 private:
  // The body of a reply with one of the statuses 200 and 201. `doing` begins the sentence of an
  // error; `right` is what a 403 asks for.
  Result<std::string> Ask(const kubeclient::ApiRequest& request, const std::string& doing,
                          const std::string& right);
  Result<std::string> NodeOf(const model::PodKey& pod);
  Result<AgentPod> AgentOn(const std::string& node);
  Result<std::string> Token();

  kubeclient::Transport& transport_;
  const Clock& clock_;
  const AgentAccess access_;
};

}  // namespace aliquot::cli
