// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "agent/gpu/backend.h"

namespace aliquot::agent {

// A node without a driver: every answer is UNAVAILABLE with one sentence that says so. Thread-safe.
class NoneBackend final : public GpuBackend {
 public:
  // `why` is that sentence.
  explicit NoneBackend(std::string why =
                           "this node's agent is configured without GPUs (gpu.backend "
                           "is none)")
      : why_(std::move(why)) {}

  std::string_view name() const override { return "none"; }
  Result<Machine> Look() override { return Unavailable(why_); }
  // Waits the time out, so that a caller's loop does not spin.
  Result<std::vector<GpuEvent>> WaitForEvents(std::chrono::milliseconds timeout) override;
  Result<std::vector<CardCheck>> CheckCards() override { return Unavailable(why_); }
  Result<CardFigures> Figures(std::string_view) override { return Unavailable(why_); }
  void Release() override {}

 private:
  const std::string why_;
};

}  // namespace aliquot::agent
