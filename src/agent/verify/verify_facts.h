// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/enforcement/process_table.h"
#include "agent/gpu/machine.h"
#include "agent/grant/grant_record.h"
#include "agent/verify/inside_file.h"
#include "model/allocation.h"
#include "model/pod.h"

// What was found of one pod on this node; verify_rows.h judges it. Plain values.

namespace aliquot::agent {

// A process of the pod that uses a card: it has a card's device open, has a driver's library
// mapped, or is in the driver's list.
struct SeenProcess {
  pid_t pid = 0;        // the host's
  pid_t own_pid = 0;    // as it sees itself; 0 = not known
  std::string name;     // printable
  std::string problem;  // why /proc said nothing of it; "" = it did
  LoadedLibrary library = LoadedLibrary::kUnknown;
  bool maps_driver = false;
  std::set<dev_t> open_devices;
  std::optional<std::set<dev_t>> devices;             // in its /dev
  std::map<std::string, std::uint64_t> driver_bytes;  // by card: the driver's list has it
  InsideFile limits;
  InsideFile preload;
};

// What one card of a grant holds by all that is known.
struct SeenCard {
  std::uint64_t limit_bytes = 0;                // 0 = the whole card
  std::optional<std::uint64_t> charged_bytes;   // by the container's own word
  std::optional<std::uint64_t> overhead_bytes;  // as the limits file says now
  bool driver_told = false;                     // it gave a list of processes with their memory
  std::string driver_problem;                   // why not
};

struct SeenContainer {
  GrantRecord grant;
  std::optional<model::AllocatedContainer> allocated;  // by the pod's record
  std::string allocation_problem;                      // why it is not there
  // The files of the grant on this node; "" = they could not be read.
  std::string limits_file;
  FileIdentity limits_identity;
  std::string preload_file;
  std::optional<GivenLibrary> library;  // what the grant handed over
  std::string usage_problem;            // "" = the usage file can be read
  std::set<std::uint32_t> slot_pids;    // of living slots, by the container's own word
  std::vector<SeenCard> cards;          // as grant.cards
  std::vector<SeenProcess> processes;   // those that use a card
  std::size_t others = 0;               // processes that use none
};

struct VerifyFacts {
  std::string node;
  model::PodKey pod;
  std::string uid;
  std::vector<SeenContainer> containers;
  // Processes of containers without a grant that use a card, as "container (pid)".
  std::vector<std::string> strangers;
  std::vector<MachineCard> machine;  // the node's cards
  std::size_t unseen = 0;            // processes past the bound of one look
  std::uint64_t context_bytes = 0;   // configuration enforcement.contextMiB
};

}  // namespace aliquot::agent
