// SPDX-License-Identifier: Apache-2.0
#include "allocator/explain_route.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "explain/explain.h"
#include "explain/explain_json.h"

namespace aliquot::allocator {
namespace {

using Json = nlohmann::ordered_json;

std::optional<model::PodKey> ParsePodKey(std::string_view text) {
  const auto parts = Split(text, '/');
  if (parts.size() != 2 || !api::IsDnsLabel(parts[0]) || !api::IsDnsSubdomain(parts[1])) {
    return std::nullopt;
  }
  return model::PodKey{std::string(parts[0]), std::string(parts[1])};
}

std::string_view SourceName(ledger::HoldSource source) {
  switch (source) {
    case ledger::HoldSource::kRecord:
      return "record";
    case ledger::HoldSource::kIndex:
      return "gpu_index";
    case ledger::HoldSource::kWholeNode:
      return "counted_on_every_card";
    case ledger::HoldSource::kUnknownRunning:
      break;
  }
  return "unknown";
}

std::string HoldJson(const ledger::HoldView& hold) {
  Json containers = Json::array();
  for (const model::AllocatedContainer& container : hold.allocation.containers) {
    Json cards = Json::array();
    for (const model::AllocatedCard& card : container.cards) {
      cards.push_back({{"uuid", card.uuid}, {"core", card.core}, {"mib", card.mib}});
    }
    containers.push_back({{"container", container.name}, {"cards", cards}});
  }
  const Json json = {{"pod", hold.key.ToString()},
                     {"uid", hold.uid},
                     {"state", hold.state == ledger::HoldState::kBound ? "bound" : "reserved"},
                     {"node", hold.node},
                     {"source", SourceName(hold.source)},
                     {"containers", containers}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

// The report's own keys follow ours in one object.
std::string PendingJson(const ledger::PendingPod& pod, const ledger::Ledger& ledger,
                        const scoring::Placer& placer) {
  const auto snapshot = ledger.Read();
  const auto report = explain::ExplainPod(
      scoring::Ask(pod.demand, pod.tolerates_cordon, snapshot->outlook()).OfPriority(pod.priority),
      *snapshot, placer);
  const std::string rest = explain::ToJson(report, pod.demand, 2);
  const Json own = {{"pod", pod.key.ToString()}, {"uid", pod.uid}, {"state", "pending"}};
  std::string text = own.dump(2, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind('\n'));
  return text + "," + rest.substr(1);
}

std::optional<ledger::HoldView> FindHoldByKey(const ledger::Ledger& ledger,
                                              const model::PodKey& key) {
  const auto snapshot = ledger.Read();
  for (const scoring::NodeState& node : snapshot->Nodes()) {
    for (ledger::HoldView& hold : ledger.HoldsOf(node.facts->name)) {
      if (hold.key == key) {
        return std::move(hold);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

http::Response Explain(const http::Request& request, const ledger::Ledger& ledger,
                       const ledger::PendingPods& pending, const scoring::Placer& placer) {
  const auto parameter = request.Parameter("pod");
  const auto key = ParsePodKey(parameter.value_or(""));
  if (!key) {
    return http::TextResponse(400, "the parameter pod is \"" + Printable(parameter.value_or("")) +
                                       "\"; ask for /explain?pod=NAMESPACE/NAME");
  }
  if (const auto pod = pending.FindKey(*key)) {
    const auto hold = ledger.FindHold(pod->uid);
    return http::JsonResponse((hold ? HoldJson(*hold) : PendingJson(*pod, ledger, placer)) + "\n");
  }
  if (const auto hold = FindHoldByKey(ledger, *key)) {
    return http::JsonResponse(HoldJson(*hold) + "\n");
  }
  return http::TextResponse(404, "pod " + key->ToString() +
                                     " is not known: it asks for no GPU share, has finished, or is "
                                     "not in the cluster");
}

}  // namespace aliquot::allocator
