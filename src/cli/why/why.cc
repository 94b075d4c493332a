// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/why/bound.h"
#include "cli/why/evidence.h"
#include "cli/why/unbound.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 600;

// "container main ended with exit code 1 (Error)" of the first that ended badly.
std::string HowItEnded(const json& pod) {
  for (const char* list : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const json& status : MemberAt(pod, list)) {
      const std::int64_t code = NumberAt(status, "/state/terminated/exitCode");
      const std::string reason = TextAt(status, "/state/terminated/reason");
      if (code == 0) {
        continue;
      }
      return "container " + TextAt(status, "/name") +
             (reason == "OOMKilled"
                  ? " was killed for main memory (OOMKilled); raise its "
                    "limits.memory"
                  : " ended with exit code " + std::to_string(code) +
                        (reason.empty() ? "" : " (" + reason + ")") + "; see kubectl logs");
    }
  }
  return {};
}

// Why somebody takes the pod away: the condition DisruptionTarget says so.
std::string Disruption(const json& pod) {
  for (const json& condition : MemberAt(pod, "/status/conditions")) {
    if (TextAt(condition, "/type") == "DisruptionTarget" &&
        TextAt(condition, "/status") == "True") {
      const std::string message = Printable(TextAt(condition, "/message"), kShown);
      return TextAt(condition, "/reason") + (message.empty() ? "" : ": " + message);
    }
  }
  return {};
}

WhyAnswer Terminating(const PodEvidence& evidence) {
  const std::string disruption = Disruption(evidence.pod);
  const std::string finalizers =
      MemberAt(evidence.pod, "/metadata/finalizers").empty()
          ? ""
          : "; it stays until its finalizers are taken away (metadata.finalizers)";
  return {"terminating",
          "it is being deleted" + (disruption.empty() ? "" : " (" + disruption + ")") + finalizers};
}

WhyAnswer Failed(const PodEvidence& evidence) {
  const std::string reason = TextAt(evidence.pod, "/status/reason");
  const std::string message = Printable(TextAt(evidence.pod, "/status/message"), kShown);
  const std::string on =
      evidence.parsed.node_name.empty() ? "" : " on node " + evidence.parsed.node_name;
  if (reason == "UnexpectedAdmissionError") {
    return {"kubelet_refused",
            "the kubelet" + on + " refused it: " + message + "; it stays failed, so make it anew"};
  }
  if (reason == "Evicted" || reason == "Preempting") {
    return {"evicted", "it was evicted" + on + (message.empty() ? "" : ": " + message) +
                           "; it stays failed, so make it anew"};
  }
  const std::string how = HowItEnded(evidence.pod);
  return {"failed",
          "it has failed" + on + (reason.empty() ? "" : ": " + reason) +
              (message.empty() ? "" : ": " + message) +
              (how.empty() ? "" : (reason.empty() && message.empty() ? ": " : "; ") + how)};
}

WhyAnswer ByPhase(const PodEvidence& evidence) {
  if (evidence.parsed.phase == model::PodPhase::kFailed) {
    return Failed(evidence);
  }
  if (evidence.parsed.phase == model::PodPhase::kSucceeded) {
    return {"succeeded", "it has ended well on node " + evidence.parsed.node_name};
  }
  if (evidence.parsed.deleting) {
    return Terminating(evidence);
  }
  return evidence.parsed.node_name.empty() ? WhyUnbound(evidence) : WhyBound(evidence);
}

}  // namespace

WhyAnswer WhyOf(const PodEvidence& evidence) {
  WhyAnswer answer = ByPhase(evidence);
  if (!evidence.parsed.asks_for_gpu()) {
    answer.sentence +=
        " (it asks for no " + evidence.names.core + ", so Aliquot has no part in it)";
  }
  return answer;
}

}  // namespace aliquot::cli
