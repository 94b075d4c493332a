// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_backend.h"

#include <algorithm>
#include <utility>

#include "agent/gpu/nvml_core.h"
#include "agent/gpu/nvml_lane.h"

namespace aliquot::agent {
namespace {

// A driver that hangs must not keep the agent from ending in time.
constexpr std::chrono::milliseconds kEndLimit = std::chrono::seconds(3);
// Asked several times a second; an answer that comes later is of no use.
constexpr std::chrono::milliseconds kWorkLimit = std::chrono::seconds(2);

// Every call runs on a lane: one for the wait for events, one for Work, one for all others. What a
// call holds is let go of on its lane, since the last holder of a session calls into the driver.
class NvmlBackend final : public GpuBackend {
 public:
  explicit NvmlBackend(NvmlOptions options)
      : core_(std::make_shared<NvmlCore>(std::move(options))) {}
  ~NvmlBackend() override { LetGo(std::min(core_->options().call_limit, kEndLimit)); }

  std::string_view name() const override { return "nvml"; }

  Result<Machine> Look() override {
    return calls_.Run<Machine>("reading the cards", core_->options().look_limit,
                               [core = core_] { return core->Look(); });
  }

  Result<std::vector<GpuEvent>> WaitForEvents(std::chrono::milliseconds timeout) override {
    std::shared_ptr<NvmlEvents> events = core_->events();
    if (events == nullptr) {
      core_->WaitForSession(timeout);
      return std::vector<GpuEvent>();
    }
    Result<std::vector<GpuEvent>> told = waits_.Run<std::vector<GpuEvent>>(
        "waiting for events", timeout + core_->options().call_limit,
        [held = std::move(events), timeout] { return held->Wait(timeout); });
    if (!told.ok() && told.status().code() == StatusCode::kUnavailable) {
      Release();
    }
    return told;
  }

  Result<std::vector<CardCheck>> CheckCards() override {
    return calls_.Run<std::vector<CardCheck>>("checking the cards", core_->options().call_limit,
                                              [core = core_] { return core->Check(); });
  }

  Result<CardFigures> Figures(std::string_view uuid) override {
    return calls_.Run<CardFigures>(
        "reading a card's figures", core_->options().call_limit,
        [core = core_, asked = std::string(uuid)] { return core->Figures(asked); });
  }

  Result<CardWork> Work(std::string_view uuid, std::uint64_t since_us) override {
    return work_.Run<CardWork>("reading a card's processes",
                               std::min(core_->options().call_limit, kWorkLimit),
                               [core = core_, asked = std::string(uuid), since_us] {
                                 return core->Work(asked, since_us);
                               });
  }

  void Release() override { LetGo(core_->options().call_limit); }

 private:
  void LetGo(std::chrono::milliseconds limit) {
    std::shared_ptr<const NvmlOpen> open = core_->Forget();
    if (open == nullptr) {
      return;
    }
    const std::shared_ptr<NvmlSessionEnd> end = open->session->end();
    // A lane that hangs keeps the session itself and ends it when it comes back.
    const Result<bool> closed = calls_.Run<bool>(
        "letting go of the driver", limit, [held = std::move(open)] { return held != nullptr; });
    if (closed.ok()) {
      end->WaitFor(limit);
    }
  }

  const std::shared_ptr<NvmlCore> core_;
  NvmlLane calls_;
  NvmlLane waits_;
  NvmlLane work_;
};

}  // namespace

std::unique_ptr<GpuBackend> MakeNvmlBackend(NvmlOptions options) {
  return std::make_unique<NvmlBackend>(std::move(options));
}

}  // namespace aliquot::agent
