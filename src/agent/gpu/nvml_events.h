// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/gpu/backend.h"
#include "agent/gpu/nvml_card.h"
#include "agent/gpu/nvml_session.h"
#include "base/status.h"

namespace aliquot::agent {

// The events of a session's cards: critical XIDs and uncorrectable ECC errors. Only what happens
// after the registration is told. Wait may run in one thread at a time, the rest is immutable.
class NvmlEvents {
 public:
  // Registers every card. A card without events, or a library that knows none, is in notes().
  static std::shared_ptr<NvmlEvents> Register(std::shared_ptr<NvmlSession> session,
                                              const std::vector<NvmlCard>& cards);
  ~NvmlEvents();
  NvmlEvents(const NvmlEvents&) = delete;
  NvmlEvents& operator=(const NvmlEvents&) = delete;

  const std::vector<std::string>& notes() const { return notes_; }
  // What has come, at once; else waits up to `timeout` in steps of a second, since only so it sees
  // that the session is to end. Without any card registered it sleeps.
  Result<std::vector<GpuEvent>> Wait(std::chrono::milliseconds timeout);

 private:
  explicit NvmlEvents(std::shared_ptr<NvmlSession> session) : session_(std::move(session)) {}

  void RegisterCards(const std::vector<NvmlCard>& cards);
  void RegisterCard(const NvmlCard& card);
  // True: `event` is one of ours.
  bool Translate(const nvml::EventData& data, GpuEvent& event) const;
  std::vector<GpuEvent> WithThoseWaiting(const nvml::EventData& first) const;

  const std::shared_ptr<NvmlSession> session_;
  nvml::EventSet set_ = nullptr;
  std::map<nvml::Device, std::string> uuids_;  // of registered cards
  std::vector<std::string> notes_;
};

}  // namespace aliquot::agent
