// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/sentences.h"

#include <utility>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

// A namespace of 63 and a name of 253 bytes.
constexpr std::size_t kMaxKey = 320;

std::string Named(const model::PodKey& key) { return "pod " + Printable(key.ToString(), kMaxKey); }

std::string UidOf(const std::string& uid) {
  return "a pod of UID " + Printable(uid) + " that the API server does not show";
}

Refusal::Pod Told(const NodePod& pod) { return {pod.pod.key, pod.pod.uid}; }

}  // namespace

Refusal NoIds() {
  return {RefusalReason::kSizeMismatch,
          "the kubelet names no device IDs for this container; update the kubelet if it does so "
          "again"};
}

Refusal IdTwice(std::string_view id) {
  return {RefusalReason::kSizeMismatch, "the kubelet names device ID " + Printable(id) +
                                            " twice for this container; delete the pod, so that "
                                            "its devices are given anew"};
}

Refusal PodsNotKnown(std::string_view node) {
  return {RefusalReason::kNotSynced, "the pods of node " + std::string(node) +
                                         " are not known yet; the container starts once the API "
                                         "server answers the agent"};
}

Refusal NobodysIds(const std::vector<std::string>& ids, std::string_view node) {
  return {RefusalReason::kWrongPod, "no pod of node " + std::string(node) + " holds these " +
                                        std::to_string(ids.size()) + " device IDs (" +
                                        Printable(ids.front()) + " to " + Printable(ids.back()) +
                                        "); delete the pod, so that its devices are given anew"};
}

Refusal PodNotShown(const Match& match) {
  return {RefusalReason::kNotSynced,
          "the kubelet gave these device IDs to " + UidOf(match.uids.front()) +
              "; the container starts once it is shown, and never when it is a static pod: those "
              "cannot have a share"};
}

Refusal PodHasEnded(const NodePod& pod) {
  return {RefusalReason::kWrongPod,
          "the device IDs are those of " + Named(pod.pod.key) +
              ", which has ended; delete it, or create it anew under another name",
          {Told(pod)}};
}

Refusal IdsOfSeveral(const Match& match) {
  std::vector<std::string> holders;
  std::vector<Refusal::Pod> about;
  for (const NodePod* pod : match.pods) {
    holders.push_back(Named(pod->pod.key));
    about.push_back(Told(*pod));
  }
  for (const std::string& uid : match.uids) holders.push_back(UidOf(uid));
  return {RefusalReason::kIdsInUse,
          "the kubelet gave the same device IDs to " + Join(holders, " and to ") +
              "; delete all of them but one, or wait until they are gone",
          std::move(about)};
}

Refusal NotAContainerOf(const NodePod& pod, std::string_view resource) {
  return {RefusalReason::kWrongPod,
          "the kubelet gave these device IDs to a container of " + Named(pod.pod.key) +
              " that does not ask for " + std::string(resource) +
              "; give kubelet, allocator and agent the same resource names",
          {Told(pod)}};
}

Refusal StatusIsBehind(const NodePod& pod, std::string_view container) {
  return {RefusalReason::kNotSynced,
          "the status of " + Named(pod.pod.key) + " does not show yet whether init container " +
              Printable(container) +
              " is done, which has the same device IDs as the next one; the container starts once "
              "it does"};
}

Refusal ListedOtherwise(const ContainerIdentity& identity) {
  return {RefusalReason::kWrongPod,
          "the kubelet's PodResources gives container " + Printable(identity.container) + " of " +
              Named(identity.key) +
              " other device IDs than its checkpoint does; delete the pod if this lasts",
          {{identity.key, identity.uid}}};
}

Refusal SharedIdsUntold(const NodePod& pod) {
  return {
      RefusalReason::kNotSynced,
      "the kubelet's checkpoint does not tell which container of " + Named(pod.pod.key) +
          " starts, and an init container may have the same device IDs as others; the container "
          "starts once the checkpoint can be read"};
}

Refusal NothingTells(const Status& checkpoint, std::string_view node) {
  return {RefusalReason::kNotSynced, checkpoint.message() +
                                         ", and its PodResources does not show which pod of node " +
                                         std::string(node) + " holds these device IDs"};
}

}  // namespace aliquot::agent
