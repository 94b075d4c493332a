// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_links.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "agent/gpu/sysfs_text.h"

namespace aliquot::agent {
namespace {

using nvml::Return;

// One field of one scope; nothing when the library or the card does not have it.
std::optional<unsigned> ReadField(const nvml::Functions& functions, nvml::Device device,
                                  unsigned field, unsigned scope) {
  if (functions.field_values == nullptr) {
    return std::nullopt;
  }
  nvml::FieldValue value = {};
  value.field_id = field;
  value.scope_id = scope;
  if (functions.field_values(device, 1, &value) != Return::kSuccess ||
      value.result != Return::kSuccess) {
    return std::nullopt;
  }
  return value.value.unsigned_int;
}

// Since Hopper a link's state is a field; the older call then says that it is not supported.
bool IsLinkUp(const nvml::Functions& functions, nvml::Device device, unsigned link) {
  if (functions.nvlink_state == nullptr) {
    return false;
  }
  nvml::EnableState state = nvml::EnableState::kDisabled;
  const Return answer = functions.nvlink_state(device, link, &state);
  if (answer == Return::kNotSupported) {
    return ReadField(functions, device, nvml::kFieldNvlinkState, link).value_or(0) != 0;
  }
  return answer == Return::kSuccess && state == nvml::EnableState::kEnabled;
}

// The PCI name of the link's far end, "" when it is not seen.
std::string RemoteName(const nvml::Functions& functions, nvml::Device device, unsigned link) {
  nvml::PciInfo info = {};
  if (functions.nvlink_remote_pci == nullptr ||
      functions.nvlink_remote_pci(device, link, &info) != Return::kSuccess) {
    return "";
  }
  const std::string_view full(info.bus_id, strnlen(info.bus_id, sizeof(info.bus_id)));
  if (std::optional<std::string> name = SysfsPciName(full)) {
    return *name;
  }
  char name[48];
  std::snprintf(name, sizeof(name), "%04x:%02x:%02x.0", info.domain, info.bus, info.device);
  return name;
}

// NVIDIA's switches are PCI bridges of class 0x0680.
bool IsSwitch(const std::string& sysfs_root, const std::string& pci) {
  const std::string folder = sysfs_root + "/bus/pci/devices/" + pci;
  const std::optional<std::string> type = ReadSysfsText(folder + "/class");
  return type && type->rfind("0x0680", 0) == 0 && ReadSysfsText(folder + "/vendor") == "0x10de";
}

void CountLink(const nvml::Functions& functions, const NvmlCard& card, unsigned link,
               const std::vector<NvmlCard>& all, const std::string& sysfs_root, CardLinks& links) {
  const std::string remote = RemoteName(functions, card.handle, link);
  const bool to_card = std::any_of(all.begin(), all.end(), [&](const NvmlCard& each) {
    return each.card.pci == remote && each.handle != card.handle;
  });
  if (to_card) {
    ++links.to_cards[remote];
    return;
  }
  auto type = nvml::LinkDeviceType::kUnknown;
  if (functions.nvlink_remote_type != nullptr) {
    functions.nvlink_remote_type(card.handle, link, &type);
  }
  // A far end of type GPU is a card that we do not have, a CPU's end (IBM) serves no pair.
  if (type == nvml::LinkDeviceType::kSwitch || remote.empty() || IsSwitch(sysfs_root, remote) ||
      type == nvml::LinkDeviceType::kUnknown) {
    ++links.to_switches;
  }
}

bool HasC2c(const nvml::Functions& functions, nvml::Device device) {
  const unsigned count = ReadField(functions, device, nvml::kFieldC2cLinkCount, 0).value_or(0);
  for (unsigned link = 0; link < std::min(count, nvml::kMaxNvlinks); ++link) {
    if (ReadField(functions, device, nvml::kFieldC2cLinkStatus, link) == 1U) {
      return true;
    }
  }
  return false;
}

int LinksTo(const CardLinks& links, const std::string& pci) {
  const auto found = links.to_cards.find(pci);
  return found == links.to_cards.end() ? 0 : found->second;
}

std::string PcieClass(const nvml::Functions& functions, const NvmlCard& a, const NvmlCard& b) {
  auto level = nvml::TopologyLevel::kSystem;
  if (functions.common_ancestor != nullptr &&
      functions.common_ancestor(a.handle, b.handle, &level) == Return::kSuccess) {
    switch (level) {
      case nvml::TopologyLevel::kInternal:  // two chips of a board: its own PCIe switch joins them
      case nvml::TopologyLevel::kSingle:
        return "PIX";
      case nvml::TopologyLevel::kMultiple:
        return "PXB";
      case nvml::TopologyLevel::kHostBridge:
        return "PHB";
      case nvml::TopologyLevel::kNode:
        return "NODE";
      case nvml::TopologyLevel::kSystem:
        return "SYS";
    }
  }
  return a.place && b.place ? PciLinkClass(*a.place, *b.place) : "SYS";
}

}  // namespace

CardLinks ReadCardLinks(const nvml::Functions& functions, const NvmlCard& card,
                        const std::vector<NvmlCard>& all, const std::string& sysfs_root) {
  CardLinks links;
  for (unsigned link = 0; link < nvml::kMaxNvlinks; ++link) {
    // All numbers are asked for: a board may leave some out.
    if (IsLinkUp(functions, card.handle, link)) {
      CountLink(functions, card, link, all, sysfs_root, links);
    }
  }
  links.c2c = HasC2c(functions, card.handle);
  return links;
}

std::vector<std::string> ReadLinkTriangle(const nvml::Functions& functions,
                                          const std::vector<NvmlCard>& cards,
                                          const std::string& sysfs_root) {
  std::vector<CardLinks> links;
  for (const NvmlCard& each : cards) {
    links.push_back(ReadCardLinks(functions, each, cards, sysfs_root));
  }
  std::vector<std::string> triangle;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    for (std::size_t j = i + 1; j < cards.size(); ++j) {
      const int direct =
          std::min(LinksTo(links[i], cards[j].card.pci), LinksTo(links[j], cards[i].card.pci));
      const int nvlinks = direct + std::min(links[i].to_switches, links[j].to_switches);
      if (nvlinks > 0) {
        triangle.push_back("NV" + std::to_string(nvlinks));
      } else if (links[i].c2c && links[j].c2c && cards[i].card.numa >= 0 &&
                 cards[i].card.numa == cards[j].card.numa) {
        triangle.push_back("C2C");
      } else {
        triangle.push_back(PcieClass(functions, cards[i], cards[j]));
      }
    }
  }
  return triangle;
}

}  // namespace aliquot::agent
