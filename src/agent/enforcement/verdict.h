// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot::agent {

// What is wrong with a share of a card that the enforcement library should hold.
enum class Verdict {
  kNoLibrary,     // a process on the card has not loaded it: static, musl, a loader of its own
  kWrongLibrary,  // a process has loaded a file of its name that is not the one we gave
  kOverMemory,    // the driver counts more memory than the share and its contexts explain
  kUsageDamaged,  // the container's usage file can't be read any more
  kUsageLow,      // its processes have charged far less than the driver counts, within the limit
};
inline constexpr std::array kAllVerdicts{Verdict::kNoLibrary, Verdict::kWrongLibrary,
                                         Verdict::kOverMemory, Verdict::kUsageDamaged,
                                         Verdict::kUsageLow};

// "no_library", ...: label values and words of events.
std::string_view VerdictName(Verdict verdict);
// Whether the policy `kill` ends processes for it. kUsageLow is told only: a large heap of the
// device's own, which the driver allocates and nobody charges, looks the same.
bool EndsProcesses(Verdict verdict);
// Whether it is about single processes, by what they have mapped; else about the container's sum.
bool IsOfProcess(Verdict verdict);

// What a process on the card has mapped.
enum class LoadedLibrary {
  kUnknown,  // /proc did not say
  kOurs,
  kOther,  // a file of that name, another one
  kNone,
};

struct ProcessFacts {
  pid_t pid = 0;
  LoadedLibrary library = LoadedLibrary::kUnknown;
  std::optional<std::uint64_t> driver_bytes;
};

// One look at one share. Plain values.
struct ShareFacts {
  std::vector<ProcessFacts> processes;  // on the card, of this container
  std::uint64_t limit_bytes = 0;
  bool usage_readable = true;
  std::uint64_t held_before = 0;  // charged by all its processes, before and after the driver's
  std::uint64_t held_after = 0;   // answer
  // What a context, its code and its padding may take of a process without anybody's fault.
  std::uint64_t context_bytes = 0;
};

struct ShareVerdict {
  Verdict verdict = Verdict::kNoLibrary;
  std::vector<pid_t> processes;  // whose doing it is; those that the policy ends
};

// What one look finds, without regard to earlier ones. Pure.
std::vector<ShareVerdict> JudgeLook(const ShareFacts& facts);

// Keeps what stands: only what two looks in a row find counts. Driver and charges are read one
// after the other; and a process that runs another program (exec) is listed by the driver for a
// moment before that program has loaded its libraries. Of the library, both looks must name the
// process. Not thread-safe.
class ShareJudge {
 public:
  std::vector<ShareVerdict> Look(const ShareFacts& facts);

 private:
  std::array<std::set<pid_t>, kAllVerdicts.size()> seen_;  // by the look before
};

}  // namespace aliquot::agent
