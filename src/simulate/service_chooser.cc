// SPDX-License-Identifier: Apache-2.0
#include "simulate/service_chooser.h"

#include <string>
#include <utility>
#include <vector>

#include "model/demand.h"
#include "scoring/node_gate.h"
#include "scoring/node_state.h"
#include "scoring/placer.h"
#include "simulate/trace_objects.h"
#include "topology/node_topology.h"

namespace aliquot::simulate {
namespace {

using topology::CardSet;

class ServiceChooser final : public MapaPolicy {
 public:
  ServiceChooser(scoring::NodeFacts facts, const scoring::Policy& policy)
      : facts_(std::move(facts)),
        placer_(scoring::PlacerOptions(), policy),
        cards_(facts_.inventory->cards.size()) {}

  CardSet Choose(CardSet free, const MapaJob& job) override {
    const model::PodDemand demand = DemandOfJob(job);
    scoring::StepBudget budget(placer_.options());
    const scoring::Choice choice = placer_.Choose(StateWith(free), scoring::Ask(demand), budget);
    CardSet chosen = 0;
    for (const std::vector<int>& of_container : choice.cards) {
      for (const int card : of_container) {
        chosen |= topology::CardBit(card);
      }
    }
    return chosen;
  }
  bool rings_by_effective_bandwidth(const MapaJob& job) const override { return job.sensitive; }

 private:
  static model::PodDemand DemandOfJob(const MapaJob& job) {
    TracePod pod;
    pod.gpus = job.gpus;
    pod.gpu_milli = kGpuMilli;
    const model::ResourceNames names;
    model::Pod object = PodObject(pod, "job", names);
    object.annotations.emplace(model::kPlacementAnnotation, job.sensitive ? "topology" : "binpack");
    // Whole cards and a known placement: nothing to refuse.
    return *model::DemandOf(object, names);
  }

  scoring::NodeState StateWith(CardSet free) {
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      scoring::CardState& card = cards_[i];
      const bool taken = !topology::Holds(free, static_cast<int>(i));
      card.usable = true;
      card.mib_total = static_cast<std::int32_t>(kCardMib);
      card.mib_used = taken ? card.mib_total : 0;
      card.core_used = taken ? 100 : 0;
      card.pods = taken ? 1 : 0;
    }
    scoring::NodeState state;
    state.facts = &facts_;
    state.cards = cards_.data();
    state.card_count = cards_.size();
    state.gate = scoring::GateOf(facts_, cards_.data(), cards_.size());
    return state;
  }

  const scoring::NodeFacts facts_;
  const scoring::Placer placer_;
  std::vector<scoring::CardState> cards_;
};

}  // namespace

Result<std::unique_ptr<MapaPolicy>> MakeServiceChooser(const topology::Description& description,
                                                       const scoring::Policy& policy) {
  model::Inventory links;
  links.cards.resize(description.cards.size());
  if (Status status = topology::FillInventory(description, links); !status.ok()) {
    return status;
  }
  TraceNode node;
  node.gpus = static_cast<int>(description.cards.size());
  node.model = "GPU";
  scoring::NodeFacts facts;
  facts.name = "node";
  facts.inventory = NodeObject(node, facts.name, &links).inventory;
  auto topology = topology::NodeTopology::Create(*facts.inventory);
  if (!topology.ok()) {
    return topology.status();
  }
  (*topology)->Prepare();
  facts.topology = *std::move(topology);
  return std::unique_ptr<MapaPolicy>(std::make_unique<ServiceChooser>(std::move(facts), policy));
}

}  // namespace aliquot::simulate
