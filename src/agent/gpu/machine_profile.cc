// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/machine_profile.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "agent/gpu/profile_text.h"
#include "base/strings.h"
#include "model/gpu_uuid.h"
#include "program/link_reader.h"
#include "program/map_reader.h"
#include "program/yaml_document.h"
#include "topology/description.h"
#include "topology/link.h"

namespace aliquot::agent {
namespace {

using program::MapReader;
using program::YamlPath;
using program::YamlValue;

constexpr std::int64_t kMaxMib = 1 << 30;
constexpr std::int64_t kMaxNumaNode = 4095;
constexpr std::int64_t kMaxMajor = 4095;           // 12 bits (linux/kdev_t.h)
constexpr std::int64_t kMaxMinor = (1 << 20) - 1;  // 20 bits
constexpr std::int64_t kNvidiaMajor = 195;         // Documentation/admin-guide/devices.txt
constexpr std::int64_t kMaxLinkMbPerSecond = 10'000'000;

// What `everyCard` says, and each card may say otherwise.
struct CardKind {
  std::string model;
  std::int64_t mib = 0;
  std::string compute_capability;
  std::string mode;
};

void ReadCardKind(MapReader& reader, CardKind& kind) {
  kind.model = reader.Text("model", kind.model);
  kind.mib = reader.Integer("mib", kind.mib, 1, kMaxMib);
  kind.compute_capability = reader.Text("computeCapability", kind.compute_capability);
  reader.Integer("contextMiB", 300, 1, kMaxMib);  // for the simulated CUDA driver alone
  if (reader.Has("model") && !IsPlainName(kind.model)) {
    reader.Complain(
        "model", "is \"" + Printable(kind.model) + "\"; use up to 96 printable ASCII characters");
  }
  if (reader.Has("computeCapability") && !IsVersion(kind.compute_capability)) {
    reader.Complain("computeCapability",
                    "is \"" + Printable(kind.compute_capability) + "\"; write it as \"8.0\"");
  }
  if (reader.Choice("mode", kind.mode.empty() ? "none" : kind.mode, {"none", "mig"}) == "mig") {
    kind.mode = "mig";
  } else {
    kind.mode.clear();
  }
}

void RequireCardKind(MapReader& reader, const CardKind& kind) {
  const auto complain = [&reader](std::string_view key) {
    if (!reader.Has(key)) {
      reader.Complain(key, "is missing; add it here or to everyCard");
    }
  };
  if (kind.model.empty()) {
    complain("model");
  }
  if (kind.mib == 0) {
    complain("mib");
  }
  if (kind.compute_capability.empty()) {
    complain("computeCapability");
  }
}

void ReadPci(MapReader& reader, std::string& pci) {
  pci = reader.RequiredText("pci");
  if (!pci.empty() && !IsPciAddress(pci)) {
    reader.Complain("pci", "is \"" + Printable(pci) +
                               "\"; write it as sysfs does, in lower case: \"0000:3b:00.0\"");
  }
}

int ReadNuma(MapReader& reader) {
  return static_cast<int>(reader.Integer("numa", -1, -1, kMaxNumaNode));
}

// Permission bits as chmod writes them; quoted or not, they are digits of base eight.
mode_t ReadMode(MapReader& reader, mode_t fallback) {
  const std::string text = reader.Text("mode", "");
  if (text.empty()) {
    return fallback;
  }
  const auto mode = ParseFileMode(text);
  if (!mode) {
    reader.Complain("mode", "is \"" + Printable(text) + "\"; write it in octal, such as \"0666\"");
  }
  return mode.value_or(fallback);
}

// Reads one profile from its document.
class ProfileReader {
 public:
  ProfileReader(const YamlValue& document, const std::string& file, program::Problems& problems)
      : source_{file, problems}, top_(source_, document, root_) {}

  MachineProfile Read() {
    RequireKind(top_, "MachineProfile");
    profile_.machine.driver = ReadVersion("driver", "535.183.01");
    profile_.cuda = ReadVersion("cuda", "12.2");
    ReadCards();
    profile_.machine.links = program::ReadLinks(top_, card_count());
    ReadNics();
    ReadNvlink();
    ReadDeviceNodes();
    top_.RefuseUnknownKeys();
    return std::move(profile_);
  }

 private:
  std::size_t card_count() const { return profile_.machine.cards.size(); }

  std::string ReadVersion(std::string_view key, const std::string& example) {
    std::string version = top_.RequiredText(key);
    if (!version.empty() && !IsVersion(version)) {
      top_.Complain(key, "is \"" + Printable(version) + "\"; write numbers and points, such as \"" +
                             example + "\"");
    }
    return version;
  }

  void ReadCards() {
    CardKind every;
    if (const YamlValue* map = top_.Map("everyCard")) {
      const YamlPath path(root_, "everyCard");
      MapReader reader(source_, *map, path);
      ReadCardKind(reader, every);
      reader.RefuseUnknownKeys();
    }
    top_.MissingKey("cards");
    const YamlValue* list = top_.List("cards");
    if (list == nullptr) {
      return;
    }
    if (list->items.size() > kMaxProfileCards) {
      top_.Complain("cards", "lists " + std::to_string(list->items.size()) + " cards; at most " +
                                 std::to_string(kMaxProfileCards) + " are accepted");
      return;
    }
    const YamlPath path(root_, "cards");
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const YamlPath place(path, i);
      MapReader reader(source_, list->items[i], place);
      profile_.machine.cards.push_back(ReadCard(reader, every));
    }
  }

  MachineCard ReadCard(MapReader& reader, CardKind kind) {
    MachineCard made;
    made.card.uuid = reader.RequiredText("uuid");
    made.card.minor = static_cast<int>(reader.RequiredInteger("minor", 0, kMaxMinor).value_or(-1));
    ReadPci(reader, made.card.pci);
    made.card.numa = ReadNuma(reader);
    ReadCardKind(reader, kind);
    RequireCardKind(reader, kind);
    reader.RefuseUnknownKeys();
    made.card.model = kind.model;
    made.card.mib = kind.mib;
    made.card.compute_capability = kind.compute_capability;
    made.card.mode = kind.mode;
    made.card.health = "ok";
    CheckIdentity(reader, made.card);
    return made;
  }

  // Against the form, and against the cards before it.
  void CheckIdentity(MapReader& reader, const model::Card& card) {
    if (!card.uuid.empty() && (!model::IsGpuUuid(card.uuid) || !StartsWith(card.uuid, "GPU-"))) {
      reader.Complain("uuid", "is \"" + Printable(card.uuid) +
                                  "\"; write \"GPU-\" with letters, digits and '-' after it");
    }
    const std::vector<MachineCard>& before = profile_.machine.cards;
    for (const MachineCard& other : before) {
      if (!card.uuid.empty() && other.card.uuid == card.uuid) {
        reader.Complain("uuid", "is \"" + Printable(card.uuid) +
                                    "\", as an earlier card's is; give each card its own");
      }
      if (!card.pci.empty() && other.card.pci == card.pci) {
        reader.Complain("pci", "is \"" + Printable(card.pci) +
                                   "\", as an earlier card's is; give each card its own");
      }
    }
    if (!before.empty() && card.minor >= 0 && card.minor <= before.back().card.minor) {
      reader.Complain("minor", "is " + std::to_string(card.minor) + ", not above " +
                                   std::to_string(before.back().card.minor) +
                                   " of the card before; list the cards by minor number");
    }
  }

  void ReadNics() {
    const YamlValue* list = top_.List("nics");
    if (list == nullptr) {
      return;
    }
    const YamlPath path(root_, "nics");
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const YamlPath place(path, i);
      MapReader reader(source_, list->items[i], place);
      profile_.machine.nics.push_back(ReadNic(reader));
    }
  }

  model::Nic ReadNic(MapReader& reader) {
    model::Nic nic;
    nic.name = reader.RequiredText("name");
    if (!nic.name.empty() && !IsNodeName(nic.name)) {
      reader.Complain("name",
                      "is \"" + Printable(nic.name) + "\"; use letters, digits, '-', '_' and '.'");
    }
    ReadPci(reader, nic.pci);
    nic.numa = ReadNuma(reader);
    reader.MissingKey("toCards");
    nic.to_cards = reader.Texts("toCards").value_or(std::vector<std::string>());
    if (reader.Has("toCards") && nic.to_cards.size() != card_count()) {
      reader.Complain("toCards", "has " + std::to_string(nic.to_cards.size()) +
                                     " words; give one for each of the " +
                                     std::to_string(card_count()) + " cards");
    }
    for (const std::string& word : nic.to_cards) {
      if (!program::IsLinkWord(reader, "toCards", word)) {
        break;
      }
    }
    reader.RefuseUnknownKeys();
    return nic;
  }

  void ReadNvlink() {
    const YamlValue* map = top_.Map("nvlink");
    if (map == nullptr) {
      return;
    }
    const YamlPath path(root_, "nvlink");
    MapReader reader(source_, *map, path);
    NvlinkProfile nvlink;
    nvlink.per_card =
        static_cast<int>(reader.RequiredInteger("perCard", 1, topology::kMaxNvlinks).value_or(0));
    nvlink.link_mb_per_s = static_cast<int>(
        reader.RequiredInteger("linkMBPerSecond", 1, kMaxLinkMbPerSecond).value_or(0));
    reader.MissingKey("through");
    const bool switched = reader.Choice("through", "", {"cards", "nvswitch"}) == "nvswitch";
    nvlink.through = switched ? NvlinkProfile::Through::kNvswitch : NvlinkProfile::Through::kCards;
    reader.RefuseUnknownKeys();
    if (nvlink.per_card > 0) {
      CheckNvlinks(reader, nvlink);
    }
    profile_.nvlink = nvlink;
  }

  // No card may have more links in `links` than it has.
  void CheckNvlinks(MapReader& reader, const NvlinkProfile& nvlink) {
    for (std::size_t card = 0; card < card_count() && !profile_.machine.links.empty(); ++card) {
      int most = 0;
      int sum = 0;
      for (std::size_t peer = 0; peer < card_count(); ++peer) {
        if (peer != card) {
          const auto link = topology::ParseLink(
              profile_.machine.links[topology::PairIndex(card, peer, card_count())]);
          most = std::max(most, link.ok() ? link->nvlinks : 0);
          sum += link.ok() ? link->nvlinks : 0;
        }
      }
      const int needed = nvlink.through == NvlinkProfile::Through::kCards ? sum : most;
      if (needed > nvlink.per_card) {
        reader.Complain("perCard", "is " + std::to_string(nvlink.per_card) + ", but cards[" +
                                       std::to_string(card) + "] has " + std::to_string(needed) +
                                       " in links; correct one of the two");
        return;
      }
    }
  }

  void ReadDeviceNodes() {
    top_.MissingKey("deviceNodes");
    const YamlValue* map = top_.Map("deviceNodes");
    if (map == nullptr) {
      return;
    }
    const YamlPath path(root_, "deviceNodes");
    MapReader reader(source_, *map, path);
    const auto major =
        static_cast<unsigned>(reader.Integer("cardMajor", kNvidiaMajor, 1, kMaxMajor));
    const mode_t mode = ReadMode(reader, 0666);
    for (MachineCard& each : profile_.machine.cards) {
      each.node.name = "nvidia" + std::to_string(each.card.minor);
      each.node.major = major;
      each.node.minor = static_cast<unsigned>(std::max(each.card.minor, 0));
      each.node.mode = mode;
    }
    reader.MissingKey("control");
    if (const YamlValue* list = reader.List("control")) {
      const YamlPath control(path, "control");
      for (std::size_t i = 0; i < list->items.size(); ++i) {
        const YamlPath place(control, i);
        MapReader node(source_, list->items[i], place);
        ReadControlNode(node, mode);
      }
    }
    reader.RefuseUnknownKeys();
  }

  void ReadControlNode(MapReader& reader, mode_t mode) {
    DeviceNode node;
    node.name = reader.RequiredText("name");
    node.major = static_cast<unsigned>(reader.RequiredInteger("major", 1, kMaxMajor).value_or(0));
    const auto minor = reader.RequiredInteger("minor", 0, kMaxMinor);
    node.minor = static_cast<unsigned>(minor.value_or(0));
    node.mode = ReadMode(reader, mode);
    reader.RefuseUnknownKeys();
    if (!node.name.empty() && !IsNodePath(node.name)) {
      reader.Complain("name", "is \"" + Printable(node.name) +
                                  "\"; write a path below /dev such as \"nvidia-uvm\"");
    }
    if (node.major != 0 && minor) {
      CheckDistinct(reader, node);
    }
    profile_.machine.control.push_back(std::move(node));
  }

  void CheckDistinct(MapReader& reader, const DeviceNode& node) {
    const auto clash = [&](const DeviceNode& other) {
      return other.name == node.name || (other.major == node.major && other.minor == node.minor);
    };
    const Machine& machine = profile_.machine;
    if (std::any_of(machine.control.begin(), machine.control.end(), clash) ||
        std::any_of(machine.cards.begin(), machine.cards.end(),
                    [&clash](const MachineCard& each) { return clash(each.node); })) {
      reader.Complain("name", "is \"" + Printable(node.name) +
                                  "\", whose name or numbers another node has; give it its own");
    }
  }

  program::YamlSource source_;
  const YamlPath root_;
  MapReader top_;
  MachineProfile profile_;
};

}  // namespace

std::optional<MachineProfile> ParseMachineProfile(std::string_view text, const std::string& file,
                                                  program::Problems& problems) {
  const std::size_t before = problems.count();
  const auto document = program::ParseYaml(text, file, problems);
  if (!document) {
    return std::nullopt;
  }
  MachineProfile profile = ProfileReader(*document, file, problems).Read();
  if (problems.count() != before) {
    return std::nullopt;
  }
  return profile;
}

Result<MachineProfile> LoadMachineProfile(const std::string& file) {
  program::Problems problems;
  const auto document = program::LoadYaml(file, kMaxProfileBytes, problems);
  if (document) {
    MachineProfile profile = ProfileReader(*document, file, problems).Read();
    if (problems.empty()) {
      return profile;
    }
  }
  return FirstProblem(problems);
}

}  // namespace aliquot::agent
