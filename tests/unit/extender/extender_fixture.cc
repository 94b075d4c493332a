// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/extender/extender_fixture.h"

#include <chrono>
#include <sstream>
#include <thread>

namespace aliquot::extender {

using nlohmann::json;

void RecordingDecisionLog::Record(const observability::Decision& decision) {
  std::string line = std::string(decision.verb) + " " + std::string(decision.outcome);
  for (const std::string_view part : {decision.node, decision.cards}) {
    line += part.empty() ? "" : " " + std::string(part);
  }
  line += decision.reason.empty() ? "" : ": " + std::string(decision.reason);
  MutexLock lock(mutex_);
  lines_.push_back(line);
}

std::vector<std::string> RecordingDecisionLog::lines() const {
  MutexLock lock(mutex_);
  return lines_;
}

model::Node NodeOf(const std::string& name, int cards, std::int64_t mib) {
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

model::Pod PodOf(const std::string& name, int core, int memory) {
  model::Pod pod;
  pod.key = {"default", name};
  pod.uid = "uid-" + name;
  pod.has_gpu_label = true;
  AddContainer(pod, "main", model::ContainerKind::kApp, 0, core, memory);
  return pod;
}

void AddContainer(model::Pod& pod, const std::string& name, model::ContainerKind kind, int index,
                  int core, int memory) {
  model::GpuContainer container;
  container.name = name;
  container.kind = kind;
  container.index = index;
  container.quantities.push_back({"tencent.com/vcuda-core", std::to_string(core)});
  if (memory > 0) {
    container.quantities.push_back({"tencent.com/vcuda-memory", std::to_string(memory)});
  }
  pod.gpu_containers.push_back(container);
}

model::Pod ExactFitPod(const std::string& name) {
  model::Pod pod = PodOf(name, 45, 4);
  int index = 1;
  for (const int core : {35, 35, 30, 30, 25}) {
    AddContainer(pod, "c" + std::to_string(index), model::ContainerKind::kApp, index, core, 4);
    ++index;
  }
  return pod;
}

json PodJson(const model::Pod& pod) {
  json containers = json::array();
  json init = json::array();
  for (const model::GpuContainer& container : pod.gpu_containers) {
    json limits = json::object();
    for (const model::NamedQuantity& quantity : container.quantities) {
      limits[quantity.resource] = quantity.text;
    }
    json item = {{"name", container.name}, {"resources", {{"limits", limits}}}};
    if (container.kind == model::ContainerKind::kSidecar) {
      item["restartPolicy"] = "Always";
    }
    (container.kind == model::ContainerKind::kApp ? containers : init).push_back(item);
  }
  json metadata = {{"name", pod.key.name}, {"namespace", pod.key.namespace_name}, {"uid", pod.uid}};
  for (const auto& [key, value] : pod.annotations) {
    metadata["annotations"][key] = value;
  }
  json spec = {{"containers", containers}, {"initContainers", init}, {"priority", pod.priority}};
  if (pod.tolerates_cordon) {
    spec["tolerations"] = {{{"key", "node.kubernetes.io/unschedulable"},
                            {"operator", "Exists"},
                            {"effect", "NoSchedule"}}};
  }
  return {{"metadata", metadata}, {"spec", spec}, {"status", {{"phase", "Pending"}}}};
}

std::string ArgsFor(const model::Pod& pod, const std::vector<std::string>& names) {
  return json{{"Pod", PodJson(pod)}, {"Nodes", nullptr}, {"NodeNames", names}}.dump();
}

std::string BindArgsFor(const model::Pod& pod, const std::string& node) {
  return json{{"PodName", pod.key.name},
              {"PodNamespace", pod.key.namespace_name},
              {"PodUID", pod.uid},
              {"Node", node}}
      .dump();
}

double MetricValue(observability::Metrics& metrics, const std::string& series) {
  std::istringstream text(metrics.Render());
  for (std::string line; std::getline(text, line);) {
    if (line.rfind(series + " ", 0) == 0) {
      return std::stod(line.substr(series.size() + 1));
    }
  }
  return -1;
}

ledger::CommitRequest ExtenderFixture::RequestFor(const model::Pod& pod,
                                                  const std::string& node) const {
  ledger::CommitRequest request;
  request.key = pod.key;
  request.uid = pod.uid;
  request.node = node;
  request.demand = *model::DemandOf(pod, names_);
  request.priority = pod.priority;
  return request;
}

void ExtenderFixture::Occupy(const std::string& node, const std::string& pod, int core,
                             int memory) {
  const auto result = ledger_.Commit(RequestFor(PodOf(pod, core, memory), node));
  ASSERT_EQ(result.outcome, ledger::CommitOutcome::kReserved);
  ledger_.Confirm("uid-" + pod);
}

scoring::CardState ExtenderFixture::CardAt(const std::string& node, std::size_t card) const {
  const auto snapshot = ledger_.Read();
  scoring::NodeState state;
  EXPECT_TRUE(snapshot->Find(node, &state)) << node;
  return state.cards[card];
}

}  // namespace aliquot::extender
