// SPDX-License-Identifier: Apache-2.0
#include "cli/why/scheduler_cause.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "scoring/refusal.h"

namespace aliquot::cli {
namespace {

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct Words {
  std::string_view part;  // of the reason
  std::string_view code;
  std::string_view says;
  std::string_view remedy;
  CauseKind kind = CauseKind::kOther;
};

constexpr std::string_view kSelector =
    "see its nodeSelector and affinity against the nodes' labels";
constexpr std::string_view kRoom = "ask for less, or wait until pods end";

// The first that fits. Where a text is older than 1.34 it says so.
constexpr Words kWords[] = {
    {"untolerated taint", "taints", "it does not tolerate the nodes' taints",
     "add a toleration, or take the taints away", CauseKind::kNodeObject},
    {"node(s) were unschedulable", "cordoned", "the nodes are cordoned", "kubectl uncordon NODE",
     CauseKind::kNodeObject},
    {"node affinity/selector", "affinity", "its node selector or affinity excludes the nodes",
     kSelector, CauseKind::kNodeObject},
    {"scheduler-enforced node affinity", "affinity",
     "the scheduler's own configuration keeps it from the nodes", "see addedAffinity there"},
    {"pod affinity terms conflict", "affinity", "no node can fulfil its node affinity",
     "see its required terms", CauseKind::kWhateverNode},
    {"requested node name", "affinity", "it names another node", "see its node affinity"},
    {"topology spread", "topology_spread", "its topology spread constraints exclude the nodes",
     "see maxSkew and the nodes' labels"},
    {"anti-affinity", "pod_affinity", "pod anti-affinity excludes the nodes",
     "see its rules, and those of the pods on the nodes"},
    {"pod affinity rules", "pod_affinity", "its pod affinity excludes the nodes",
     "the pods that it wants to be near are not there"},
    {"free ports", "host_ports", "the nodes' ports that it wants are taken",
     "give it another hostPort, or wait"},
    {"Insufficient cpu", "cpu_or_memory", "the nodes lack processor", kRoom, CauseKind::kFit},
    {"Insufficient memory", "cpu_or_memory", "the nodes lack main memory", kRoom, CauseKind::kFit},
    {"Insufficient ephemeral-storage", "cpu_or_memory", "the nodes lack ephemeral storage", kRoom,
     CauseKind::kFit},
    {"Insufficient hugepages", "cpu_or_memory", "the nodes lack huge pages", kRoom,
     CauseKind::kFit},
    {"Too many pods", "too_many_pods", "the nodes hold as many pods as they may",
     "wait until pods end, or raise the kubelet's maxPods", CauseKind::kFit},
    // Of our prefix, but not ours: CauseOf has looked for those.
    {"Insufficient ", "other_resource", "the nodes lack another resource that it asks for", kRoom,
     CauseKind::kFit},
    {"resource claim", "resource_claim", "its ResourceClaim cannot be had",
     "see the claim and its DeviceClass"},
    {"resourceclaim", "resource_claim", "its ResourceClaim cannot be had",
     "see the claim and its DeviceClass"},
    {"allocate all claims", "resource_claim", "no node has the devices of its ResourceClaims",
     "see the claims and the ResourceSlices"},
    {"device class", "resource_claim", "a DeviceClass that its ResourceClaim names does not exist",
     "create it, or name another"},
    {"allocate devices", "resource_claim",
     "the devices of its ResourceClaims were not found in time", "see the claims"},
    {"no nodes available", "no_nodes", "the cluster has no node that is ready",
     "see kubectl get nodes", CauseKind::kWhateverNode},
    {"is being deleted", "volume", "a volume claim is being deleted", "create it anew",
     CauseKind::kWhateverNode},
    {"unbound immediate", "volume", "a volume claim is not bound", "see the claim's events",
     CauseKind::kWhateverNode},
    {"non-existent", "volume", "a volume claim is bound to a volume that does not exist",
     "create claim and volume anew"},
    {"ephemeral volume controller", "volume", "the claim of an ephemeral volume is not made yet",
     "see the pod's events", CauseKind::kWhateverNode},
    {"PersistentVolume's node affinity", "volume", "its volume lies where it may not run",
     "see the volume's node affinity"},
    {"volume node affinity conflict", "volume", "its volume lies where it may not run",  // 1.33
     "see the volume's node affinity"},
    {"persistent volumes to bind", "volume", "no volume is there that its claim could be bound to",
     "create one, or name a storage class that makes them"},
    {"volume zone", "volume", "its volume lies in another zone", "see the volume's labels"},
    {"max volume count", "volume", "the nodes hold as many volumes as their driver can",
     "wait until pods end"},
    {"free storage", "volume", "the nodes lack storage for its volume", "ask for less"},
    {"no available disk", "volume", "a disk that it wants is in use", "wait until that pod ends"},
    {"ReadWriteOncePod", "volume", "a volume that only one pod may use is in use",
     "wait until that pod ends"},
    {"CSI driver is not installed", "volume", "the nodes lack the driver of its volume",
     "install the CSI driver there"},
    {"storageclass", "volume", "a storage class does not exist", "create it, or name another",
     CauseKind::kWhateverNode},
    {"persistentvolumeclaim", "volume", "a volume claim is not bound", "see the claim's events",
     CauseKind::kWhateverNode},
    {"PersistentVolume", "volume", "a volume claim is not bound", "see the claim's events"},
    {"VolumeBinding", "volume", "its volumes exclude the nodes", "see the volumes' node affinity"},
    {"satisfy plugin", "affinity", "its node selector or affinity excludes the nodes", kSelector},
};

// Of our extender's sentences; nothing for others.
SchedulerCause OurRefusal(std::string_view text) {
  for (const scoring::Refusal refusal : scoring::kAllRefusals) {
    if (text == scoring::RefusalSentence(refusal)) {
      const bool none =
          refusal == scoring::Refusal::kNoInventory || refusal == scoring::Refusal::kUnknownNode;
      return {std::string(scoring::RefusalName(refusal)), std::string(text), "",
              none ? CauseKind::kNoInventory : CauseKind::kCards};
    }
  }
  return {};
}

struct Candidate {
  SchedulerCause cause;
  std::int64_t nodes = 0;
};

// The higher, the nearer such nodes came; 0: it is not the cause.
int Weight(CauseKind kind, bool passed_ours) {
  switch (kind) {
    case CauseKind::kNodeObject:
    case CauseKind::kNoCards:
      return passed_ours ? 0 : 1;
    case CauseKind::kNoInventory:
      return passed_ours ? 0 : 2;
    case CauseKind::kCards:
      return passed_ours ? 0 : 3;
    default:
      return 2;
  }
}

// Whether each node that is short of something is short of our resources, too: then what else it
// lacks tells nothing, as it is a node without cards. A node is counted once for each resource that
// it lacks, and once for any other reason.
bool OnlyWithoutCards(const std::vector<Candidate>& candidates, std::int64_t all) {
  std::int64_t without_cards = 0;
  for (const Candidate& candidate : candidates) {
    if (candidate.cause.kind == CauseKind::kNoCards) {
      without_cards = std::max(without_cards, candidate.nodes);
    } else if (candidate.cause.kind != CauseKind::kFit) {
      all -= candidate.nodes;
    }
  }
  return without_cards > 0 && all <= without_cards;
}

}  // namespace

SchedulerCause CauseOf(std::string_view text, const model::ResourceNames& names) {
  if (SchedulerCause ours = OurRefusal(text); !ours.code.empty()) {
    return ours;
  }
  for (const std::string& name : {names.core, names.memory}) {
    if (text == "Insufficient " + name) {
      return {"not_enough_free", "no node has as much " + name + " free in sum", std::string(kRoom),
              CauseKind::kNoCards};
    }
  }
  for (const Words& words : kWords) {
    if (Holds(text, words.part)) {
      return {std::string(words.code), std::string(words.says), std::string(words.remedy),
              words.kind};
    }
  }
  return {};
}

SchedulerCause ChooseCause(const SchedulerMessage& message, const model::ResourceNames& names,
                           bool passed_ours) {
  if (!message.for_all.empty()) {
    SchedulerCause cause = CauseOf(message.for_all, names);
    cause.kind = cause.code.empty() ? cause.kind : CauseKind::kWhateverNode;
    return cause;
  }
  std::vector<Candidate> candidates;
  for (const SchedulerReason& reason : message.reasons) {  // the most nodes first
    candidates.push_back({CauseOf(reason.text, names), reason.nodes});
  }
  const bool skip_fit = OnlyWithoutCards(candidates, message.nodes);
  // A node that is short of our resources is one that the pod's selector takes.
  const bool skip_selector = std::any_of(
      candidates.begin(), candidates.end(),
      [](const Candidate& candidate) { return candidate.cause.kind == CauseKind::kNoCards; });
  SchedulerCause chosen;
  int best = 0;
  for (Candidate& candidate : candidates) {
    const bool skip = (skip_fit && candidate.cause.kind == CauseKind::kFit) ||
                      (skip_selector && candidate.cause.code == "affinity");
    const int weight = skip ? 0 : Weight(candidate.cause.kind, passed_ours);
    if (!candidate.cause.code.empty() && weight > best) {
      best = weight;
      chosen = std::move(candidate.cause);
    }
  }
  return chosen;
}

}  // namespace aliquot::cli
