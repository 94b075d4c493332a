// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot::agent {

// What an XID means for the card that threw it, after the column "immediate action" of NVIDIA's
// catalogue (https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html);
// docs/reference/health.md has the table. Pure and thread-safe.
enum class XidEffect {
  // Told to the pods on the card, no more: the catalogue says to ignore it, or the application is
  // to blame.
  kReport,
  // The card takes nothing new until it has been quiet for a while. Also every code that the
  // table does not have: newer drivers have newer codes.
  kPassing,
  // Neither does it until it was reset: the driver was loaded again, the card came back, or the
  // node restarted.
  kReset,
};

struct XidRule {
  std::uint64_t code = 0;
  XidEffect effect = XidEffect::kPassing;
  std::string_view meaning;  // NVIDIA's words for it, in short
};

// By code.
const std::vector<XidRule>& XidTable();

// A code that the table does not have is kPassing with the meaning "not in the table".
XidRule RuleOf(std::uint64_t code);

// XIDs that never mark a card unless the configuration says otherwise, whatever the table says:
// faults of applications, or what follows from ending one. The list of NVIDIA's own device plugin.
std::vector<std::uint64_t> DefaultIgnoredXids();

}  // namespace aliquot::agent
