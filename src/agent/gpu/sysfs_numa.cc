// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/sysfs_numa.h"

#include <filesystem>
#include <system_error>

#include "agent/gpu/sysfs_text.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

constexpr std::int64_t kMaxCpu = 65535;

}  // namespace

std::optional<std::set<int>> ParseCpuList(std::string_view text) {
  std::set<int> numbers;
  const std::string_view trimmed = Trim(text);
  if (trimmed.empty()) {
    return numbers;
  }
  for (const std::string_view part : Split(trimmed, ',')) {
    const std::size_t dash = part.find('-');
    const std::optional<std::int64_t> first = ParseUnsigned(part.substr(0, dash));
    const std::optional<std::int64_t> last =
        dash == std::string_view::npos ? first : ParseUnsigned(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last > kMaxCpu) {
      return std::nullopt;
    }
    for (std::int64_t number = *first; number <= *last; ++number) {
      numbers.insert(static_cast<int>(number));
    }
  }
  return numbers;
}

NumaNodes ReadNumaNodes(const std::string& root) {
  NumaNodes nodes;
  std::error_code error;
  std::filesystem::directory_iterator entries(root + "/devices/system/node", error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (!StartsWith(name, "node")) {
      continue;
    }
    const std::optional<std::int64_t> node = ParseUnsigned(std::string_view(name).substr(4));
    const std::optional<std::string> text = ReadSysfsText(entries->path().string() + "/cpulist");
    if (!node || *node > kMaxCpu || !text) {
      continue;
    }
    std::optional<std::set<int>> cpus = ParseCpuList(*text);
    if (cpus && !cpus->empty()) {
      nodes.cpus.emplace(static_cast<int>(*node), std::move(*cpus));
    }
  }
  return nodes;
}

int NodeOfCpus(const NumaNodes& nodes, const std::set<int>& cpus) {
  int found = -1;
  for (const auto& [node, own] : nodes.cpus) {
    for (const int cpu : cpus) {
      if (own.count(cpu) == 0) {
        continue;
      }
      if (found >= 0) {
        return -1;
      }
      found = node;
      break;
    }
  }
  return found;
}

}  // namespace aliquot::agent
