// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/hook.h"
#include "interposer/launch_events.h"

// What every hook of a launch does around the driver's own function: waits until the container's
// share of the card allows it, counts it, and times some. Costs a counter where the card is the
// container's alone, and nothing where launches are being captured into a graph: what is captured
// runs later, by a graph launch that is paced itself.
//
// No lock is held while the driver is called; a wait is a sleep in slices, in which limits are read
// again. Thread-safe.

namespace aliquot::interposer {

// The driver's handles of the two default streams. A function takes 0 for one of them; its `_ptsz`
// form for the other.
inline CUstream LegacyStream(CUstream stream) { return stream; }
inline CUstream PerThreadStream(CUstream stream) {
  return stream != nullptr ? stream : reinterpret_cast<CUstream>(std::uintptr_t{2});
}

struct LaunchShape {
  const void* what;  // function or executable graph
  std::uint64_t grid[3];
  CUstream stream;  // by LegacyStream or PerThreadStream
  bool timeable;    // two events around it change nothing but a little time
};

// One launch; Begin waits, End settles by what the driver said.
class PacedLaunch {
 public:
  explicit PacedLaunch(const LaunchShape& shape);
  void End(CUresult result);
  PacedLaunch(const PacedLaunch&) = delete;
  PacedLaunch& operator=(const PacedLaunch&) = delete;

 private:
  bool IsPrepaid();
  void PayAhead(std::uint64_t now_ns);
  void Go(const LaunchShape& shape, std::uint64_t now_ns);
  std::uint64_t Wait(std::uint64_t now_ns);
  ShareNow Share() const;

  int card_ = -1;  // -1 = nothing to settle
  CUstream stream_ = nullptr;
  LaunchState* state_ = nullptr;
  LaunchCost* cost_ = nullptr;
  LaunchSample* sample_ = nullptr;
  LaunchBook book_{};
  ShareNow share_{};
  std::uint64_t charged_ns_ = 0;
};

// `launch` calls the driver's function.
template <typename Launch>
CUresult Paced(const LaunchShape& shape, Launch launch) {
  const HookScope scope;
  if (!scope.outermost()) {
    return launch();
  }
  PacedLaunch paced(shape);
  const CUresult result = launch();
  paced.End(result);
  return result;
}

}  // namespace aliquot::interposer
