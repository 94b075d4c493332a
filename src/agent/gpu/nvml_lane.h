// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace aliquot::agent {

// Runs calls into the driver on a thread of its own, one at a time, and gives up waiting for one
// that hangs: a driver in trouble can keep a call for ever, and nothing ends such a thread.
//
// While a call hangs, later ones fail after their own limit; once it comes back, all is as before.
// So there is never more than one hung thread a lane. The thread starts with the first call and
// sleeps between calls. Thread-safe; no Run may be in progress when the lane is destroyed. The
// thread of a call that still hangs then is left behind with what the call holds, so a call holds
// only what may outlive its caller.
class NvmlLane {
 public:
  NvmlLane();
  ~NvmlLane();
  NvmlLane(const NvmlLane&) = delete;
  NvmlLane& operator=(const NvmlLane&) = delete;

  // `what` names the call in the error: "reading the cards". DEADLINE_EXCEEDED: it has not ended
  // after `limit`; it may still end, and what it returns is dropped.
  template <typename T>
  Result<T> Run(std::string_view what, std::chrono::milliseconds limit,
                std::function<Result<T>()> call) {
    auto answer = std::make_shared<std::optional<Result<T>>>();
    Status ended =
        RunAndWait(what, limit, [answer, run = std::move(call)] { answer->emplace(run()); });
    if (!ended.ok()) {
      return ended;
    }
    return std::move(**answer);
  }

 private:
  struct Shared;

  Status RunAndWait(std::string_view what, std::chrono::milliseconds limit,
                    std::function<void()> call);

  const std::shared_ptr<Shared> shared_;
};

}  // namespace aliquot::agent
