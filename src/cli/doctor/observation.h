// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that the checks judge, read before (observe.h). Plain values: a test writes its own. A Result
// without a value says why: kNotFound there is no such object, kPermissionDenied it may not be
// read.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "cli/doctor/loose_pod.h"
#include "cli/doctor/served_certificate.h"
#include "model/names.h"

namespace aliquot::cli {

inline Status NotLookedAt() { return Unavailable("it was not looked at"); }

using Object = Result<nlohmann::json>;
using Objects = Result<std::vector<nlohmann::json>>;

// What of a GPU pod is judged.
struct SeenPod {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string node;
  std::string scheduler;
  bool finished = false;
  std::string allocation;  // annotations
  std::string signature;
};

struct SeenNode {
  std::string name;
  bool has_inventory = false;
  bool advertises_ours = false;                 // our core resource, more than 0
  bool advertises_nvidia = false;               // a resource nvidia.com/gpu* or mig-*, more than 0
  std::string operator_plugin;                  // label nvidia.com/gpu.deploy.device-plugin
  bool for_gpu_manager = false;                 // label nvidia-device-enable is enable
  bool advertises_volcano = false;              // a resource volcano.sh/vgpu-*, more than 0
  std::vector<std::string> runtime_handlers{};  // of the container runtime; empty: it does not say
};

struct Observation {
  std::string namespace_name = "aliquot-system";
  model::ResourceNames names;
  SystemTime now;                             // our clock
  std::optional<std::chrono::seconds> ahead;  // our clock minus the API server's

  Object allocator = NotLookedAt();         // Deployment
  Object scheduler = NotLookedAt();         // Deployment aliquot-scheduler; absent: stock mode
  Object lease = NotLookedAt();             // of the bundled scheduler
  Object extender_service = NotLookedAt();  // Service
  Object admission_service = NotLookedAt();
  Object scheduler_secret = NotLookedAt();  // Secret aliquot-scheduler-client
  Object signing_keys = NotLookedAt();      // ConfigMap
  Objects webhooks = NotLookedAt();         // MutatingWebhookConfigurations of the cluster
  Objects policies = NotLookedAt();         // ValidatingAdmissionPolicies
  Objects bindings = NotLookedAt();         // ValidatingAdmissionPolicyBindings
  Objects daemon_sets = NotLookedAt();      // of the cluster
  Objects runtime_classes = NotLookedAt();  // of the cluster
  Objects control_plane = NotLookedAt();    // kube-system's pods of API server and scheduler
  Objects kai_pods = NotLookedAt();         // pods that share a card by KAI
  Objects own_pods = NotLookedAt();         // of our namespace
  Objects own_events = NotLookedAt();       // of our namespace
  Object tried_pod = NotLookedAt();         // a GPU pod, after admission, that was never made

  Result<std::vector<SeenNode>> nodes = NotLookedAt();
  Result<std::vector<SeenPod>> gpu_pods = NotLookedAt();  // with our label
  // Of the namespaces that our webhook leaves out: pods that ask for our resources all the same.
  Result<std::vector<std::string>> unseen_gpu_pods = NotLookedAt();

  // Looked for where something shows that NVIDIA's runtime may be on a node of ours.
  Result<std::vector<LoosePod>> loose_pods = NotLookedAt();

  std::optional<ProbeOutcome> extender_probe;  // nothing: not tried
  std::optional<ProbeOutcome> admission_probe;
};

}  // namespace aliquot::cli
