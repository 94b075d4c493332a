// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aliquot::agent {

// What can be wrong with a card. Where there is more than one, the inventory shows the first of
// this order; of several XIDs one that needs a reset, else the one that came first.
enum class Fault {
  kNoDriver,     // "no-driver": the driver is not loaded, or held
  kLost,         // "lost": the driver no longer sees it
  kRemapFailed,  // "remap-failed": a memory row could not be remapped
  kEcc,          // "ecc": an uncorrectable memory error, or rows that wait for a reset
  kXid,          // "xid-79"
};

// The word in the inventory and in the metric aliquot_card_health.
std::string HealthWord(Fault fault, std::uint64_t xid);

// One sentence for events and logs: what, on which card, and the remedy. The same for the same
// state. `why` counts for kNoDriver only.
std::string HealthSentence(Fault fault, std::uint64_t xid, bool needs_reset, std::string_view uuid,
                           std::string_view why);
std::string RecoverySentence(std::string_view uuid, std::string_view from);
// For an XID on a card, whether it marked it or not: what a pod there is told.
std::string XidSentence(std::uint64_t xid, std::string_view uuid, bool marks, std::uint64_t times);

}  // namespace aliquot::agent
