// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/lost_cards.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "topology/description.h"

namespace aliquot::agent {
namespace {

std::optional<std::size_t> PlaceOf(const Machine& machine, std::string_view uuid) {
  const MachineCard* card = machine.FindUuid(uuid);
  return card == nullptr ? std::nullopt
                         : std::optional(static_cast<std::size_t>(card - machine.cards.data()));
}

// The class of a pair, "" = this look does not know.
std::string LinkIn(const Machine& machine, std::string_view a, std::string_view b) {
  const auto first = PlaceOf(machine, a);
  const auto second = PlaceOf(machine, b);
  const std::size_t count = machine.cards.size();
  if (!first || !second || *first == *second ||
      machine.links.size() != topology::PairCount(count)) {
    return {};
  }
  return machine.links[topology::PairIndex(*first, *second, count)];
}

std::string NicLinkIn(const Machine& machine, std::string_view nic, std::string_view uuid) {
  const auto place = PlaceOf(machine, uuid);
  for (const model::Nic& each : machine.nics) {
    if (each.name == nic && place && *place < each.to_cards.size()) {
      return each.to_cards[*place];
    }
  }
  return {};
}

bool HasMinor(const Machine& machine, int minor) {
  return std::any_of(machine.cards.begin(), machine.cards.end(),
                     [minor](const MachineCard& each) { return each.card.minor == minor; });
}

std::vector<std::string> LinksOf(const std::vector<MachineCard>& cards, const Machine& now,
                                 const Machine& before) {
  std::vector<std::string> links;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    for (std::size_t j = i + 1; j < cards.size(); ++j) {
      std::string link = LinkIn(now, cards[i].card.uuid, cards[j].card.uuid);
      if (link.empty()) {
        link = LinkIn(before, cards[i].card.uuid, cards[j].card.uuid);
      }
      if (link.empty()) {
        return {};
      }
      links.push_back(std::move(link));
    }
  }
  return links;
}

std::vector<model::Nic> NicsOf(const std::vector<MachineCard>& cards, const Machine& now,
                               const Machine& before) {
  std::vector<model::Nic> nics;
  for (const model::Nic& each : now.nics) {
    model::Nic nic = each;
    nic.to_cards.clear();
    for (const MachineCard& card : cards) {
      std::string link = NicLinkIn(now, nic.name, card.card.uuid);
      if (link.empty()) {
        link = NicLinkIn(before, nic.name, card.card.uuid);
      }
      if (!link.empty()) {
        nic.to_cards.push_back(std::move(link));
      }
    }
    if (nic.to_cards.size() == cards.size()) {
      nics.push_back(std::move(nic));
    }
  }
  return nics;
}

}  // namespace

MachineWithLost KeepLostCards(const Machine& before, Machine now) {
  MachineWithLost result;
  std::vector<MachineCard> cards = now.cards;
  for (const MachineCard& each : before.cards) {
    if (now.FindUuid(each.card.uuid) == nullptr && !HasMinor(now, each.card.minor)) {
      cards.push_back(each);
      result.lost.push_back(each.card.uuid);
    }
  }
  if (!result.lost.empty()) {
    std::stable_sort(cards.begin(), cards.end(), [](const MachineCard& a, const MachineCard& b) {
      return a.card.minor < b.card.minor;
    });
    std::vector<std::string> links = LinksOf(cards, now, before);
    std::vector<model::Nic> nics = NicsOf(cards, now, before);
    now.cards = std::move(cards);
    now.links = std::move(links);
    now.nics = std::move(nics);
  }
  result.machine = std::move(now);
  return result;
}

}  // namespace aliquot::agent
