// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "agent/enforcement/process_look.h"
#include "agent/gpu/backend.h"
#include "agent/grant/live_grants.h"
#include "agent/grant/state_layout.h"
#include "agent/identity/node_pods.h"
#include "agent/verify/verify_look.h"
#include "http/message.h"

namespace aliquot::agent {

// The page /verify?pod=NAMESPACE/NAME[&container=NAME]: collects what a look starts from and takes
// one look at a time; a second request meanwhile gets 503, since a look may take as long as a
// container's own file system likes. Thread-safe.
class VerifyDesk {
 public:
  struct Parts {
    std::string node;
    const LiveGrants& live;
    const PodView& pods;
    GpuBackend& backend;
    std::function<Machine()> machine;
    std::string proc;  // where the host's /proc is seen
    StateLayout layout;
    std::uint64_t context_bytes = 0;
  };

  // All that the parts refer to must outlive it.
  explicit VerifyDesk(Parts parts) : parts_(std::move(parts)), reader_(parts_.proc) {}

  http::Response Answer(const http::Request& request);

 private:
  VerifyInputs Inputs(model::PodKey pod, std::string container) const;

  const Parts parts_;
  const ProcessReader reader_;
  std::atomic<bool> looking_{false};
};

}  // namespace aliquot::agent
