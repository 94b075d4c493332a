// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ledger/ledger_fixture.h"

#include "api/allocation_codec.h"

namespace aliquot::ledger {

model::Node LedgerFixture::NodeOf(const std::string& name, int cards, std::int64_t mib) {
  auto inventory = std::make_shared<model::Inventory>();
  for (int i = 0; i < cards; ++i) {
    model::Card card;
    card.uuid = "GPU-" + name + "-" + std::to_string(i);
    card.minor = i;
    card.mib = mib;
    card.health = "ok";
    inventory->cards.push_back(card);
  }
  model::SetShape(*inventory);
  model::Node node;
  node.name = name;
  node.inventory = inventory;
  return node;
}

model::Pod LedgerFixture::PodOf(const std::string& name, int core, int memory) {
  model::Pod pod;
  pod.key = {"default", name};
  pod.uid = "uid-" + name;
  model::GpuContainer container;
  container.name = "main";
  container.quantities.push_back({"tencent.com/vcuda-core", std::to_string(core)});
  if (memory > 0) {
    container.quantities.push_back({"tencent.com/vcuda-memory", std::to_string(memory)});
  }
  pod.gpu_containers.push_back(container);
  return pod;
}

model::Pod LedgerFixture::Bound(model::Pod pod, const std::string& node) {
  pod.node_name = node;
  return pod;
}

CommitRequest LedgerFixture::RequestFor(const model::Pod& pod, const std::string& node) {
  CommitRequest request;
  request.key = pod.key;
  request.uid = pod.uid;
  request.node = node;
  request.demand = *model::DemandOf(pod, model::ResourceNames());
  return request;
}

model::Pod LedgerFixture::BoundWith(model::Pod pod, const CommitResult& result) {
  pod.node_name = result.allocation.node;
  pod.annotations[std::string(model::kAllocationAnnotation)] =
      api::FormatAllocation(result.allocation);
  return pod;
}

scoring::CardState LedgerFixture::CardAt(const std::string& node, int card) const {
  const auto snapshot = ledger_.Read();
  scoring::NodeState state;
  EXPECT_TRUE(snapshot->Find(node, &state)) << node;
  return state.cards[card];
}

bool LedgerFixture::Closed(const std::string& node) const {
  const auto snapshot = ledger_.Read();
  scoring::NodeState state;
  EXPECT_TRUE(snapshot->Find(node, &state)) << node;
  return state.closed;
}

}  // namespace aliquot::ledger
