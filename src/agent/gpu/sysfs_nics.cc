// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/sysfs_nics.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace aliquot::agent {
namespace {

std::vector<std::string> NicNames(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    names.push_back(entries->path().filename().string());
  }
  // mlx5_2 before mlx5_10.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

}  // namespace

std::vector<model::Nic> ReadNics(const std::string& root,
                                 const std::vector<std::optional<PciPlace>>& cards) {
  std::vector<model::Nic> nics;
  const std::string folder = root + "/class/infiniband";
  for (const std::string& name : NicNames(folder)) {
    std::error_code error;
    const std::filesystem::path device =
        std::filesystem::canonical(folder + "/" + name + "/device", error);
    if (error) {
      continue;
    }
    const std::optional<PciPlace> place = ReadPciPlace(root, device.filename().string());
    if (!place) {
      continue;
    }
    model::Nic nic;
    nic.name = name;
    nic.pci = place->path.back();
    nic.numa = place->numa;
    for (const std::optional<PciPlace>& card : cards) {
      nic.to_cards.push_back(card ? PciLinkClass(*place, *card) : "SYS");
    }
    nics.push_back(std::move(nic));
  }
  return nics;
}

}  // namespace aliquot::agent
