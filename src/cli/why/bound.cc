// SPDX-License-Identifier: Apache-2.0
#include "cli/why/bound.h"

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/why/container_trouble.h"

namespace aliquot::cli {
namespace {

std::string OnNode(const PodEvidence& evidence) {
  return "on node " + evidence.parsed.node_name + ", ";
}

WhyAnswer Starting(const PodEvidence& evidence) {
  const std::string on = OnNode(evidence);
  if (WhyAnswer trouble = ContainerTrouble(evidence.pod, evidence.parsed.asks_for_gpu());
      !trouble.code.empty()) {
    return {trouble.code, on + trouble.sentence};
  }
  if (const SeenEvent* refused = LatestOf(evidence.events, {"GpuGrantRefused"})) {
    return {"agent_refused",
            on + "its agent refuses the start: " + Printable(refused->message, 600) +
                "; it starts by itself once that is over"};
  }
  const bool stamped = evidence.parsed.Annotation(model::kAllocationAnnotation) != nullptr;
  const SeenEvent* none = LatestOf(evidence.events, {"NoGpuOnNode"});
  if (none != nullptr && !stamped) {
    return {"no_cards_on_node", on + "which somebody else chose: " + none->ToString()};
  }
  if (const SeenEvent* failed = LatestOf(
          evidence.events, {"FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox",
                            "NetworkNotReady", "FailedPrepareDynamicResources", "Failed"})) {
    return {"starting", on + "it does not start: " + failed->ToString()};
  }
  if (evidence.parsed.asks_for_gpu() && !stamped) {
    return {"no_record",
            on + "it has no record of cards yet; the allocator writes one or says why not"};
  }
  return {"starting", on + "it is being started"};
}

// What the agent has told of the cards meanwhile.
std::string AgentWarning(const PodEvidence& evidence) {
  const SeenEvent* told =
      LatestOf(evidence.events, {"GpuUnhealthy", "GpuRecovered", "GpuXid", "GpuOverLimit",
                                 "GpuUnenforced", "GpuRecordMissing", "GpuRecordUnreadable"});
  return told == nullptr || told->reason == "GpuRecovered" ? "" : told->ToString();
}

WhyAnswer Running(const PodEvidence& evidence) {
  if (WhyAnswer trouble = ContainerTrouble(evidence.pod, evidence.parsed.asks_for_gpu());
      !trouble.code.empty()) {
    return {trouble.code, OnNode(evidence) + trouble.sentence};
  }
  std::string sentence = "it runs on node " + evidence.parsed.node_name;
  if (!evidence.held.empty()) {
    sentence += ": " + Join(evidence.held, ", ");
  } else if (evidence.parsed.asks_for_gpu()) {
    sentence += " without a record of its cards, so the node takes nothing new";
  }
  for (const std::string& more : {AgentWarning(evidence), PastRestart(evidence.pod)}) {
    sentence += more.empty() ? "" : "; " + more;
  }
  return {"running", sentence};
}

}  // namespace

WhyAnswer WhyBound(const PodEvidence& evidence) {
  return evidence.parsed.phase == model::PodPhase::kRunning ? Running(evidence)
                                                            : Starting(evidence);
}

}  // namespace aliquot::cli
