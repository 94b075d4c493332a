// SPDX-License-Identifier: Apache-2.0
#include "agent/assessment.h"

#include <utility>

#include "agent/inventory/build_inventory.h"
#include "api/inventory_codec.h"
#include "model/names.h"

namespace aliquot::agent {
namespace {

constexpr std::string_view kNoDriver = "no-driver";

// A driver that was let go of is away for that reason.
std::string WithoutDriver(const AssessmentInputs& inputs) {
  return inputs.owner.state == OwnerVerdict::State::kReleased ? inputs.owner.word
                                                              : std::string(kNoDriver);
}

// What an agent before this one published, every card without its driver.
model::Inventory BeforeThisStart(const AssessmentInputs& inputs) {
  if (inputs.node == nullptr || inputs.node->inventory.empty()) {
    return {};
  }
  auto before = api::ParseInventory(inputs.node->inventory);
  if (!before.ok()) {
    return {};
  }
  for (model::Card& card : before->cards) {
    card.health = WithoutDriver(inputs);
  }
  before->leaving = inputs.leaving;
  return *std::move(before);
}

model::Inventory FromMachine(const AssessmentInputs& inputs, std::vector<std::string>& notes) {
  InventoryRules rules;
  rules.health = inputs.machine->health;
  for (auto& [uuid, word] : rules.health) {
    word = word == kNoDriver ? WithoutDriver(inputs) : word;
  }
  rules.include = inputs.include;
  rules.owner = inputs.owner;
  rules.measured = inputs.measured;
  rules.leaving = inputs.leaving;
  BuiltInventory built = BuildInventory(inputs.machine->machine, rules);
  notes = std::move(built.notes);
  return std::move(built.inventory);
}

void CountDevices(const model::Inventory& inventory, bool offered, Assessment& out) {
  for (const model::Card& card : inventory.cards) {
    if (!card.shareable()) {
      continue;
    }
    const std::int64_t units = card.mib / model::kMebibytesPerMemoryUnit;
    const bool healthy = offered && card.healthy();
    out.core.total += model::kWholeCardCore;
    out.core.healthy += healthy ? model::kWholeCardCore : 0;
    out.memory.total += units;
    out.memory.healthy += healthy ? units : 0;
  }
}

}  // namespace

Assessment AssessNode(const AssessmentInputs& inputs) {
  Assessment out;
  const bool seen = !inputs.machine->machine.cards.empty() || inputs.machine->driver;
  model::Inventory inventory = seen ? FromMachine(inputs, out.notes) : BeforeThisStart(inputs);
  out.says_nothing = !seen && inventory.cards.empty();
  for (const model::Card& card : inventory.cards) {
    out.standing[card.uuid] = {card.health, card.mode};
  }
  if (!inputs.machine->sentence.empty()) {
    out.notes.push_back(inputs.machine->sentence);
  }
  if (!inputs.owner.sentence.empty()) {
    out.notes.push_back(inputs.owner.sentence);
  }
  if (!inputs.driver.usable()) {
    out.notes.push_back(inputs.driver.sentence);
  }
  const bool ours = inputs.owner.state == OwnerVerdict::State::kOurs;
  CountDevices(inventory, ours && inputs.driver.usable(), out);
  out.wish.inventory = api::FormatInventory(inventory);
  out.wish.labels = WantedGpuLabels(inventory);
  out.wish.startup_taint = inputs.startup_taint;
  return out;
}

}  // namespace aliquot::agent
