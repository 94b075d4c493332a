// SPDX-License-Identifier: Apache-2.0
#include "agent/card_offer.h"

#include <utility>
#include <vector>

#include "agent/inventory/socket_answers.h"
#include "agent/plugin/advertised_devices.h"
#include "api/inventory_codec.h"

namespace aliquot::agent {
namespace {

std::vector<std::string> IdsIn(CheckpointSource& source) {
  std::vector<std::string> ids;
  if (const auto checkpoint = source.Read(); checkpoint.ok()) {
    for (const CheckpointEntry& entry : (*checkpoint)->entries) {
      ids.insert(ids.end(), entry.ids.begin(), entry.ids.end());
    }
  }
  return ids;
}

}  // namespace

CardOffer::CardOffer(const Parts& parts, CardOfferOptions options)
    : parts_(parts), options_(options), made_at_(parts.clock.SteadyNow()) {
  facts_.machine = std::make_shared<const Machine>();
}

void CardOffer::SetPlugin(PluginHost& plugin) {
  MutexLock lock(refresh_mutex_);
  plugin_ = &plugin;
}

DeskFacts CardOffer::Facts() const {
  MutexLock lock(mutex_);
  return facts_;
}

OwnerVerdict CardOffer::Owner(const NodeView* node) {
  const SteadyTime now = parts_.clock.SteadyNow();
  if (now >= next_socket_look_) {
    next_socket_look_ = now + options_.socket_looks;
    gpu_manager_ = GpuManagerSocket(parts_.configuration.kubelet.plugin_directory);
  }
  static const NodeView kUnknown;
  return JudgeOwner(node == nullptr ? kUnknown : *node, parts_.configuration.cards.include,
                    gpu_manager_);
}

bool CardOffer::NotBackYet(const NodeView* node) {
  back_ = back_ || (plugin_ != nullptr && plugin_->State().ready());
  if (back_ || node == nullptr || node->inventory.empty()) {
    return false;
  }
  const auto said = api::ParseInventory(node->inventory);
  return said.ok() && said->leaving;
}

bool CardOffer::KnowsEnough(const NodeView* node) {
  return node != nullptr || told_ || parts_.clock.SteadyNow() >= made_at_ + options_.wait_for_node;
}

void CardOffer::SetMachine(std::shared_ptr<const MachineView> machine) {
  MutexLock lock(refresh_mutex_);
  machine_ = std::move(machine);
  RefreshLocked();
}

void CardOffer::Refresh() {
  MutexLock lock(refresh_mutex_);
  RefreshLocked();
}

void CardOffer::RefreshLocked() {
  const auto node = parts_.publisher.node();
  AssessmentInputs inputs;
  inputs.owner = Owner(node.get());
  if (inputs.owner.state == OwnerVerdict::State::kReleased) {
    parts_.backend.Hold(inputs.owner.sentence);
  } else {
    parts_.backend.Resume();
  }
  inputs.machine = machine_;
  inputs.node = node;
  inputs.include = parts_.configuration.cards.include;
  inputs.measured = parts_.measured;
  inputs.startup_taint = parts_.configuration.startup_taint;
  inputs.leaving = leaving_ || NotBackYet(node.get());
  if (inputs.machine->driver) {
    inputs.driver = parts_.delivery.For(inputs.machine->machine.driver,
                                        node == nullptr ? "" : node->container_runtime);
  }
  Assessment now = AssessNode(inputs);
  {
    MutexLock facts_lock(mutex_);
    facts_.machine = std::shared_ptr<const Machine>(inputs.machine, &inputs.machine->machine);
    facts_.standing = now.standing;
    facts_.driver = inputs.driver;
  }
  parts_.metrics.SetDegraded(AgentDegraded::kNoDriver, !inputs.machine->driver);
  parts_.metrics.SetDegraded(AgentDegraded::kOwnedByOther,
                             inputs.owner.state == OwnerVerdict::State::kForeign);
  parts_.metrics.SetDegraded(AgentDegraded::kNoDelivery, !inputs.driver.usable());
  if (KnowsEnough(node.get())) {
    Tell(now);
  }
  WatchAllocatable(node.get());
}

void CardOffer::Leave() {
  MutexLock lock(refresh_mutex_);
  leaving_ = true;
}

void CardOffer::Tell(const Assessment& now) {
  if (!now.says_nothing && (!told_ || !(now.wish == last_.wish))) {
    parts_.publisher.SetWish(now.wish);
  }
  TellLog(now);
  TellPlugin(now);
  told_ = true;
  last_ = now;
}

void CardOffer::TellLog(const Assessment& now) {
  if (told_ && now.notes == last_.notes) {
    return;
  }
  for (const std::string& note : now.notes) {
    parts_.log.Warn("agent", "not everything is offered", {{"note", note}});
  }
}

void CardOffer::TellPlugin(const Assessment& now) {
  const bool same = plugin_told_ && now.core == last_.core && now.memory == last_.memory;
  if (plugin_ == nullptr || same) {
    return;
  }
  AdvertisedList core = AdvertisedDevices(kCoreIdPrefix, now.core.total, now.core.healthy,
                                          IdsIn(parts_.core_checkpoint));
  AdvertisedList memory = AdvertisedDevices(kMemoryIdPrefix, now.memory.total, now.memory.healthy,
                                            IdsIn(parts_.memory_checkpoint));
  for (const std::string& note : {core.note, memory.note}) {
    if (!note.empty()) {
      parts_.log.Warn("agent", "not everything is advertised", {{"note", note}});
    }
  }
  const auto count = [this](std::string_view resource, const DeviceCount& devices) {
    parts_.metrics.SetDevices(resource, static_cast<std::size_t>(devices.healthy),
                              static_cast<std::size_t>(devices.total - devices.healthy));
  };
  count(parts_.configuration.resource_names.core, now.core);
  count(parts_.configuration.resource_names.memory, now.memory);
  parts_.log.Info("agent", "devices advertised",
                  {{"core", now.core.total},
                   {"core_healthy", now.core.healthy},
                   {"memory", now.memory.total},
                   {"memory_healthy", now.memory.healthy}});
  plugin_->SetDevices(std::move(core.devices), std::move(memory.devices));
  plugin_told_ = true;
}

// Up to Kubernetes 1.36 a kubelet can lose a registration that looks good from here.
void CardOffer::WatchAllocatable(const NodeView* node) {
  if (plugin_ == nullptr || node == nullptr) {
    return;
  }
  const auto found = node->allocatable.find(parts_.configuration.resource_names.core);
  const bool nothing = found == node->allocatable.end() || found->second == 0;
  const SteadyTime now = parts_.clock.SteadyNow();
  if (!nothing || last_.core.healthy == 0 || !plugin_->State().ready()) {
    stuck_ = false;
  } else if (!stuck_) {
    stuck_ = true;
    stuck_since_ = now;
  } else if (now - stuck_since_ >= options_.stuck_for) {
    stuck_ = false;
    plugin_->RegisterAgain("the node's allocatable stays 0 although devices are healthy");
  }
}

}  // namespace aliquot::agent
