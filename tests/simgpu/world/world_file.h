// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "tests/simgpu/world/layout.h"

// The file behind a world, as one process uses it.
//
// A process that computes claims a slot and holds a classic record lock on the byte of that slot:
// the kernel lets go of it however the process ends, and tells whoever asks the holder's process ID
// in the asker's own namespace, as a driver would. Such locks go when *any* descriptor of the file
// is closed, so the descriptor is never closed, and both simulated libraries of a process use one.

namespace aliquot::simgpu {

class WorldFile {
 public:
  // The file that ALIQUOT_SIMGPU_WORLD names; nullptr without one, or when it is none (said on
  // standard error).
  static WorldFile* Open();
  // Only the mapping goes, see above.
  ~WorldFile();

  WorldLayout& layout() { return *layout_; }
  // The world's clock. Pre: locked.
  std::uint64_t Now() const;

  // A slot for this process, or -1. `mark` is this world's magic at a place that stays as long as
  // the process does: a second copy of the library in one process leaves the first one's slot
  // alone. Pre: locked.
  int Claim(const std::uint64_t* mark);
  // The holder of a used slot in the caller's namespace: 0 = of another one, -1 = it has ended.
  pid_t HolderOf(int slot) const;
  // Gives back what ended processes held. Pre: locked.
  void Reap();
  // The same, when that was not done lately. Pre: locked.
  void ReapSometimes();

 private:
  friend class WorldLock;
  void ForgetFormerSelf();

  int descriptor_ = -1;
  WorldLayout* layout_ = nullptr;
};

// Holds the world still; brings nothing up to date.
class WorldLock {
 public:
  explicit WorldLock(WorldFile& world);
  ~WorldLock();
  WorldLock(const WorldLock&) = delete;
  WorldLock& operator=(const WorldLock&) = delete;

 private:
  WorldFile& world_;
};

// Real time, whatever the world's clock is.
std::uint64_t RealNow();

// Whether a card is there for this process: in a container with device nodes (nvidiactl) those with
// a node of their own, else all. The nodes are looked for in /dev, or in ALIQUOT_SIMGPU_DEV.
bool CardIsThere(int minor);

// Makes a file with this many cards; the caller fills them in.
WorldLayout* CreateWorld(const std::string& path);

// Memory of a card. Pre for all: locked.
std::uint64_t MemoryUsed(const WorldLayout& world, int card);
std::uint64_t MemoryFree(const WorldLayout& world, int card);

// Ends what a slot held: its memory, its queues, its part of shared blocks.
void ClearProcess(WorldLayout& world, int slot);
// One reference less; the last one frees the block, and an owner without one hands it on.
void DropBlock(WorldLayout& world, int block, int slot, std::uint32_t references);

}  // namespace aliquot::simgpu
