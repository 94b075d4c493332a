// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "agent/enforcement/process_look.h"
#include "agent/enforcement/process_table.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void ProcessMaps(std::string_view input) {
  const agent::MappedFiles mapped = agent::ParseMaps(input);
  std::set<agent::FileIdentity> seen;
  for (const agent::MappedFile& file : mapped.files) {
    Require(file.identity.inode != 0);
    Require(seen.insert(file.identity).second);
    Require(input.find(file.path) != input.npos);
    static_cast<void>(agent::IsDriverLibrary(file.path));
  }
  // What is mapped as code is found; nothing else is.
  const agent::GivenLibrary given{{0, 0}, "libaliquot.so"};
  Require(agent::JudgeMapped(mapped, given) != agent::LoadedLibrary::kOurs);
  for (const agent::MappedFile& file : mapped.files) {
    const bool found =
        agent::JudgeMapped(mapped, {file.identity, "libaliquot.so"}) == agent::LoadedLibrary::kOurs;
    Require(found == file.executable);
  }
}

void ProcessStat(std::string_view input) {
  const auto ticks = agent::ParseStartTicks(input);
  Require(!ticks || input.find(std::to_string(*ticks)) != input.npos);
}

void ProcessStatus(std::string_view input) { static_cast<void>(agent::ParseInnermostPid(input)); }

}  // namespace aliquot::fuzz
