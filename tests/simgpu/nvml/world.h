// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/gpu/nvml_abi.h"
#include "tests/simgpu/nvml/machine.h"
#include "tests/simgpu/nvml/shared_world.h"

// What all functions of the simulated library share. One World a process; every function of the C
// interface begins with a Call, which brings the machine up to date and says whether the function
// may go on. Nothing is thrown out of here.

namespace aliquot::simgpu {

namespace nvml = ::aliquot::agent::nvml;

// A file that is read again when it has changed.
class WatchedFile {
 public:
  void Reset(const char* variable);
  const std::string& path() const { return path_; }
  // True at the first call after a reset, and whenever the file is another one since.
  bool Changed();

 private:
  std::string path_;
  std::optional<struct stat> seen_;
};

class World {
 public:
  static World& Get();
  // The library may be closed by another thread than the one whose call was the last.
  ~World() { const std::lock_guard<std::mutex> lock(mutex_); }

  nvml::Return Init();
  nvml::Return Shutdown();

 private:
  friend class Call;

  void Refresh();
  // Whether the function fails by the list of faults; `hang` when it is to hang for now.
  std::optional<nvml::Return> Injected(const std::string& function, int card, bool& hang);

  std::mutex mutex_;
  int users_ = 0;  // nvmlInit without nvmlShutdown
  Machine intact_;
  Machine machine_;
  std::vector<bool> lost_;  // a lost card stays lost until NVML is initialized anew
  std::vector<Fault> faults_;
  std::vector<int> fault_calls_;  // calls that each fault has matched
  SharedWorld shared_;
  WatchedFile profile_;
  WatchedFile state_;
  WatchedFile faults_file_;
};

// One call of a function, holding the world still.
class Call {
 public:
  explicit Call(const char* function);
  Call(const char* function, nvml::Device device);

  bool ok() const { return answer_ == nvml::Return::kSuccess; }
  nvml::Return answer() const { return answer_; }
  const Machine& machine() const { return world_.machine_; }
  const std::string& state_path() const { return world_.state_.path(); }
  // Pre: a call for a device, ok().
  std::size_t index() const { return index_; }
  const Card& card() const { return world_.machine_.cards[index_]; }
  // Whether the driver still reaches that card.
  bool Reaches(std::size_t card) const { return !world_.lost_[card]; }
  bool in_world() const { return world_.shared_.exists(); }
  // Pre: in_world(), a call for a device, ok().
  std::vector<ProcessSince> WorkSince(unsigned long long last_seen_us) const {
    return world_.shared_.WorkSince(index_, last_seen_us);
  }

 private:
  void Begin(const char* function, int card);

  World& world_;
  std::unique_lock<std::mutex> lock_;
  nvml::Return answer_ = nvml::Return::kSuccess;
  std::size_t index_ = 0;
};

// Handles are one per position in the profile.
nvml::Device HandleOf(std::size_t index);
// The position, or -1 for a pointer that is no handle.
int IndexOf(nvml::Device device);
// NVML's way to fill a string: kInsufficientSize when it does not fit.
nvml::Return CopyText(const std::string& text, char* buffer, unsigned length);

}  // namespace aliquot::simgpu
