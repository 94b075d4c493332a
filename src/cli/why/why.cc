// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/why/evidence.h"
#include "cli/why/unbound.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 600;

// The latest event of a program or reason; nullptr when there is none.
const SeenEvent* FindEvent(const PodEvidence& evidence,
                           std::initializer_list<std::string_view> any) {
  for (const SeenEvent& event : evidence.events) {
    for (const std::string_view name : any) {
      if (event.source == name || event.reason == name) {
        return &event;
      }
    }
  }
  return nullptr;
}

std::string Said(const SeenEvent& event) {
  return event.reason + ": " + Printable(event.message, kShown);
}

// "main: ImagePullBackOff: ..." of the first container that waits for more than its start.
std::string Waiting(const json& pod) {
  for (const char* list : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const json& status : MemberAt(pod, list)) {
      const std::string reason = TextAt(status, "/state/waiting/reason");
      if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") {
        continue;
      }
      const std::string message = TextAt(status, "/state/waiting/message");
      return "container " + TextAt(status, "/name") + " waits: " + reason +
             (message.empty() ? "" : ": " + Printable(message, kShown));
    }
  }
  return {};
}

WhyAnswer Starting(const PodEvidence& evidence) {
  const std::string on = "on node " + evidence.parsed.node_name + ", ";
  if (const SeenEvent* refused = FindEvent(evidence, {"aliquot-agent"})) {
    return {"agent_refused", on + "its agent says " + Said(*refused)};
  }
  if (const SeenEvent* none = FindEvent(evidence, {"NoGpuOnNode"})) {
    return {"no_cards_on_node", on + "which somebody else chose: " + Said(*none)};
  }
  if (const std::string waits = Waiting(evidence.pod); !waits.empty()) {
    return {"container_waiting", on + waits};
  }
  if (const SeenEvent* failed = FindEvent(
          evidence, {"FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "Failed"})) {
    return {"starting", on + "it does not start: " + Said(*failed)};
  }
  const bool stamped = evidence.parsed.Annotation(model::kAllocationAnnotation) != nullptr;
  if (evidence.parsed.asks_for_gpu() && !stamped) {
    return {"no_record", on + "it has no record of cards yet; the allocator writes one or says why "
                              "not"};
  }
  return {"starting", on + "it is being started"};
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
  return {"failed", "it has failed" + on + (reason.empty() ? "" : ": " + reason) +
                        (message.empty() ? "" : ": " + message)};
}

WhyAnswer Running(const PodEvidence& evidence) {
  std::string sentence = "it runs on node " + evidence.parsed.node_name;
  if (!evidence.held.empty()) {
    sentence += ": " + Join(evidence.held, ", ");
  } else if (evidence.parsed.asks_for_gpu()) {
    sentence += " without a record of its cards, so the node takes nothing new";
  }
  if (const std::string waits = Waiting(evidence.pod); !waits.empty()) {
    sentence += "; " + waits;
  }
  return {"running", sentence};
}

WhyAnswer ByPhase(const PodEvidence& evidence) {
  switch (evidence.parsed.phase) {
    case model::PodPhase::kFailed:
      return Failed(evidence);
    case model::PodPhase::kSucceeded:
      return {"succeeded", "it has ended well on node " + evidence.parsed.node_name};
    case model::PodPhase::kRunning:
      return Running(evidence);
    default:
      return evidence.parsed.node_name.empty() ? WhyUnbound(evidence) : Starting(evidence);
  }
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

std::string FragmentedSentence(const explain::Report& report,
                               const std::vector<scoring::NodeState>& nodes,
                               const model::PodDemand& demand) {
  const auto asked = std::max_element(demand.containers.begin(), demand.containers.end(),
                                      [](const auto& a, const auto& b) { return a.core < b.core; });
  const auto fragmented =
      std::find_if(report.nodes.begin(), report.nodes.end(), [](const explain::NodeReport& node) {
        return node.verdict.refusal == scoring::Refusal::kNotOnOneCard;
      });
  if (asked == demand.containers.end() || fragmented == report.nodes.end()) {
    return {};
  }
  std::int64_t core = 0;
  std::int64_t mib = 0;
  for (const scoring::NodeState& node : nodes) {
    for (std::size_t i = 0; node.facts->name == fragmented->name && i < node.card_count; ++i) {
      core += node.cards[i].usable ? node.cards[i].core_free() : 0;
      mib += node.cards[i].usable ? node.cards[i].mib_free() : 0;
    }
  }
  return "fragmented: " + std::to_string(core) + " % and " + std::to_string(mib) +
         " MiB are free in sum on node " + fragmented->name + ", but " +
         std::to_string(asked->core) + " % and " + std::to_string(asked->mib) +
         " MiB on no one card of any node";
}

}  // namespace aliquot::cli
