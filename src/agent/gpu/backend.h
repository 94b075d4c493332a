// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/machine.h"
#include "base/status.h"

namespace aliquot::agent {

// Something that the driver told of a card.
struct GpuEvent {
  enum class Kind {
    kXid,        // `code` is NVIDIA's XID
    kEccDouble,  // an uncorrectable memory error
  };

  Kind kind = Kind::kXid;
  std::string uuid;  // "" = the driver did not say which card: it concerns all of them
  std::uint64_t code = 0;
};

// What a look at one card's health found.
struct CardCheck {
  std::string uuid;
  bool present = true;                 // false: the driver has lost it (fell off the bus)
  bool uncorrectable_pending = false;  // ECC: row remapping or page retirement waits for a reset
  bool remap_failed = false;           // a row could not be remapped: the card wants replacement
};

// A process on a card, with the host's process ID.
struct CardProcess {
  pid_t pid = 0;
  std::int64_t mib = -1;  // device memory; -1 = the driver does not say
  int sm_percent = -1;    // -1 = no sample
};

// One reading of a card's gauges; what the driver does not support is nothing.
struct CardFigures {
  std::int64_t mib_used = 0;
  std::int64_t mib_total = 0;
  std::optional<int> gpu_percent;
  std::optional<int> memory_percent;
  std::optional<int> temperature_celsius;
  std::optional<std::int64_t> power_milliwatts;
  std::vector<CardProcess> processes;
};

// Who uses a card, and how much of its time.
struct CardWork {
  struct Memory {
    pid_t pid = 0;                       // the host's
    std::optional<std::uint64_t> bytes;  // nothing: the driver does not say
  };
  // The driver's: how busy one process kept the card over the time since the sample before.
  struct Sample {
    pid_t pid = 0;
    std::uint64_t timestamp_us = 0;  // the driver's clock
    int sm_percent = 0;
  };

  std::vector<Memory> processes;  // each once
  std::vector<Sample> samples;    // by timestamp; of processes that worked
  bool sampled = false;           // false: the driver tells no samples
};

// Where the node's GPUs are seen through: NVML, a machine profile that simulates them, or nothing.
//
// Thread-safe; every call may block for as long as the driver does (a second and more), so none is
// made under a lock. Errors are one sentence; UNAVAILABLE = there is no driver (now), and nothing
// that was said of cards before holds any more.
class GpuBackend {
 public:
  virtual ~GpuBackend() = default;

  // "nvml", "simulated", "none".
  virtual std::string_view name() const = 0;
  // All cards, their links and their device nodes.
  virtual Result<Machine> Look() = 0;
  // Waits for events up to `timeout`; returns early with what has come, and empty at the time-out.
  // An error ends nothing: call again later.
  virtual Result<std::vector<GpuEvent>> WaitForEvents(std::chrono::milliseconds timeout) = 0;
  virtual Result<std::vector<CardCheck>> CheckCards() = 0;
  virtual Result<CardFigures> Figures(std::string_view uuid) = 0;
  // The same without gauges, for those who look several times a second: it waits for no other call,
  // and for its own at most about two seconds (DEADLINE_EXCEEDED). Samples are those after
  // `since_us`. UNIMPLEMENTED: this back end can't tell.
  virtual Result<CardWork> Work(std::string_view uuid, std::uint64_t since_us) {
    static_cast<void>(uuid);
    static_cast<void>(since_us);
    return Status(StatusCode::kUnimplemented, "this back end tells no work of processes");
  }
  // Lets go of the driver, so that it can be unloaded (an upgrade); the next Look takes it again.
  virtual void Release() = 0;
};

}  // namespace aliquot::agent
