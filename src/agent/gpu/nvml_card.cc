// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_card.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

using nvml::Return;

constexpr std::int64_t kMib = 1 << 20;
// CPUs that an affinity mask holds, as many as the kernel allows on x86-64.
constexpr unsigned kAffinityWords = 8192 / (8 * sizeof(unsigned long));

// A string that NVML fills: never read past its end, no control characters.
template <std::size_t kSize>
std::string Text(const char (&buffer)[kSize]) {
  return Printable(std::string_view(buffer, strnlen(buffer, kSize)), kSize);
}

std::string PciName(const nvml::PciInfo& info) {
  const std::string_view full(info.bus_id, strnlen(info.bus_id, sizeof(info.bus_id)));
  if (std::optional<std::string> name = SysfsPciName(full)) {
    return *name;
  }
  char name[48];
  std::snprintf(name, sizeof(name), "%04x:%02x:%02x.0", info.domain, info.bus, info.device);
  return name;
}

// The NUMA node that the card's CPUs are of. NVML's own number (nvmlDeviceGetNumaNodeId) is not
// asked: on Grace it is the node of the card's memory, which has no CPUs.
int NumaByAffinity(const nvml::Functions& functions, nvml::Device device, const NumaNodes& nodes) {
  if (functions.cpu_affinity == nullptr) {
    return -1;
  }
  unsigned long mask[kAffinityWords] = {};
  if (functions.cpu_affinity(device, kAffinityWords, mask) != Return::kSuccess) {
    return -1;
  }
  std::set<int> cpus;
  constexpr unsigned kBits = 8 * sizeof(unsigned long);
  for (unsigned cpu = 0; cpu < kAffinityWords * kBits; ++cpu) {
    if ((mask[cpu / kBits] >> (cpu % kBits) & 1UL) != 0) {
      cpus.insert(static_cast<int>(cpu));
    }
  }
  return NodeOfCpus(nodes, cpus);
}

int NumaOf(const nvml::Functions& functions, const NvmlCard& seen, const NumaNodes& nodes) {
  const int numa = seen.place ? seen.place->numa : -1;
  if (numa >= 0 && (nodes.cpus.empty() || nodes.cpus.count(numa) > 0)) {
    return numa;
  }
  return NumaByAffinity(functions, seen.handle, nodes);
}

// What every card must tell: UUID, minor number, name, memory and PCI address.
Status ReadIdentity(const NvmlLibrary& library, NvmlCard& seen) {
  const nvml::Functions& functions = library.functions();
  char uuid[nvml::kUuidSize] = {};
  if (Return r = functions.uuid(seen.handle, uuid, sizeof(uuid)); r != Return::kSuccess) {
    return library.Error(r, "nvmlDeviceGetUUID");
  }
  seen.card.uuid = Text(uuid);
  if (seen.card.uuid.empty()) {
    return Internal("nvmlDeviceGetUUID gave an empty UUID; report it with the driver's version");
  }
  unsigned minor = 0;
  if (Return r = functions.minor(seen.handle, &minor); r != Return::kSuccess) {
    return library.Error(r, "nvmlDeviceGetMinorNumber").WithContext(seen.card.uuid);
  }
  seen.card.minor = static_cast<int>(minor);
  char name[nvml::kNameSize] = {};
  if (Return r = functions.model(seen.handle, name, sizeof(name)); r != Return::kSuccess) {
    return library.Error(r, "nvmlDeviceGetName").WithContext(seen.card.uuid);
  }
  seen.card.model = Text(name);
  nvml::Memory memory = {};
  if (Return r = functions.memory(seen.handle, &memory); r != Return::kSuccess) {
    return library.Error(r, "nvmlDeviceGetMemoryInfo").WithContext(seen.card.uuid);
  }
  seen.card.mib = static_cast<std::int64_t>(memory.total) / kMib;
  nvml::PciInfo pci = {};
  if (Return r = functions.pci_info(seen.handle, &pci); r != Return::kSuccess) {
    return library.Error(r, "nvmlDeviceGetPciInfo_v3").WithContext(seen.card.uuid);
  }
  seen.card.pci = PciName(pci);
  return Status::Ok();
}

// What older drivers or some cards do not tell is left empty.
void ReadTraits(const nvml::Functions& functions, NvmlCard& seen) {
  int major = 0;
  int minor = 0;
  if (functions.compute_capability != nullptr &&
      functions.compute_capability(seen.handle, &major, &minor) == Return::kSuccess) {
    seen.card.compute_capability = std::to_string(major) + "." + std::to_string(minor);
  }
  unsigned current = 0;
  unsigned pending = 0;
  if (functions.mig_mode != nullptr &&
      functions.mig_mode(seen.handle, &current, &pending) == Return::kSuccess && current != 0) {
    seen.card.mode = "mig";
  }
  seen.card.health = "ok";
}

Result<NvmlCard> ReadCard(NvmlSession& session, unsigned index, const std::string& sysfs_root,
                          const NumaNodes& nodes) {
  NvmlCard seen;
  seen.index = index;
  const Return answer = session.functions().handle_by_index(index, &seen.handle);
  if (answer != Return::kSuccess) {
    return session.library()->Error(answer, "nvmlDeviceGetHandleByIndex_v2");
  }
  if (Status status = ReadIdentity(*session.library(), seen); !status.ok()) {
    return status;
  }
  ReadTraits(session.functions(), seen);
  seen.place = ReadPciPlace(sysfs_root, seen.card.pci);
  seen.card.numa = NumaOf(session.functions(), seen, nodes);
  return seen;
}

// Why the card cannot be named without doubt; "" = it can.
std::string Clash(const std::vector<NvmlCard>& all, const NvmlCard& card) {
  for (const NvmlCard& each : all) {
    if (&each == &card) {
      continue;
    }
    if (each.card.uuid == card.card.uuid) {
      return "the card at " + each.card.pci + " has the same UUID " + card.card.uuid +
             ", so a share could not say which one it is of; report it to the maker of the cards "
             "or of the virtual machine";
    }
    if (each.card.minor == card.card.minor) {
      return card.card.uuid + " has the minor number " + std::to_string(card.card.minor) + " of " +
             each.card.uuid + "; reload the driver";
    }
  }
  return "";
}

// Every card of a UUID or minor number that several have, never one of them at random.
void LeaveOutClashing(unsigned count, NvmlCards& found) {
  std::vector<NvmlCard> kept;
  for (const NvmlCard& card : found.cards) {
    const std::string clash = Clash(found.cards, card);
    if (clash.empty()) {
      kept.push_back(card);
    } else {
      found.notes.push_back("card " + std::to_string(card.index) + " of " + std::to_string(count) +
                            " is left out: " + clash);
    }
  }
  found.cards = std::move(kept);
}

}  // namespace

Result<NvmlCards> ReadNvmlCards(NvmlSession& session, const std::string& sysfs_root) {
  unsigned count = 0;
  if (Return r = session.functions().count(&count); r != Return::kSuccess) {
    return session.library()->Error(r, "nvmlDeviceGetCount_v2");
  }
  const NumaNodes nodes = ReadNumaNodes(sysfs_root);
  NvmlCards found;
  for (unsigned index = 0; index < count; ++index) {
    const std::string left_out =
        "card " + std::to_string(index) + " of " + std::to_string(count) + " is left out: ";
    Result<NvmlCard> card = ReadCard(session, index, sysfs_root, nodes);
    if (!card.ok()) {
      if (card.status().code() == StatusCode::kUnavailable) {
        return card.status();
      }
      found.notes.push_back(left_out + card.status().message());
      found.left_out = true;
      continue;
    }
    found.cards.push_back(std::move(*card));
  }
  LeaveOutClashing(count, found);
  std::sort(found.cards.begin(), found.cards.end(),
            [](const NvmlCard& a, const NvmlCard& b) { return a.card.minor < b.card.minor; });
  return found;
}

Result<std::string> ReadDriverVersion(NvmlSession& session) {
  char version[nvml::kDriverVersionSize] = {};
  const Return answer = session.functions().driver_version(version, sizeof(version));
  if (answer != Return::kSuccess) {
    return session.library()->Error(answer, "nvmlSystemGetDriverVersion");
  }
  return Text(version);
}

}  // namespace aliquot::agent
