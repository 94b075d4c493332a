// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/build_inventory.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "api/inventory_codec.h"
#include "base/strings.h"
#include "model/gpu_uuid.h"
#include "topology/description.h"

namespace aliquot::agent {
namespace {

constexpr int kMaxMinor = 65535;
constexpr std::int64_t kMaxMib = std::int64_t{1} << 32;
constexpr int kMaxNuma = 4095;
constexpr std::size_t kMaxNics = 64;
constexpr std::size_t kMaxNicNameBytes = 64;
constexpr std::size_t kMaxLinkClassBytes = 8;

bool IsLinkClass(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLinkClassBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

bool AllLinkClasses(const std::vector<std::string>& links) {
  return std::all_of(links.begin(), links.end(), IsLinkClass);
}

class Builder {
 public:
  Builder(const Machine& machine, const InventoryRules& rules) : machine_(machine), rules_(rules) {}

  BuiltInventory Build() {
    ChooseCards();
    built_.inventory.driver = machine_.driver;
    built_.inventory.leaving = rules_.leaving;
    for (const std::size_t index : kept_) {
      built_.inventory.cards.push_back(CardOf(machine_.cards[index].card));
    }
    TakeLinks();
    TakeNics();
    TakeMeasured();
    NoteUnknownIncludes();
    model::SetShape(built_.inventory);
    return std::move(built_);
  }

 private:
  void Note(std::string sentence) { built_.notes.push_back(std::move(sentence)); }

  void ChooseCards() {
    by_minor_.resize(machine_.cards.size());
    std::iota(by_minor_.begin(), by_minor_.end(), std::size_t{0});
    std::stable_sort(by_minor_.begin(), by_minor_.end(), [this](std::size_t a, std::size_t b) {
      return machine_.cards[a].card.minor < machine_.cards[b].card.minor;
    });
    std::map<std::string_view, int> uuids;
    std::map<int, int> minors;
    for (const MachineCard& each : machine_.cards) {
      ++uuids[each.card.uuid];
      ++minors[each.card.minor];
    }
    NoteRepeated(uuids, minors);
    for (const std::size_t index : by_minor_) {
      const model::Card& card = machine_.cards[index].card;
      if (uuids[card.uuid] > 1 || minors[card.minor] > 1 || !Publishable(card)) {
        continue;
      }
      if (kept_.size() == api::kMaxCardsPerNode) {
        Note("this node has more than " + std::to_string(api::kMaxCardsPerNode) +
             " cards; those from minor number " + std::to_string(card.minor) +
             " on are not published");
        break;
      }
      kept_.push_back(index);
    }
  }

  void NoteRepeated(const std::map<std::string_view, int>& uuids,
                    const std::map<int, int>& minors) {
    for (const auto& [uuid, count] : uuids) {
      if (count > 1) {
        Note(std::to_string(count) + " cards say that their UUID is " + Printable(uuid) +
             "; none of them is published, since nobody can tell which is meant: see to the driver "
             "or the profile");
      }
    }
    for (const auto& [minor, count] : minors) {
      if (count > 1) {
        Note(std::to_string(count) + " cards say that their minor number is " +
             std::to_string(minor) +
             "; none of them is published, since one device node can't be "
             "both: see to the driver or the profile");
      }
    }
  }

  bool Publishable(const model::Card& card) {
    const auto leave_out = [&](const std::string& what) {
      Note("the card with minor number " + std::to_string(card.minor) + " " + what +
           "; it is not published: see to the driver or the profile");
      return false;
    };
    if (!model::IsGpuUuid(card.uuid)) {
      return leave_out("has the UUID \"" + Printable(card.uuid) + "\", which is none");
    }
    if (card.minor < 0 || card.minor > kMaxMinor) {
      return leave_out("has a minor number that no device node can have");
    }
    if (card.mib < 0 || card.mib > kMaxMib) {
      return leave_out("says that it has " + std::to_string(card.mib) + " MiB of memory");
    }
    return true;
  }

  model::Card CardOf(const model::Card& seen) const {
    model::Card card = seen;
    if (const auto word = rules_.health.find(card.uuid); word != rules_.health.end()) {
      card.health = word->second;
    }
    if (card.health.empty()) {
      card.health = "ok";
    }
    if (rules_.owner.state == OwnerVerdict::State::kReleased && card.healthy()) {
      card.health = rules_.owner.word;
    }
    if (card.shareable() && !Ours(card.uuid)) {
      card.mode = std::string(kForeignMode);
    }
    if (card.numa < 0 || card.numa > kMaxNuma) {
      card.numa = -1;
    }
    return card;
  }

  bool Ours(std::string_view uuid) const {
    if (rules_.owner.state == OwnerVerdict::State::kForeign) {
      return false;
    }
    return rules_.include.empty() ||
           std::find(rules_.include.begin(), rules_.include.end(), uuid) != rules_.include.end();
  }

  // Entries of a triangle over the machine's cards, for the pairs of those kept.
  template <typename T>
  std::vector<T> Triangle(const std::vector<T>& all, const std::vector<std::size_t>& places,
                          std::size_t count) const {
    std::vector<T> some;
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = i + 1; j < places.size(); ++j) {
        some.push_back(all[topology::PairIndex(places[i], places[j], count)]);
      }
    }
    return some;
  }

  void TakeLinks() {
    const std::size_t count = machine_.cards.size();
    if (machine_.links.empty()) {
      return;
    }
    if (machine_.links.size() != topology::PairCount(count) || !AllLinkClasses(machine_.links)) {
      Note("the links between the cards can't be used: " + std::to_string(machine_.links.size()) +
           " classes for " + std::to_string(count) +
           " cards, or one that is no class; they are published as unknown");
      return;
    }
    built_.inventory.links = Triangle(machine_.links, kept_, count);
  }

  void TakeNics() {
    for (const model::Nic& nic : machine_.nics) {
      if (nic.to_cards.size() != machine_.cards.size() || !AllLinkClasses(nic.to_cards) ||
          nic.name.empty() || nic.name.size() > kMaxNicNameBytes ||
          built_.inventory.nics.size() == kMaxNics) {
        Note("the network card \"" + Printable(nic.name) + "\" is not published: it needs a name " +
             "and one class to each card, and at most " + std::to_string(kMaxNics) +
             " are published");
        continue;
      }
      model::Nic& some = built_.inventory.nics.emplace_back(nic);
      some.numa = some.numa < 0 || some.numa > kMaxNuma ? -1 : some.numa;
      some.to_cards.clear();
      for (const std::size_t index : kept_) {
        some.to_cards.push_back(nic.to_cards[index]);
      }
    }
  }

  // The table numbers the cards by minor number, those that are left out here too.
  void TakeMeasured() {
    if (rules_.measured == nullptr) {
      return;
    }
    const topology::MeasuredGbps& table = *rules_.measured;
    const std::size_t count = machine_.cards.size();
    const auto given = static_cast<std::size_t>(table.cards);
    if (given > count || (table.every_card && given != count) ||
        table.gbps.size() != topology::PairCount(given)) {
      Note("cards.measuredLinks has figures of " + std::to_string(table.cards) +
           " cards and this " + "node has " + std::to_string(count) +
           "; they are not used: measure again");
      return;
    }
    std::vector<int> all(topology::PairCount(count), 0);
    for (std::size_t a = 0; a < given; ++a) {
      for (std::size_t b = a + 1; b < given; ++b) {
        all[topology::PairIndex(by_minor_[a], by_minor_[b], count)] =
            table.gbps[topology::PairIndex(a, b, given)];
      }
    }
    std::vector<int> some = Triangle(all, kept_, count);
    if (std::any_of(some.begin(), some.end(), [](int gbps) { return gbps > 0; })) {
      built_.inventory.gbps = std::move(some);
    }
  }

  void NoteUnknownIncludes() {
    for (const std::string& uuid : rules_.include) {
      if (built_.inventory.IndexOfUuid(uuid) < 0) {
        Note("cards.include names " + Printable(uuid) +
             ", which is no card of this node; correct it or remove it");
      }
    }
  }

  const Machine& machine_;
  const InventoryRules& rules_;
  std::vector<std::size_t> by_minor_;  // positions in machine_.cards
  std::vector<std::size_t> kept_;      // those published, by minor number
  BuiltInventory built_;
};

}  // namespace

BuiltInventory BuildInventory(const Machine& machine, const InventoryRules& rules) {
  return Builder(machine, rules).Build();
}

}  // namespace aliquot::agent
