// SPDX-License-Identifier: Apache-2.0
#pragma once

// The header of `nvidia-smi topo -m`: which devices and which affinity columns the rows have. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot::topology {

enum class SmiColumn { kCpuAffinity, kNumaAffinity, kOther };

struct SmiHeader {
  struct Column {
    SmiColumn kind = SmiColumn::kOther;
    std::size_t at = 0;  // where its name begins in the line
  };

  std::vector<std::string> devices;  // in their order; cards and NICs
  std::size_t last_device_at = 0;    // where the last of them begins in the line
  std::vector<Column> columns;       // after the devices

  // Index of the device, or nothing.
  std::optional<std::size_t> Find(std::string_view name) const;
};

// True for "GPU0", "GPU12".
bool IsCardName(std::string_view name);

// The header in this line (after PlainLine), or nothing when it is another line: a header begins
// with a card's name and goes on with no link class. Names that lost their separator are parted.
std::optional<SmiHeader> ParseSmiHeader(std::string_view line);

}  // namespace aliquot::topology
