// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/machine_state.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "agent/gpu/profile_text.h"
#include "base/strings.h"
#include "program/map_reader.h"
#include "program/yaml_document.h"
#include "topology/description.h"

namespace aliquot::agent {
namespace {

using program::MapReader;
using program::YamlPath;
using program::YamlValue;

constexpr std::int64_t kMaxMib = 1 << 30;
constexpr std::int64_t kMaxMinor = (1 << 20) - 1;
constexpr std::int64_t kMaxPid = 1 << 22;  // the kernel's PID_MAX_LIMIT
constexpr std::int64_t kMaxXid = 1 << 20;

std::optional<int> OptionalInteger(MapReader& reader, std::string_view key, std::int64_t least,
                                   std::int64_t most) {
  const std::int64_t value = reader.Integer(key, least - 1, least, most);
  return value < least ? std::nullopt : std::optional<int>(static_cast<int>(value));
}

// Reads one state of one machine.
class StateReader {
 public:
  StateReader(const YamlValue& document, const std::string& file, const MachineProfile& profile,
              program::Problems& problems)
      : source_{file, problems},
        top_(source_, document, root_),
        profile_(profile),
        state_(IntactState(profile)) {}

  MachineState Read() {
    RequireKind(top_, "MachineState");
    state_.driver_present = top_.Choice("driver", "present", {"present", "absent"}) == "present";
    ReadList("cards", [this](MapReader& reader) { ReadCard(reader); });
    ReadList("events", [this](MapReader& reader) { ReadEvent(reader); });
    top_.RefuseUnknownKeys();
    CheckMinors();
    return std::move(state_);
  }

 private:
  template <typename Entry>
  void ReadList(std::string_view key, const Entry& entry) {
    const YamlValue* list = top_.List(key);
    if (list == nullptr) {
      return;
    }
    const YamlPath path(root_, key);
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const YamlPath place(path, i);
      MapReader reader(source_, list->items[i], place);
      entry(reader);
      reader.RefuseUnknownKeys();
    }
  }

  // nullptr and a problem when the machine has no such card.
  CardState* Find(MapReader& reader, std::string_view key, const std::string& uuid) {
    const auto at = std::find_if(state_.cards.begin(), state_.cards.end(),
                                 [&uuid](const CardState& card) { return card.uuid == uuid; });
    if (at != state_.cards.end()) {
      return &*at;
    }
    reader.Complain(key, "is \"" + Printable(uuid) +
                             "\", which the machine profile does not have; name one of its cards");
    return nullptr;
  }

  void ReadCard(MapReader& reader) {
    const std::string uuid = reader.RequiredText("uuid");
    CardState read;
    read.uuid = uuid;
    read.lost = reader.Boolean("lost", false);
    read.uncorrectable_pending = reader.Boolean("uncorrectablePending", false);
    read.remap_failed = reader.Boolean("remapFailed", false);
    read.minor = OptionalInteger(reader, "minor", 0, kMaxMinor);
    ReadFigures(reader, read.figures);
    CardState* card = uuid.empty() ? nullptr : Find(reader, "uuid", uuid);
    if (card == nullptr) {
      return;
    }
    if (std::find(told_.begin(), told_.end(), uuid) != told_.end()) {
      reader.Complain("uuid", "is \"" + uuid + "\", which an earlier entry names; keep one");
    }
    told_.push_back(uuid);
    read.figures.mib_total = card->figures.mib_total;
    if (read.figures.mib_used > read.figures.mib_total) {
      reader.Complain("mibUsed", "is " + std::to_string(read.figures.mib_used) +
                                     ", more than the card's " +
                                     std::to_string(read.figures.mib_total) + " MiB; lower it");
    }
    *card = std::move(read);
  }

  void ReadFigures(MapReader& reader, CardFigures& figures) {
    figures.mib_used = reader.Integer("mibUsed", 0, 0, kMaxMib);
    figures.gpu_percent = OptionalInteger(reader, "gpuPercent", 0, 100);
    figures.memory_percent = OptionalInteger(reader, "memoryPercent", 0, 100);
    figures.temperature_celsius = OptionalInteger(reader, "temperatureCelsius", 0, 200);
    const auto power = OptionalInteger(reader, "powerMilliwatts", 0, 10'000'000);
    if (power) {
      figures.power_milliwatts = *power;
    }
    const YamlValue* list = reader.List("processes");
    if (list == nullptr) {
      return;
    }
    const YamlPath path(reader.path(), "processes");
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const YamlPath place(path, i);
      MapReader entry(source_, list->items[i], place);
      CardProcess process;
      process.pid = static_cast<pid_t>(entry.RequiredInteger("pid", 1, kMaxPid).value_or(1));
      process.mib = entry.Integer("mib", -1, 0, kMaxMib);
      process.sm_percent = static_cast<int>(entry.Integer("smPercent", -1, 0, 100));
      entry.RefuseUnknownKeys();
      figures.processes.push_back(process);
    }
  }

  void ReadEvent(MapReader& reader) {
    StateEvent read;
    read.sequence = static_cast<std::uint64_t>(
        reader.RequiredInteger("sequence", 1, std::numeric_limits<std::int64_t>::max())
            .value_or(0));
    read.event.uuid = reader.Text("card", "");
    if (!read.event.uuid.empty()) {
      Find(reader, "card", read.event.uuid);
    }
    const bool ecc = reader.Boolean("eccDouble", false);
    read.event.code = static_cast<std::uint64_t>(reader.Integer("xid", 0, 1, kMaxXid));
    read.event.kind = ecc ? GpuEvent::Kind::kEccDouble : GpuEvent::Kind::kXid;
    if (ecc == reader.Has("xid")) {
      reader.Complain("xid", "and eccDouble: true exclude each other; give one of the two");
    }
    if (!state_.events.empty() && read.sequence <= state_.events.back().sequence) {
      reader.Complain("sequence", "is " + std::to_string(read.sequence) + ", not above " +
                                      std::to_string(state_.events.back().sequence) +
                                      " of the event before; number the events in their order");
    }
    state_.events.push_back(std::move(read));
  }

  void CheckMinors() {
    std::vector<int> minors;
    for (std::size_t i = 0; i < state_.cards.size(); ++i) {
      const int minor = state_.cards[i].minor.value_or(profile_.machine.cards[i].card.minor);
      if (std::find(minors.begin(), minors.end(), minor) != minors.end()) {
        top_.Complain("cards", "give two cards the minor number " + std::to_string(minor) +
                                   "; give each its own");
        return;
      }
      minors.push_back(minor);
    }
  }

  program::YamlSource source_;
  const YamlPath root_;
  MapReader top_;
  const MachineProfile& profile_;
  MachineState state_;
  std::vector<std::string> told_;  // cards that an entry has named
};

// Positions of the cards that are there, by their minor numbers of now.
std::vector<std::size_t> PresentCards(const std::vector<int>& minors, const MachineState& state) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < state.cards.size(); ++i) {
    if (!state.cards[i].lost) {
      order.push_back(i);
    }
  }
  std::sort(order.begin(), order.end(),
            [&minors](std::size_t a, std::size_t b) { return minors[a] < minors[b]; });
  return order;
}

void FillLinks(const Machine& whole, const std::vector<std::size_t>& order, Machine& machine) {
  for (std::size_t a = 0; a < order.size() && !whole.links.empty(); ++a) {
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      machine.links.push_back(
          whole.links[topology::PairIndex(order[a], order[b], whole.cards.size())]);
    }
  }
  for (const model::Nic& nic : whole.nics) {
    model::Nic seen = nic;
    seen.to_cards.clear();
    for (const std::size_t card : order) {
      seen.to_cards.push_back(nic.to_cards[card]);
    }
    machine.nics.push_back(std::move(seen));
  }
}

}  // namespace

MachineState IntactState(const MachineProfile& profile) {
  MachineState state;
  for (const MachineCard& each : profile.machine.cards) {
    CardState card;
    card.uuid = each.card.uuid;
    card.figures.mib_total = each.card.mib;
    state.cards.push_back(std::move(card));
  }
  return state;
}

std::optional<MachineState> ParseMachineState(std::string_view text, const std::string& file,
                                              const MachineProfile& profile,
                                              program::Problems& problems) {
  const std::size_t before = problems.count();
  const auto document = program::ParseYaml(text, file, problems);
  if (!document) {
    return std::nullopt;
  }
  MachineState state = StateReader(*document, file, profile, problems).Read();
  if (problems.count() != before) {
    return std::nullopt;
  }
  return state;
}

Machine MachineInState(const MachineProfile& profile, const MachineState& state) {
  const Machine& whole = profile.machine;
  Machine machine;
  machine.driver = whole.driver;
  machine.control = whole.control;
  std::vector<int> minors;
  for (std::size_t i = 0; i < whole.cards.size(); ++i) {
    minors.push_back(state.cards[i].minor.value_or(whole.cards[i].card.minor));
    if (state.cards[i].lost) {
      machine.notes.push_back("the driver has lost the card " + state.cards[i].uuid +
                              " and says no more of it; it is left out");
    }
  }
  const std::vector<std::size_t> order = PresentCards(minors, state);
  for (const std::size_t card : order) {
    MachineCard seen = whole.cards[card];
    seen.card.minor = minors[card];
    seen.node.minor = static_cast<unsigned>(minors[card]);
    seen.node.name = "nvidia" + std::to_string(minors[card]);
    machine.cards.push_back(std::move(seen));
  }
  FillLinks(whole, order, machine);
  return machine;
}

}  // namespace aliquot::agent
