// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/sysfs_pci.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "agent/gpu/sysfs_text.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

// Hexadecimal digits only, at most `limit` of them.
std::optional<unsigned> ParseHex(std::string_view text, std::size_t limit) {
  if (text.empty() || text.size() > limit) {
    return std::nullopt;
  }
  unsigned value = 0;
  for (const char c : text) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<unsigned>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value * 16 + static_cast<unsigned>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

}  // namespace

std::optional<PciPlace> ReadPciPlace(const std::string& root, std::string_view pci) {
  const std::string entry = root + "/bus/pci/devices/" + std::string(pci);
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(entry, error);
  if (error) {
    return std::nullopt;
  }
  PciPlace place;
  for (const std::filesystem::path& part : real) {
    const std::string name = part.string();
    // "pci0000:3a" opens the PCI part of /sys/devices/.../pci0000:3a/0000:3a:00.0/..
    if (!place.path.empty() || (StartsWith(name, "pci") && name.find(':') != std::string::npos)) {
      place.path.push_back(name);
    }
  }
  if (place.path.size() < 2) {
    return std::nullopt;
  }
  place.numa = std::max(-1, ReadSysfsNumber(real.string() + "/numa_node").value_or(-1));
  return place;
}

std::string PciLinkClass(const PciPlace& a, const PciPlace& b) {
  const auto [in_a, in_b] =
      std::mismatch(a.path.begin(), a.path.end(), b.path.begin(), b.path.end());
  const auto common = in_a - a.path.begin();
  if (common == 0) {
    return a.numa >= 0 && a.numa == b.numa ? "NODE" : "SYS";
  }
  if (common == 1) {
    return "PHB";
  }
  // Below the common bridge: the device, and the port of the switch that it hangs on.
  return a.path.end() - in_a <= 2 && b.path.end() - in_b <= 2 ? "PIX" : "PXB";
}

std::optional<std::string> SysfsPciName(std::string_view text) {
  const std::vector<std::string_view> parts = Split(Trim(text), ':');
  if (parts.size() != 3) {
    return std::nullopt;
  }
  const std::vector<std::string_view> last = Split(parts[2], '.');
  if (last.size() != 2) {
    return std::nullopt;
  }
  const std::optional<unsigned> domain = ParseHex(parts[0], 8);
  const std::optional<unsigned> bus = ParseHex(parts[1], 2);
  const std::optional<unsigned> device = ParseHex(last[0], 2);
  const std::optional<unsigned> function = ParseHex(last[1], 1);
  if (!domain || !bus || !device || !function) {
    return std::nullopt;
  }
  char name[48];
  std::snprintf(name, sizeof(name), "%04x:%02x:%02x.%x", *domain, *bus, *device, *function);
  return std::string(name);
}

}  // namespace aliquot::agent
