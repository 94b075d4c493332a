// SPDX-License-Identifier: Apache-2.0
#pragma once

// The way of a person to the agents' pages: through the API server's proxy to the agent's pod, with
// a short-lived token that is good at agents only. What fails is one sentence with the remedy.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"

namespace CLI {
class App;
}

namespace aliquot::cli {

// Where the agents are and by whose token they are asked; the chart's names by default.
struct AgentAccess {
  std::string namespace_name = "aliquot-system";
  std::string account = "aliquot-verify";  // ServiceAccount of that namespace
  int port = 0;                            // 0: the agent's port named `authenticated`, or 8443
};

// --agent-namespace, --account and --port. `access` must outlive the parser.
void AddAgentFlags(CLI::App& verb, AgentAccess& access);

// An agent's pod as a list shows it.
struct AgentPod {
  std::string name;
  std::string node;
  int port = 0;  // 0: it names none
  bool running = false;
};

struct AgentPodPage {
  std::vector<AgentPod> pods;
  std::string next;  // the list's token for the rest; "" at its end
};

// Of a PodList; pods that are being deleted are left out. Pure.
Result<AgentPodPage> ParseAgentPods(std::string_view json);

// One page of an agent.
struct PageRequest {
  std::string path;   // "/verify"
  std::string query;  // encoded
  std::size_t max_bytes = std::size_t{4} << 20;
  std::chrono::milliseconds timeout{30000};
};

// A 403 as the API server writes it is kPermissionDenied. An agent in bad hands can write one, too.
// Thread-safe.
class AgentProxy {
 public:
  // Both outlive it.
  AgentProxy(kubeclient::Transport& transport, const Clock& clock, AgentAccess access)
      : transport_(transport), clock_(clock), access_(std::move(access)) {}

  // Of all nodes, or of this one, in the order of the list.
  Result<std::vector<AgentPod>> Agents(const std::string& node);
  // The one that runs on the node.
  Result<AgentPod> AgentOn(const std::string& node);
  Result<std::string> Token();
  // The page's text.
  Result<std::string> Page(const AgentPod& agent, const std::string& token,
                           const PageRequest& page);

  // The body of a reply with one of the statuses 200 and 201. `doing` begins the sentence of an
  // error; `right` is what a 403 asks for.
  Result<std::string> Ask(const kubeclient::ApiRequest& request, const std::string& doing,
                          const std::string& right);

  const AgentAccess& access() const { return access_; }

 private:
  Status Refused(const kubeclient::ApiReply& reply, const std::string& who,
                 const std::string& port) const;

  kubeclient::Transport& transport_;
  const Clock& clock_;
  const AgentAccess access_;
};

// The agent that serves the node now, of several pods; or why there is none. Pure.
Result<AgentPod> RunningAgent(const std::vector<AgentPod>& pods, const std::string& node,
                              const AgentAccess& access);

}  // namespace aliquot::cli
