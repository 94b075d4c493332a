// SPDX-License-Identifier: Apache-2.0
#include "cli/why/unbound.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/why/no_cards.h"
#include "cli/why/scheduler_cause.h"
#include "cli/why/scheduler_message.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 600;

const json* Condition(const json& pod, std::string_view type) {
  for (const json& condition : MemberAt(pod, "/status/conditions")) {
    if (TextAt(condition, "/type") == type) {
      return &condition;
    }
  }
  return nullptr;
}

WhyAnswer Gated(const json& pod) {
  std::vector<std::string> gates;
  for (const json& gate : MemberAt(pod, "/spec/schedulingGates")) {
    gates.push_back(TextAt(gate, "/name"));
  }
  return {
      "scheduling_gates",
      "it waits behind scheduling gates that somebody else must take away: " + Join(gates, ", ")};
}

WhyAnswer ResourceClaim(const PodEvidence& evidence) {
  return {"resource_claim",
          "a ResourceClaim of it is not there: " + SomeOf(evidence.resource_claims) +
              "; create it, and no scheduler looks at the pod before"};
}

// No scheduler ever said anything of it.
WhyAnswer NoScheduler(const PodEvidence& evidence) {
  if (!evidence.resource_claims.empty()) {
    return ResourceClaim(evidence);
  }
  if (!evidence.events.empty()) {
    return {"scheduler", "its latest event says: " + evidence.events.front().ToString()};
  }
  const std::string name =
      evidence.parsed.scheduler_name.empty() ? "default-scheduler" : evidence.parsed.scheduler_name;
  const json& group = MemberAt(evidence.pod, "/spec/schedulingGroup");
  return {"no_scheduler",
          "no scheduler has taken it: spec.schedulerName is " + Printable(name) +
              "; if that lasts, see whether a scheduler of this name runs (aliquotctl doctor)" +
              (group.is_null() ? "" : ", and whether the other pods of its group are there")};
}

WhyAnswer SchedulerFailed(const std::string& message) {
  // Of k8s.io/kubernetes/pkg/scheduler/extender.go, and of the Go client below it.
  const bool extender = message.find("with extender at URL") != std::string::npos ||
                        message.find("/scheduler/") != std::string::npos;
  if (extender) {
    return {"extender_down",
            "kube-scheduler cannot ask aliquot-allocator where it fits, and tries again: " +
                message + "; aliquotctl doctor says more"};
  }
  return {"scheduler_error", "the scheduler failed with it and tries again: " + message};
}

std::string Sentence(const SchedulerCause& cause, const std::string& said) {
  return cause.says + (cause.remedy.empty() ? "" : "; " + cause.remedy) +
         "; the scheduler says: " + said;
}

// Something of the pod itself, whatever the node.
WhyAnswer OfThePod(const PodEvidence& evidence, SchedulerCause cause, const std::string& said) {
  if (cause.code == "volume" && !evidence.unbound_claims.empty()) {
    cause.says += ": " + SomeOf(evidence.unbound_claims);
  }
  if (cause.code == "resource_claim" && !evidence.resource_claims.empty()) {
    cause.says += ": " + SomeOf(evidence.resource_claims);
  }
  return {cause.code, Sentence(cause, said)};
}

// The cards are there: then it is what kube-scheduler weighs besides.
WhyAnswer BySchedulerAlone(const PodEvidence& evidence, const SchedulerMessage& message) {
  const std::string said = Printable(message.Text(), kShown);
  const std::string& node = evidence.allowed->best()->name;
  const bool short_of_cards =
      std::any_of(message.reasons.begin(), message.reasons.end(), [&](const auto& reason) {
        return CauseOf(reason.text, evidence.names).kind == CauseKind::kNoCards;
      });
  if (!evidence.silent_agents.empty() && short_of_cards) {
    return {"agents_gone", "nodes that published cards advertise no " + evidence.names.core +
                               " now: " + SomeOf(evidence.silent_agents) +
                               "; see to aliquot-agent there"};
  }
  const SchedulerCause cause = ChooseCause(message, evidence.names, /*passed_ours=*/true);
  if (cause.code.empty()) {
    return {"scheduler", "GPUs are free for it on " + node +
                             " now, and the scheduler tries again by itself; at its last try it "
                             "said: " +
                             said};
  }
  return {cause.code, "GPUs are free for it on " + node + ", but " + Sentence(cause, said)};
}

WhyAnswer Unschedulable(const PodEvidence& evidence, const SchedulerMessage& message) {
  const SchedulerCause cause = ChooseCause(message, evidence.names, /*passed_ours=*/false);
  const std::string said = Printable(message.Text(), kShown);
  if (cause.kind == CauseKind::kWhateverNode && !cause.code.empty()) {
    return OfThePod(evidence, cause, said);
  }
  if (evidence.report) {
    return evidence.allowed->fitting == 0 ? NoCards(evidence) : BySchedulerAlone(evidence, message);
  }
  if (cause.code.empty()) {
    return {"scheduler", "the scheduler says: " + said};
  }
  return OfThePod(evidence, cause, said);
}

}  // namespace

WhyAnswer WhyUnbound(const PodEvidence& evidence) {
  if (!MemberAt(evidence.pod, "/spec/schedulingGates").empty()) {
    return Gated(evidence.pod);
  }
  if (!evidence.demand_problem.empty()) {
    return {"bad_request", evidence.demand_problem};
  }
  const json* scheduled = Condition(evidence.pod, "PodScheduled");
  if (scheduled == nullptr) {
    return NoScheduler(evidence);
  }
  const std::string message = TextAt(*scheduled, "/message");
  const std::string reason = TextAt(*scheduled, "/reason");
  if (reason != "Unschedulable" && !message.empty()) {
    return SchedulerFailed(Printable(message, kShown));
  }
  if (!evidence.parsed.nominated_node.empty()) {
    return {"preempting", "room is being made for it on node " + evidence.parsed.nominated_node +
                              " by preemption"};
  }
  return Unschedulable(evidence, ParseSchedulerMessage(message));
}

}  // namespace aliquot::cli
