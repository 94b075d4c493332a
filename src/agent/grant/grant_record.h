// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/grant/identity.h"
#include "base/status.h"

namespace aliquot::agent {

// A card, or the part of it, that a grant hands over.
struct GrantedCard {
  std::string uuid;
  int minor = 0;
  int core = 0;          // percent
  std::int64_t mib = 0;  // MiB
};

// What a grant is: kept beside it as grant.json (docs/reference/grant.md), so that after a restart
// of the agent, with the API server away, a container that had it starts again. Plain values.
struct GrantRecord {
  std::string name;                     // GrantName(device_ids)
  std::vector<std::string> device_ids;  // sorted
  ContainerIdentity identity;           // `deleting` and `recalled` are not kept
  std::vector<GrantedCard> cards;       // in the order of the allocation
  int limit = 0;                        // elastic ceiling in percent; 0 = none asked
  std::string isolation = "auto";       // as asked
  std::string enforcement = "none";     // who holds it: "library", "driver", "none"
  std::string driver;   // the directory of driver libraries that it names; "" = none
  std::string library;  // the version of the enforcement library that it names; "" = none
};

// Version 1: {"v":1,"checksum":"<SHA-256 of the grant's text>","grant":{..}}.
// Pure and thread-safe. A record that is damaged, incomplete or of another version is refused with
// one sentence without a subject ("is not JSON"): the caller names the file.
std::string FormatGrantRecord(const GrantRecord& record);
Result<GrantRecord> ParseGrantRecord(std::string_view json);

// No longer text is a grant.json: IDs of 16,384 devices, cards and the allocation fit.
inline constexpr std::size_t kMaxGrantRecordBytes = 1 << 20;

}  // namespace aliquot::agent
