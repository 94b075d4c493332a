// SPDX-License-Identifier: Apache-2.0
// How cards reach each other: PCIe, NVLink, chip to chip.
#include <cstdio>
#include <cstdlib>

#include "tests/simgpu/nvml/exports.h"
#include "tests/simgpu/nvml/world.h"

namespace aliquot::simgpu {
namespace {

constexpr unsigned kSwitchBus = 0xfe;  // no profile has a card there

int NvlinksOf(const std::string& link) {
  return link.compare(0, 2, "NV") == 0 ? std::atoi(link.c_str() + 2) : 0;
}

struct FarEnd {
  bool exists = false;
  bool to_switch = false;
  std::size_t card = 0;
};

// Links are numbered from the first card's on.
FarEnd FarEndOf(const Machine& machine, std::size_t card, unsigned link) {
  FarEnd end;
  if (machine.nvswitch) {
    end.exists = link < static_cast<unsigned>(machine.nvlinks_per_card);
    end.to_switch = true;
    return end;
  }
  unsigned first = 0;
  for (std::size_t other = 0; other < machine.cards.size(); ++other) {
    if (other == card) {
      continue;
    }
    const unsigned links = static_cast<unsigned>(NvlinksOf(machine.Link(card, other)));
    if (link < first + links) {
      end.exists = true;
      end.card = other;
      return end;
    }
    first += links;
  }
  return end;
}

// The answer for a link that is not there: no NVLink at all, or no such link.
Return NoSuchLink(const Machine& machine, std::size_t card) {
  return FarEndOf(machine, card, 0).exists ? Return::kInvalidArgument : Return::kNotSupported;
}

bool IsUp(const Call& call, const FarEnd& end) { return end.to_switch || call.Reaches(end.card); }

}  // namespace

Return nvmlDeviceGetTopologyCommonAncestor(Device a, Device b, TopologyLevel* level) {
  const int other = IndexOf(b);
  const Call call("nvmlDeviceGetTopologyCommonAncestor", a);
  if (!call.ok()) {
    return call.answer();
  }
  const Machine& machine = call.machine();
  if (other < 0 || static_cast<std::size_t>(other) >= machine.cards.size() ||
      static_cast<std::size_t>(other) == call.index()) {
    return Return::kInvalidArgument;
  }
  const Card& far = machine.cards[static_cast<std::size_t>(other)];
  const std::string& link = machine.Link(call.index(), static_cast<std::size_t>(other));
  if (link == "PIX") {
    *level = TopologyLevel::kSingle;
  } else if (link == "PXB") {
    *level = TopologyLevel::kMultiple;
  } else if (link == "PHB") {
    *level = TopologyLevel::kHostBridge;
  } else if (link == "NODE" || (link != "SYS" && far.numa == call.card().numa)) {
    *level = TopologyLevel::kNode;
  } else {
    *level = TopologyLevel::kSystem;
  }
  return Return::kSuccess;
}

// As on Hopper and newer: the state of a link is a field there.
Return nvmlDeviceGetNvLinkState(Device device, unsigned link, EnableState* state) {
  const Call call("nvmlDeviceGetNvLinkState", device);
  if (!call.ok()) {
    return call.answer();
  }
  const FarEnd end = FarEndOf(call.machine(), call.index(), link);
  if (!end.exists) {
    return NoSuchLink(call.machine(), call.index());
  }
  if (call.card().cc_major >= 9) {
    return Return::kNotSupported;
  }
  *state = IsUp(call, end) ? EnableState::kEnabled : EnableState::kDisabled;
  return Return::kSuccess;
}

Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, PciInfo* pci) {
  const Call call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device);
  if (!call.ok()) {
    return call.answer();
  }
  const FarEnd end = FarEndOf(call.machine(), call.index(), link);
  if (!end.exists) {
    return NoSuchLink(call.machine(), call.index());
  }
  *pci = {};
  pci->bus = kSwitchBus;
  if (!end.to_switch) {
    std::sscanf(call.machine().cards[end.card].pci.c_str(), "%x:%x:%x", &pci->domain, &pci->bus,
                &pci->device);
  }
  std::snprintf(pci->bus_id, sizeof(pci->bus_id), "%08X:%02X:%02X.0", pci->domain, pci->bus,
                pci->device);
  return Return::kSuccess;
}

Return nvmlDeviceGetNvLinkRemoteDeviceType(Device device, unsigned link, LinkDeviceType* type) {
  const Call call("nvmlDeviceGetNvLinkRemoteDeviceType", device);
  if (!call.ok()) {
    return call.answer();
  }
  const FarEnd end = FarEndOf(call.machine(), call.index(), link);
  if (!end.exists) {
    return NoSuchLink(call.machine(), call.index());
  }
  *type = end.to_switch ? LinkDeviceType::kSwitch : LinkDeviceType::kGpu;
  return Return::kSuccess;
}

Return nvmlDeviceGetFieldValues(Device device, int count, FieldValue* values) {
  const Call call("nvmlDeviceGetFieldValues", device);
  if (!call.ok()) {
    return call.answer();
  }
  for (int i = 0; i < count; ++i) {
    FieldValue& field = values[i];
    field.result = Return::kNotSupported;
    field.value_type = nvml::ValueType::kUnsignedInt;
    if (field.field_id == nvml::kFieldNvlinkState && call.card().cc_major >= 9) {
      const FarEnd end = FarEndOf(call.machine(), call.index(), field.scope_id);
      if (end.exists) {
        field.result = Return::kSuccess;
        field.value.unsigned_int = IsUp(call, end) ? 1 : 0;
      }
    } else if (call.card().c2c && (field.field_id == nvml::kFieldC2cLinkCount ||
                                   field.field_id == nvml::kFieldC2cLinkStatus)) {
      field.result = Return::kSuccess;
      field.value.unsigned_int = 1;
    }
  }
  return Return::kSuccess;
}

}  // namespace aliquot::simgpu
