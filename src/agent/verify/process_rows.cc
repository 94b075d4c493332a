// SPDX-License-Identifier: Apache-2.0
#include <sys/sysmacros.h>

#include <algorithm>

#include "agent/verify/row_writer.h"

// The checks of one process that uses a card, as it sees itself.

namespace aliquot::agent {
namespace {

using State = InsideFile::State;

void JudgeLibrary(const SeenContainer& seen, const SeenProcess& process, RowWriter& rows) {
  switch (process.library) {
    case LoadedLibrary::kOurs:
      rows.Ok("library", "it has loaded the enforcement library " + seen.grant.library);
      return;
    case LoadedLibrary::kOther:
      rows.Failed("library",
                  "it has loaded a file of the library's name that is not the one of the grant");
      return;
    case LoadedLibrary::kNone:
      rows.Failed("library",
                  "it uses the card without the enforcement library: a static or musl program, or "
                  "a loader of its own");
      return;
    case LoadedLibrary::kUnknown:
      rows.Unknown("library", seen.library ? "its mappings could not be read to the end"
                                           : "the grant's library is not on this node any more");
  }
}

void JudgeInside(const SeenContainer& seen, const SeenProcess& process, RowWriter& rows) {
  const InsideFile& file = process.limits;
  if (file.state == State::kUnreadable) {
    rows.Unknown("inside", file.why);
  } else if (file.state != State::kRead) {
    rows.Failed("inside", "in its file system " + file.why);
  } else if (seen.limits_file.empty() || file.bytes.size() != seen.limits_file.size() ||
             FixedPart(file.bytes) != FixedPart(seen.limits_file)) {
    rows.Failed("inside", "the limits that it sees are not those that were granted");
  } else if (!(file.identity == seen.limits_identity)) {
    rows.Failed("inside", "the limits that it sees are a copy, which no change reaches");
  } else {
    rows.Ok("inside", "it sees the limits that were granted");
  }
}

void JudgePreload(const SeenContainer& seen, const SeenProcess& process, RowWriter& rows) {
  const InsideFile& file = process.preload;
  if (file.state == State::kUnreadable) {
    rows.Unknown("preload", file.why);
  } else if (file.state != State::kRead) {
    rows.Failed("preload", "in its file system " + file.why +
                               ", so a program that it starts goes without the library");
  } else if (file.bytes != seen.preload_file) {
    rows.Failed("preload",
                "/etc/ld.so.preload is not what was granted, so a program that it "
                "starts may go without the library");
  } else {
    rows.Ok("preload", "/etc/ld.so.preload names the library");
  }
}

void JudgeSlot(const SeenContainer& seen, const SeenProcess& process, RowWriter& rows) {
  if (process.driver_bytes.empty() || !seen.usage_problem.empty()) {
    return;  // it holds no memory of a card; the usage file has a row of its own
  }
  const bool has =
      process.own_pid > 0 && seen.slot_pids.count(static_cast<std::uint32_t>(process.own_pid)) != 0;
  if (has) {
    rows.Ok("slot", "it has a place in the usage file");
  } else if (process.library == LoadedLibrary::kOurs) {
    rows.Unknown("slot",
                 "it has no place in the usage file: it has allocated nothing yet, or all "
                 "places are taken and it is given nothing");
  } else {
    rows.Failed("slot", "it holds memory of a card and has no place in the usage file");
  }
}

std::string NamesOf(const std::vector<const MachineCard*>& cards) {
  std::string names;
  for (const MachineCard* card : cards) {
    names += (names.empty() ? "" : ", ") + card->node.name;
  }
  return names;
}

dev_t NumberOf(const MachineCard& card) { return makedev(card.node.major, card.node.minor); }

// Cards of `devices` that the grant does not have.
std::vector<const MachineCard*> Foreign(const GrantRecord& grant, const std::set<dev_t>& devices,
                                        const std::vector<MachineCard>& machine) {
  std::vector<const MachineCard*> foreign;
  for (const MachineCard& card : machine) {
    const bool granted =
        std::any_of(grant.cards.begin(), grant.cards.end(),
                    [&](const GrantedCard& each) { return each.uuid == card.card.uuid; });
    if (!granted && devices.count(NumberOf(card)) != 0) {
      foreign.push_back(&card);
    }
  }
  return foreign;
}

std::vector<const MachineCard*> Missing(const GrantRecord& grant, const std::set<dev_t>& devices,
                                        const std::vector<MachineCard>& machine) {
  std::vector<const MachineCard*> missing;
  for (const MachineCard& card : machine) {
    const bool granted =
        std::any_of(grant.cards.begin(), grant.cards.end(),
                    [&](const GrantedCard& each) { return each.uuid == card.card.uuid; });
    if (granted && devices.count(NumberOf(card)) == 0) {
      missing.push_back(&card);
    }
  }
  return missing;
}

void JudgeCards(const SeenContainer& seen, const SeenProcess& process,
                const std::vector<MachineCard>& machine, RowWriter& rows) {
  const auto opened = Foreign(seen.grant, process.open_devices, machine);
  if (!opened.empty()) {
    rows.Failed("cards", "it has cards open that it was not granted: " + NamesOf(opened));
    return;
  }
  if (!process.devices) {
    rows.Unknown("cards", "its /dev can't be looked at");
    return;
  }
  const auto extra = Foreign(seen.grant, *process.devices, machine);
  const auto missing = Missing(seen.grant, *process.devices, machine);
  if (!extra.empty()) {
    rows.Failed("cards", "its /dev has cards that it was not granted: " + NamesOf(extra) +
                             "; the device cgroup refuses them unless the container is privileged");
  } else if (!missing.empty()) {
    rows.Failed("cards", "its /dev lacks granted cards: " + NamesOf(missing));
  } else {
    rows.Ok("cards", "its /dev has the granted cards and no other");
  }
}

}  // namespace

void JudgeProcess(const SeenContainer& seen, const SeenProcess& process,
                  const std::vector<MachineCard>& machine, RowWriter& rows) {
  rows.About(process.name + " (" + std::to_string(process.pid) + ")");
  if (!process.problem.empty()) {
    rows.Unknown("process", process.problem);
    return;
  }
  if (HeldByLibrary(seen)) {
    JudgeLibrary(seen, process, rows);
    JudgePreload(seen, process, rows);
    JudgeSlot(seen, process, rows);
  }
  JudgeInside(seen, process, rows);
  JudgeCards(seen, process, machine, rows);
}

}  // namespace aliquot::agent
