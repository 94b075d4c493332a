// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_file_host.h"

#include <string>

#include "base/strings.h"

namespace aliquot::allocator {
namespace {

std::int64_t Read(program::MapReader& host, std::string_view key, std::string_view example,
                  std::optional<std::int64_t> (*parse)(std::string_view, model::Rounding),
                  model::Rounding rounding) {
  const std::string text = host.RequiredText(key);
  const std::optional<std::int64_t> amount = text.empty() ? 0 : parse(text, rounding);
  if (!amount) {
    host.Complain(key, "is \"" + Printable(text) + "\", not a quantity; write it like " +
                           std::string(example));
  }
  return amount.value_or(0);
}

}  // namespace

std::optional<model::HostAmount> ReadHost(program::MapReader& reader, model::Rounding rounding) {
  const program::YamlValue* map = reader.Map("host");
  if (map == nullptr) {
    return std::nullopt;
  }
  const program::YamlPath path(reader.path(), "host");
  program::MapReader host(reader.source(), *map, path);
  model::HostAmount amount;
  amount.cpu_milli = Read(host, "cpu", "500m or 96", &model::CpuMilli, rounding);
  amount.memory_mib = Read(host, "memory", "16Gi", &model::MemoryMib, rounding);
  host.RefuseUnknownKeys();
  return amount;
}

}  // namespace aliquot::allocator
