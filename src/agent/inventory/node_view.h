// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace simdjson::dom {
class element;
}

namespace aliquot::agent {

struct NodeTaint {
  std::string key;
  std::string effect;
};

// What the agent needs of its own Node object. Plain values.
struct NodeView {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string inventory;   // the annotation aliquot.io/gpu-inventory as it stands; "" = none
  std::string gpu_labels;  // the annotation aliquot.io/gpu-labels; "" = none
  // Those of NVIDIA's programs and of gpu-manager (IsWatchedLabel), no others.
  std::map<std::string, std::string, std::less<>> labels;
  std::vector<NodeTaint> taints;  // all, in the object's order: they are patched by position
  // Extended resources (those with a '/'), in whole units.
  std::map<std::string, std::int64_t, std::less<>> capacity;
  std::map<std::string, std::int64_t, std::less<>> allocatable;
  bool unschedulable = false;
  // "containerd://1.7.22"; "" = not told: the kubelet has it from the runtime, which may be down.
  std::string container_runtime;
  std::string kubelet;  // "v1.34.1"; "" = not told

  // The label's value, "" where there is none.
  std::string_view Label(std::string_view key) const;
  // How many of a resource the node has or offers, whichever is more.
  std::int64_t Advertised(std::string_view resource) const;
};

// "nvidia.com/..." and gpu-manager's "nvidia-device-enable".
bool IsWatchedLabel(std::string_view key);

// Reads a v1 Node; pure and thread-safe. Refused with one sentence that names the field: what is no
// JSON, a field of a wrong type, a node without a name. What is no quantity counts as 0.
Result<NodeView> ParseNodeView(std::string_view json);
Result<NodeView> DecodeNodeView(const simdjson::dom::element& value);

}  // namespace aliquot::agent
