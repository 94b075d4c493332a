// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/nvml/world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

// The handles are addresses in here; nobody looks inside.
struct aliquot::agent::nvml::DeviceHandle {
  char unused;
};

namespace aliquot::simgpu {
namespace {

using nvml::Return;

constexpr std::size_t kMostHandles = 64;
constexpr useconds_t kHangStepUs = 5000;

nvml::DeviceHandle handles[kMostHandles];

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

nvml::Device HandleOf(std::size_t index) { return &handles[index]; }

int IndexOf(nvml::Device device) {
  if (device < handles || device >= handles + kMostHandles) {
    return -1;
  }
  return static_cast<int>(device - handles);
}

nvml::Return CopyText(const std::string& text, char* buffer, unsigned length) {
  if (buffer == nullptr) {
    return Return::kInvalidArgument;
  }
  if (text.size() + 1 > length) {
    return Return::kInsufficientSize;
  }
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return Return::kSuccess;
}

void WatchedFile::Reset(const char* variable) {
  const char* value = std::getenv(variable);
  path_ = value == nullptr ? "" : value;
  seen_.reset();
}

bool WatchedFile::Changed() {
  struct stat now = {};
  if (path_.empty() || stat(path_.c_str(), &now) != 0) {
    now = {};
  }
  const bool changed = !seen_ || !SameFile(*seen_, now);
  seen_ = now;
  return changed;
}

World& World::Get() {
  static World world;
  return world;
}

void World::Refresh() {
  const bool changed = state_.Changed();
  if (changed || shared_.exists()) {
    machine_ = intact_;
    ReadState(state_.path(), machine_);
    if (shared_.exists()) {
      shared_.Show(machine_);
    }
    for (std::size_t i = 0; i < machine_.cards.size(); ++i) {
      lost_[i] = lost_[i] || machine_.cards[i].lost;
    }
  }
  if (faults_file_.Changed()) {
    faults_ = ReadFaults(faults_file_.path());
    fault_calls_.assign(faults_.size(), 0);
  }
}

std::optional<Return> World::Injected(const std::string& function, int card, bool& hang) {
  hang = false;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    if (fault.function != function || (fault.card >= 0 && fault.card != card)) {
      continue;
    }
    if (fault.hang) {
      hang = true;
      return std::nullopt;
    }
    const int call = fault_calls_[i]++ - fault.after;
    if (call >= 0 && (fault.times == 0 || call < fault.times)) {
      return static_cast<Return>(fault.error);
    }
  }
  return std::nullopt;
}

Return World::Init() {
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    if (users_ == 0) {
      profile_.Reset("ALIQUOT_SIMGPU_PROFILE");
      state_.Reset("ALIQUOT_SIMGPU_STATE");
      faults_file_.Reset("ALIQUOT_SIMGPU_FAULTS");
      shared_.Open();
      intact_ = shared_.exists() ? shared_.Intact() : ReadProfile(profile_.path());
      if (intact_.cards.size() > kMostHandles) {
        return Return::kMemory;
      }
      lost_.assign(intact_.cards.size(), false);
      Refresh();
    }
    bool hang = false;
    if (std::optional<Return> injected = Injected("nvmlInit_v2", -1, hang)) {
      return *injected;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simulated NVML: %s: %s\n", profile_.path().c_str(), error.what());
    return Return::kUnknown;
  }
  if (!machine_.driver_present) {
    return Return::kDriverNotLoaded;
  }
  ++users_;
  return Return::kSuccess;
}

Return World::Shutdown() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (users_ == 0) {
    return Return::kUninitialized;
  }
  --users_;
  return Return::kSuccess;
}

Call::Call(const char* function) : world_(World::Get()), lock_(world_.mutex_) {
  Begin(function, -1);
}

Call::Call(const char* function, nvml::Device device) : world_(World::Get()), lock_(world_.mutex_) {
  const int index = IndexOf(device);
  Begin(function, index);
  if (!ok()) {
    return;
  }
  if (index < 0 || static_cast<std::size_t>(index) >= world_.machine_.cards.size()) {
    answer_ = Return::kInvalidArgument;
    return;
  }
  index_ = static_cast<std::size_t>(index);
  if (!Reaches(index_)) {
    answer_ = Return::kGpuIsLost;
  }
}

void Call::Begin(const char* function, int card) {
  if (world_.users_ == 0) {
    answer_ = Return::kUninitialized;
    return;
  }
  try {
    world_.Refresh();
    bool hang = false;
    std::optional<Return> injected = world_.Injected(function, card, hang);
    while (hang) {  // until the fault is taken out of the file
      lock_.unlock();
      usleep(kHangStepUs);
      lock_.lock();
      world_.Refresh();
      injected = world_.Injected(function, card, hang);
    }
    answer_ = injected.value_or(Return::kSuccess);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simulated NVML: %s\n", error.what());
    answer_ = Return::kUnknown;
  }
}

}  // namespace aliquot::simgpu
