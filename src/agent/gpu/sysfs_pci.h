// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot::agent {

// Where a PCI device sits, by sysfs. Plain value.
struct PciPlace {
  // The host bridge, the bridges below it, the device itself: "pci0000:3a", "0000:3a:00.0", ..
  std::vector<std::string> path;
  int numa = -1;  // -1 = sysfs does not know
};

// The place of a device, "0000:3b:00.0"; nothing when sysfs below `root` ("/sys") does not have it.
std::optional<PciPlace> ReadPciPlace(const std::string& root, std::string_view pci);

// The class of the way between two devices, in NVIDIA's words, from their common ancestor:
//   PIX   the same bridge, or the two ports of one switch (each side has at most its own port)
//   PXB   a common bridge, with more bridges between
//   PHB   a common host bridge only
//   NODE  another host bridge of the same NUMA node
//   SYS   another NUMA node, or not known
// The words are those of `nvidia-smi topo -m`. Pure.
std::string PciLinkClass(const PciPlace& a, const PciPlace& b);

// "00000000:3B:00.0" and other spellings of NVML's as sysfs has them, "0000:3b:00.0"; nothing for
// other text. Pure.
std::optional<std::string> SysfsPciName(std::string_view text);

}  // namespace aliquot::agent
