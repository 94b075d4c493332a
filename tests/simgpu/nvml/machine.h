// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The machine that the simulated libraries show: what its profile, its state file and its list of
// faults say. Formats: profiles/README.md and tests/simgpu/README.md. Plain values; the readers
// throw YAML::Exception or std::runtime_error, and accept what the agent's own would refuse (two
// cards with one UUID), since a driver may show that too.

namespace aliquot::simgpu {

struct Process {
  unsigned pid = 0;
  std::int64_t mib = -1;
  int sm_percent = -1;
};

struct Card {
  std::string uuid;
  int minor = 0;
  std::string model;
  std::int64_t mib = 0;
  std::string pci;  // as sysfs has it
  int numa = -1;
  int cc_major = 0;
  int cc_minor = 0;
  std::int64_t context_mib = 300;
  bool mig = false;
  bool c2c = false;
  // From the state file.
  bool lost = false;
  bool uncorrectable_pending = false;
  bool remap_failed = false;
  std::int64_t mib_used = 0;
  std::optional<int> gpu_percent;
  std::optional<int> memory_percent;
  std::optional<int> temperature_celsius;
  std::optional<int> power_milliwatts;
  std::vector<Process> processes;
};

struct Event {
  std::uint64_t sequence = 0;
  std::string card;  // "" = the driver does not say which
  bool ecc_double = false;
  std::uint64_t xid = 0;
};

struct Machine {
  std::string driver;
  int cuda_version = 0;  // 1000 * major + 10 * minor
  std::vector<Card> cards;
  std::vector<std::string> links;  // upper triangle
  int nvlinks_per_card = 0;
  bool nvswitch = false;
  // From the state file.
  bool driver_present = true;
  std::vector<Event> events;

  // Class of the pair. Pre: a != b.
  const std::string& Link(std::size_t a, std::size_t b) const;
};

// What a function answers instead, see README.md.
struct Fault {
  std::string function;
  int card = -1;  // position in the profile, -1 = any
  unsigned error = 0;
  bool hang = false;
  int after = 0;  // calls that still go well
  int times = 0;  // failures, then it goes well again; 0 = for ever
};

Machine ReadProfile(const std::string& path);
// The same from the profile's text.
Machine ParseProfile(const std::string& text);
// The same machine with these of its cards only.
Machine PartOf(const Machine& machine, const std::vector<int>& cards);
// Writes into `machine` what the state file says. A file that does not exist says nothing.
void ReadState(const std::string& path, Machine& machine);
std::vector<Fault> ReadFaults(const std::string& path);

}  // namespace aliquot::simgpu
