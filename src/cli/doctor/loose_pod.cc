// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/loose_pod.h"

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/doctor/observe.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

bool OfDaemonSet(const json& pod) {
  for (const json& owner : MemberAt(pod, "/metadata/ownerReferences")) {
    if (TextAt(owner, "/kind") == "DaemonSet") {
      return true;
    }
  }
  return false;
}

enum class Names { kNothing, kNoCard, kCards };

// What a container's own variable says; the last of a name counts, as for the kubelet. A value from
// elsewhere is taken for cards.
Names NamedBy(const json& container) {
  Names names = Names::kNothing;
  for (const json& each : MemberAt(container, "/env")) {
    if (TextAt(each, "/name") != "NVIDIA_VISIBLE_DEVICES") {
      continue;
    }
    const std::string value = TextAt(each, "/value");
    const bool from_elsewhere = each.contains("valueFrom");
    names = !from_elsewhere && (value.empty() || value == "void" || value == "none")
                ? Names::kNoCard
                : Names::kCards;
  }
  return names;
}

}  // namespace

std::optional<LoosePod> LoosePodOf(const json& pod, const std::string& prefix) {
  const std::string phase = TextAt(pod, "/status/phase");
  LoosePod loose{TextAt(pod, "/metadata/namespace") + "/" + TextAt(pod, "/metadata/name"),
                 TextAt(pod, "/spec/nodeName"), TextAt(pod, "/spec/runtimeClassName"), false};
  if (loose.node.empty() || phase == "Succeeded" || phase == "Failed" || OfDaemonSet(pod) ||
      AsksForPrefix(pod, "nvidia.com/") || AsksForPrefix(pod, prefix)) {
    return std::nullopt;
  }
  bool open = false;
  for (const char* list : {"/spec/containers", "/spec/initContainers"}) {
    for (const json& container : MemberAt(pod, list)) {
      const Names names = NamedBy(container);
      open |= names != Names::kNoCard;
      loose.names_cards |= names == Names::kCards;
    }
  }
  return open ? std::optional(std::move(loose)) : std::nullopt;
}

}  // namespace aliquot::cli
