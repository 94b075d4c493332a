// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "agent/card_offer.h"
#include "agent/enforcement_runner.h"
#include "agent/grant/file_system.h"
#include "agent/identity/resolver.h"
#include "agent/inventory/publisher.h"
#include "agent/machine_watch.h"
#include "agent/plugin/plugin_host.h"
#include "kubeclient/list_watch.h"

namespace aliquot::agent {

// How often the parts look, and how long they wait; nothing of it is configurable. The defaults
// are what a node runs with. Names, paths and whatever the configuration decides are set by the
// application, whatever stands here.
struct ApplicationOptions {
  std::chrono::milliseconds tick{1000};
  std::chrono::milliseconds sweep{15000};    // between sweeps of the state directory
  std::chrono::milliseconds key_look{5000};  // between looks at the signing keys
  // How long the kubelet is still served after the node says that the agent leaves, within the
  // drain timeout: a pod that was bound just before is admitted, which without devices fails it for
  // good.
  std::chrono::milliseconds last_pods{2000};
  MachineWatchOptions machine;
  EnforcementOptions enforcement;
  CardOfferOptions offer;
  ResolverOptions resolver;
  PluginHostOptions plugin;
  PublisherOptions publisher;
  kubeclient::ListWatchOptions watch;  // of pods and of the node
  // What grants are written by, for tests of what happens when it fails; nullptr = the real one.
  // Must outlive the application.
  const FileSystem* files = nullptr;
};

}  // namespace aliquot::agent
