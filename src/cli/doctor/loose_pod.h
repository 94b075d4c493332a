// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace aliquot::cli {

// A pod that NVIDIA's container runtime may hand every card of its node, though it asks for none:
// by the variable NVIDIA_VISIBLE_DEVICES of the pod or of its image. Source: NVIDIA container
// toolkit, "Specialized Configurations"; its configuration
// accept-nvidia-visible-devices-envvar-when- unprivileged is true unless set.
struct LoosePod {
  std::string name;  // namespace/name
  std::string node;
  std::string runtime_class;  // "": the node's default runtime
  bool names_cards = false;   // a container's variable says all, or cards
};

// Nothing for a pod that is on no node or finished; that asks for a resource of NVIDIA's or with
// `prefix`; that is of a DaemonSet, which is an administrator's (exporters, the GPU Operator's); or
// whose containers all set the variable to what means no card. Pure.
std::optional<LoosePod> LoosePodOf(const nlohmann::json& pod, const std::string& prefix);

}  // namespace aliquot::cli
