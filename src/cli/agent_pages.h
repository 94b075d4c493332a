// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "cli/agent_proxy.h"
#include "kubeclient/transport.h"
#include "model/pod.h"

namespace aliquot::cli {

// Reads /verify of the agent on the pod's node. Four requests. What fails is one sentence with the
// remedy. Thread-safe.
class AgentPages {
 public:
  // All outlive it.
  AgentPages(kubeclient::Transport& transport, const Clock& clock, AgentAccess access)
      : proxy_(transport, clock, std::move(access)) {}

  // The page's text. `container` "": all.
  Result<std::string> Verify(const model::PodKey& pod, const std::string& container);

 private:
  Result<std::string> NodeOf(const model::PodKey& pod);

  AgentProxy proxy_;
};

}  // namespace aliquot::cli
