// SPDX-License-Identifier: Apache-2.0
#include "cli/why/unbound.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;
using scoring::Refusal;

constexpr std::size_t kShown = 600;
constexpr std::size_t kNamedNodes = 3;

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool Holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const json* Condition(const json& pod, std::string_view type) {
  for (const json& condition : MemberAt(pod, "/status/conditions")) {
    if (TextAt(condition, "/type") == type) {
      return &condition;
    }
  }
  return nullptr;
}

std::string SomeOf(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamedNodes);
  std::string text =
      Join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (names.size() > shown) {
    text += " and " + std::to_string(names.size() - shown) + " more";
  }
  return text;
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

// No scheduler ever said anything of it.
WhyAnswer NoScheduler(const PodEvidence& evidence) {
  const std::string name =
      evidence.parsed.scheduler_name.empty() ? "default-scheduler" : evidence.parsed.scheduler_name;
  return {"no_scheduler",
          "no scheduler has taken it: spec.schedulerName is " + name +
              "; if that lasts, see whether a scheduler of this name runs (aliquotctl doctor)"};
}

// What kube-scheduler said, by the words of its plugins; the first that fits. Their texts are those
// of kubernetes/pkg/scheduler/framework/plugins, stable since 1.19.
struct SchedulerWord {
  std::string_view word;
  const char* code;
  const char* says;
};
constexpr SchedulerWord kWords[] = {
    {"persistentvolumeclaim", "volume", "a volume claim is not bound"},
    {"volume node affinity", "volume", "its volume is elsewhere"},
    {"persistent volumes to bind", "volume", "no volume can be bound"},
    {"taint", "taints", "it does not tolerate the nodes' taints"},
    {"insufficient cpu", "cpu_or_memory", "the nodes lack processor"},
    {"insufficient memory", "cpu_or_memory", "the nodes lack main memory"},
    {"too many pods", "cpu_or_memory", "the nodes hold as many pods as they may"},
    {"node affinity", "affinity", "its node selector or affinity excludes the nodes"},
    {"node selector", "affinity", "its node selector or affinity excludes the nodes"},
    {"topology spread", "affinity", "its topology spread constraints exclude the nodes"},
    {"pod affinity", "affinity", "its pod affinity excludes the nodes"},
    {"anti-affinity", "affinity", "pod anti-affinity excludes the nodes"},
    {"host ports", "affinity", "the nodes' ports that it wants are taken"},
    {"unschedulable", "cordoned", "the nodes are cordoned"},
};

const SchedulerWord* WordIn(const std::string& message) {
  const std::string lower = Lower(message);
  for (const SchedulerWord& word : kWords) {
    if (Holds(lower, word.word)) {
      return &word;
    }
  }
  return nullptr;
}

WhyAnswer Volume(const PodEvidence& evidence, const std::string& message) {
  std::string sentence = "a volume claim is not bound";
  if (!evidence.unbound_claims.empty()) {
    sentence += ": " + SomeOf(evidence.unbound_claims);
  }
  return {"volume", sentence + "; the scheduler says: " + message};
}

// No node has the cards: the most frequent reason, with figures where the sum would do.
WhyAnswer NoCards(const PodEvidence& evidence) {
  const explain::Report& report = *evidence.report;
  if (!evidence.old_plugin.empty() && report.reasons.front().refusal == Refusal::kNoInventory) {
    return {"old_plugin", "nodes advertise " + evidence.names.core +
                              " by another device plugin and publish no cards to Aliquot: " +
                              SomeOf(evidence.old_plugin) +
                              "; remove that plugin there (gpu-manager?)"};
  }
  if (!evidence.fragmented.empty()) {
    return {"fragmented", evidence.fragmented};
  }
  const bool no_agents =
      report.reasons.empty() ||
      (report.reasons.size() == 1 && report.reasons.front().refusal == Refusal::kNoInventory);
  if (no_agents) {
    return {"no_agents", "no node publishes cards; does aliquot-agent run on the GPU nodes?"};
  }
  // Nodes without GPUs are no news.
  const auto worst =
      std::find_if(report.reasons.begin(), report.reasons.end(),
                   [](const auto& reason) { return reason.refusal != Refusal::kNoInventory; });
  return {std::string(scoring::RefusalName(worst->refusal)), report.summary};
}

// The cards are there: then it is what kube-scheduler weighs besides.
WhyAnswer BySchedulerAlone(const PodEvidence& evidence, const std::string& message) {
  const SchedulerWord* word = WordIn(message);
  const std::string cards =
      evidence.report ? "GPUs are free on " + evidence.report->best()->name + ", but " : "";
  if (!evidence.silent_agents.empty() && Holds(message, "Insufficient " + evidence.names.core)) {
    return {"agents_gone", "nodes that published cards advertise no " + evidence.names.core +
                               " now: " + SomeOf(evidence.silent_agents) +
                               "; see to aliquot-agent there"};
  }
  if (word == nullptr) {
    return {"scheduler", cards + "the scheduler says: " + message};
  }
  return {word->code, cards + word->says + "; the scheduler says: " + message};
}

WhyAnswer Unschedulable(const PodEvidence& evidence, const std::string& message) {
  const SchedulerWord* word = WordIn(message);
  if (word != nullptr && std::string_view(word->code) == "volume") {
    return Volume(evidence, message);
  }
  if (evidence.parsed.asks_for_gpu() && evidence.report && evidence.report->fitting == 0) {
    return NoCards(evidence);
  }
  return BySchedulerAlone(evidence, message);
}

}  // namespace

WhyAnswer WhyUnbound(const PodEvidence& evidence) {
  if (evidence.parsed.deleting) {
    return {"terminating", "it is being deleted"};
  }
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
  const std::string message = Printable(TextAt(*scheduled, "/message"), kShown);
  const std::string reason = TextAt(*scheduled, "/reason");
  if (reason != "Unschedulable" && !message.empty()) {
    return {"scheduler_error", "the scheduler failed with it and will try again: " + message +
                                   "; if it names the extender, aliquotctl doctor says more"};
  }
  if (!evidence.parsed.nominated_node.empty()) {
    return {"preempting", "room is being made for it on node " + evidence.parsed.nominated_node +
                              " by preemption"};
  }
  return Unschedulable(evidence, message);
}

}  // namespace aliquot::cli
