// SPDX-License-Identifier: Apache-2.0
#include "agent/health/health_words.h"

#include "agent/health/xid_table.h"

namespace aliquot::agent {
namespace {

// "XID 79 (GPU has fallen off the bus)"
std::string NamedXid(std::uint64_t xid) {
  return "XID " + std::to_string(xid) + " (" + std::string(RuleOf(xid).meaning) + ")";
}

constexpr char kResetRemedy[] = "; reset the card or restart the node";

}  // namespace

std::string HealthWord(Fault fault, std::uint64_t xid) {
  switch (fault) {
    case Fault::kNoDriver:
      return "no-driver";
    case Fault::kLost:
      return "lost";
    case Fault::kRemapFailed:
      return "remap-failed";
    case Fault::kEcc:
      return "ecc";
    case Fault::kXid:
      break;
  }
  return "xid-" + std::to_string(xid);
}

std::string HealthSentence(Fault fault, std::uint64_t xid, bool needs_reset, std::string_view uuid,
                           std::string_view why) {
  const std::string card = "card " + std::string(uuid);
  switch (fault) {
    case Fault::kNoDriver:
      return card + " cannot be used: " + std::string(why);
    case Fault::kLost:
      return card + " is no longer seen by the driver" + kResetRemedy;
    case Fault::kRemapFailed:
      return card + " has a memory row that could not be remapped; have the card replaced";
    case Fault::kEcc:
      return card + " has had an uncorrectable memory error" + kResetRemedy;
    case Fault::kXid:
      break;
  }
  return card + " reported " + NamedXid(xid) +
         (needs_reset ? kResetRemedy : "; it is used again once it has been quiet for a while");
}

std::string RecoverySentence(std::string_view uuid, std::string_view from) {
  return "card " + std::string(uuid) + " is healthy again, after " + std::string(from);
}

std::string XidSentence(std::uint64_t xid, std::string_view uuid, bool marks, std::uint64_t times) {
  std::string sentence = NamedXid(xid) + " on card " + std::string(uuid);
  if (times > 1) {
    sentence += ", " + std::to_string(times) + " times";
  }
  return sentence +
         (marks ? "; the card takes nothing new for now, and programs on it may have failed"
                : "; the card stays in use, the program that caused it has failed");
}

}  // namespace aliquot::agent
