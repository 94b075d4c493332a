// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/machine.h"
#include "base/status.h"
#include "program/problems.h"

namespace aliquot::agent {

// The NVLinks of a machine's cards, for what looks at them one by one (a simulated NVML does).
struct NvlinkProfile {
  enum class Through {
    kCards,     // each link ends at another card: links[] says how many go where
    kNvswitch,  // all links end at switches
  };

  int per_card = 0;       // links of each card
  int link_mb_per_s = 0;  // one link, one way, as NVML reports it
  Through through = Through::kCards;
};

// A machine that is simulated: one YAML file below profiles/, format in profiles/README.md.
// Immutable plain values.
struct MachineProfile {
  // What a look at the intact machine finds. The device nodes are stand-ins: a grant makes them
  // with mknod, nobody opens these on the host.
  Machine machine;
  std::string cuda;  // newest CUDA version that the driver serves, "12.2"
  std::optional<NvlinkProfile> nvlink;
};

inline constexpr std::size_t kMaxProfileBytes = 256 << 10;
inline constexpr std::size_t kMaxProfileCards = 64;  // api::kMaxCardsPerNode

// Reads exactly one profile. Reports every problem in one sentence each that names file and line,
// field, value and remedy; nothing is returned when there was any. Cards come out by minor number,
// links and NIC classes in that order too. Pure and thread-safe. `file` is the name in problems.
std::optional<MachineProfile> ParseMachineProfile(std::string_view text, const std::string& file,
                                                  program::Problems& problems);

// The same of a file. The error is the first problem and how many more there are.
Result<MachineProfile> LoadMachineProfile(const std::string& file);

}  // namespace aliquot::agent
