// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/simgpu/nvml/machine.h"
#include "tests/simgpu/nvml/work_history.h"
#include "tests/simgpu/world/world_file.h"

// The world file as NVML shows it: what the simulated CUDA drivers of the machine hold and do.
// Without ALIQUOT_SIMGPU_WORLD there is none. Pre for the calls: exists(); not thread-safe.

namespace aliquot::simgpu {

class SharedWorld {
 public:
  ~SharedWorld() { delete file_; }
  void Open();
  bool exists() const { return file_ != nullptr; }
  // The machine, with the cards that have a device node here.
  Machine Intact();
  // What a card's processes did since a time; remembers this look.
  std::vector<ProcessSince> WorkSince(std::size_t card, std::uint64_t last_seen_us);
  // Memory, processes, gauges and losses as they are now.
  void Show(Machine& machine);

 private:
  // Load between two looks at least this far apart.
  struct Gauge {
    std::uint64_t at = 0;
    std::uint64_t busy = 0;
    int percent = 0;
    int Read(std::uint64_t now, std::uint64_t busy_now);
  };

  void ShowProcesses(const WorldLayout& layout, int index, std::uint64_t now, Card& card);

  WorldFile* file_ = nullptr;
  std::vector<int> cards_of_world_;  // its card for each of ours
  WorkHistory history_;
  std::array<Gauge, kMaxCards> cards_ = {};
  std::array<std::array<Gauge, kMaxCards>, kMaxProcesses> processes_ = {};
};

}  // namespace aliquot::simgpu
