// SPDX-License-Identifier: Apache-2.0
#include "cli/why/gather.h"

#include <algorithm>
#include <functional>

#include "api/allocation_codec.h"
#include "api/pod_codec.h"
#include "base/strings.h"
#include "cli/cluster_ledger.h"
#include "cli/doctor/api_reader.h"
#include "cli/get/rows.h"
#include "kubeclient/api_path.h"
#include "scoring/policy_registry.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

// A later list says which events; the newest first.
Result<std::vector<SeenEvent>> Events(kubeclient::Transport& transport, const Clock& clock,
                                      const std::string& namespace_name,
                                      const std::string& field_selector,
                                      const std::function<bool(const json&)>& wanted) {
  kubeclient::ApiRequest request;
  request.verb = kubeclient::kListEvents;
  request.namespace_name = namespace_name;
  request.query = "limit=500&fieldSelector=" + kubeclient::PercentEncode(field_selector);
  const auto result =
      transport.Call(request, clock.SteadyNow() + std::chrono::seconds(20), nullptr);
  if (result.outcome != kubeclient::CallResult::Outcome::kReply) {
    return Unavailable("events could not be read: " + result.message);
  }
  if (result.reply.status != 200) {
    return Status(
        result.reply.status == 403 ? StatusCode::kPermissionDenied : StatusCode::kUnavailable,
        "listing events in namespace " + namespace_name + " was answered with HTTP " +
            std::to_string(result.reply.status));
  }
  const json list = json::parse(result.reply.body, nullptr, false);
  std::vector<SeenEvent> events;
  for (const json& item : MemberAt(list, "/items")) {
    if (!wanted(item)) {
      continue;
    }
    SeenEvent event{TextAt(item, "/reason"), TextAt(item, "/message"),
                    TextAt(item, "/reportingComponent"), TextAt(item, "/lastTimestamp")};
    if (event.source.empty()) {
      event.source = TextAt(item, "/source/component");
    }
    for (const char* other : {"/series/lastObservedTime", "/eventTime", "/firstTimestamp"}) {
      if (event.last.empty()) {
        event.last = TextAt(item, other);
      }
    }
    events.push_back(std::move(event));
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const SeenEvent& a, const SeenEvent& b) { return a.last > b.last; });
  return events;
}

void GatherEvents(kubeclient::Transport& transport, const Clock& clock, PodEvidence& evidence,
                  std::vector<std::string>& notes) {
  const auto events =
      Events(transport, clock, evidence.parsed.key.namespace_name,
             "involvedObject.uid=" + evidence.parsed.uid, [&evidence](const json& event) {
               return TextAt(event, "/involvedObject/uid") == evidence.parsed.uid;
             });
  if (!events.ok()) {
    notes.push_back(events.status().message() + ", so events are not looked at");
    return;
  }
  evidence.events_known = true;
  evidence.events = *events;
}

void GatherClaims(ApiReader& reader, PodEvidence& evidence, std::vector<std::string>& notes) {
  for (const json& volume : MemberAt(evidence.pod, "/spec/volumes")) {
    const std::string name = TextAt(volume, "/persistentVolumeClaim/claimName");
    if (name.empty()) {
      continue;
    }
    const auto claim = reader.Get(kubeclient::kGetClaim, evidence.parsed.key.namespace_name, name);
    if (claim.ok()) {
      const std::string phase = TextAt(*claim, "/status/phase");
      if (phase != "Bound") {
        evidence.unbound_claims.push_back(name + " (" + (phase.empty() ? "no phase" : phase) + ")");
      }
    } else if (claim.status().code() == StatusCode::kNotFound) {
      evidence.unbound_claims.push_back(name + " (does not exist)");
    } else {
      notes.push_back(claim.status().message() + ", so claim " + name + " is not looked at");
    }
  }
}

// Nodes on which what is advertised and what is published do not belong together.
void GatherAdvertised(ApiReader& reader, const ledger::Snapshot& snapshot, PodEvidence& evidence) {
  static_cast<void>(reader.ForEach(kubeclient::kListNodes, "", "", [&](const json& node) {
    const std::string name = TextAt(node, "/metadata/name");
    const json& allocatable = MemberAt(node, "/status/allocatable");
    const std::string core = allocatable.is_object() && allocatable.contains(evidence.names.core) &&
                                     allocatable[evidence.names.core].is_string()
                                 ? allocatable[evidence.names.core].get<std::string>()
                                 : "0";
    scoring::NodeState state;
    const bool published = snapshot.Find(name, &state) && state.facts->inventory != nullptr;
    if (core != "0" && !published) {
      evidence.old_plugin.push_back(name);
    } else if (core == "0" && published) {
      evidence.silent_agents.push_back(name);
    }
  }));
}

void GatherPlaces(kubeclient::Transport& transport, const Clock& clock, ApiReader& reader,
                  PodEvidence& evidence, std::vector<std::string>& notes) {
  const auto demand = model::DemandOf(evidence.parsed, evidence.names);
  if (!demand.ok()) {
    evidence.demand_problem = demand.status().message();
    return;
  }
  const auto policy = scoring::PolicyNamed(std::string(scoring::kDefaultPolicy));
  if (!policy.ok() || demand->empty()) {
    return;
  }
  ClusterLedger cluster(evidence.names, clock, **policy);
  if (const Status read = cluster.view().ReadApiServer(transport); !read.ok()) {
    notes.push_back(read.message() + ", so the nodes' cards are not looked at");
    return;
  }
  const auto outlook = cluster.view().Outlook();
  const scoring::Ask ask(*demand, evidence.parsed.tolerates_cordon, *outlook);
  const auto snapshot = cluster.ledger().Read();
  evidence.report = explain::ExplainPod(ask, *snapshot, cluster.placer());
  if (evidence.report->fitting == 0) {
    evidence.fragmented = FragmentedSentence(*evidence.report, snapshot->Nodes(), *demand);
  }
  GatherAdvertised(reader, *snapshot, evidence);
}

void GatherHeld(PodEvidence& evidence) {
  const std::string* record = evidence.parsed.Annotation(model::kAllocationAnnotation);
  const auto allocation = record == nullptr ? Result<model::Allocation>(NotFound("none"))
                                            : api::ParseAllocation(*record);
  if (!allocation.ok()) {
    return;
  }
  for (const model::AllocatedContainer& container : allocation->containers) {
    for (const model::AllocatedCard& card : container.cards) {
      evidence.held.push_back("container " + container.name + " holds " + Printable(card.uuid) +
                              " (" + std::to_string(card.core) + " %, " + std::to_string(card.mib) +
                              " MiB)");
    }
  }
}

}  // namespace

Result<PodEvidence> GatherEvidence(kubeclient::Transport& transport, const Clock& clock,
                                   const model::PodKey& key, const model::ResourceNames& names,
                                   std::vector<std::string>& notes) {
  ApiReader reader(transport, clock);
  auto pod = reader.Get(kubeclient::kGetPod, key.namespace_name, key.name);
  if (!pod.ok()) {
    return pod.status();
  }
  auto parsed = api::ParsePod(pod->dump(-1, ' ', false, json::error_handler_t::replace), names);
  if (!parsed.ok()) {
    return parsed.status();
  }
  PodEvidence evidence;
  evidence.pod = *std::move(pod);
  evidence.parsed = *std::move(parsed);
  evidence.names = names;
  if (evidence.parsed.phase != model::PodPhase::kRunning && !evidence.parsed.finished()) {
    GatherEvents(transport, clock, evidence, notes);
  }
  if (!evidence.parsed.node_name.empty()) {
    GatherHeld(evidence);
  } else if (!evidence.parsed.finished()) {
    GatherClaims(reader, evidence, notes);
    if (evidence.parsed.asks_for_gpu()) {
      GatherPlaces(transport, clock, reader, evidence, notes);
    }
  }
  return evidence;
}

Result<std::string> WhyNotCreated(kubeclient::Transport& transport, const Clock& clock,
                                  const std::string& namespace_name, const std::string& name) {
  const auto events =
      Events(transport, clock, namespace_name, "reason=FailedCreate", [&name](const json& event) {
        const std::string of = TextAt(event, "/involvedObject/name");
        return TextAt(event, "/reason") == "FailedCreate" &&
               (of == name || StartsWith(of, name + "-"));
      });
  if (!events.ok()) {
    return events.status();
  }
  return events->empty() ? std::string() : Printable(events->front().message, 600);
}

}  // namespace aliquot::cli
