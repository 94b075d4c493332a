// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_events.h"

#include <algorithm>
#include <utility>

namespace aliquot::agent {
namespace {

using nvml::Return;

constexpr std::chrono::milliseconds kStep = std::chrono::seconds(1);
// Events taken in one go; a card that fails can send them without end.
constexpr int kMaxEvents = 256;

bool HasEvents(const nvml::Functions& functions) {
  return functions.event_set_create != nullptr && functions.event_set_free != nullptr &&
         functions.register_events != nullptr && functions.event_set_wait != nullptr;
}

}  // namespace

std::shared_ptr<NvmlEvents> NvmlEvents::Register(std::shared_ptr<NvmlSession> session,
                                                 const std::vector<NvmlCard>& cards) {
  std::shared_ptr<NvmlEvents> events(new NvmlEvents(std::move(session)));
  if (!cards.empty()) {
    events->RegisterCards(cards);
  }
  return events;
}

void NvmlEvents::RegisterCards(const std::vector<NvmlCard>& cards) {
  const nvml::Functions& functions = session_->functions();
  if (!HasEvents(functions)) {
    notes_.emplace_back(
        "this driver tells no events, so an XID error is not seen; install a newer "
        "NVIDIA driver");
    return;
  }
  if (Return r = functions.event_set_create(&set_); r != Return::kSuccess) {
    set_ = nullptr;
    notes_.push_back("no events of any card are seen: " +
                     session_->library()->Error(r, "nvmlEventSetCreate").message());
    return;
  }
  for (const NvmlCard& each : cards) {
    RegisterCard(each);
  }
}

NvmlEvents::~NvmlEvents() {
  if (set_ != nullptr) {
    session_->functions().event_set_free(set_);
  }
}

void NvmlEvents::RegisterCard(const NvmlCard& card) {
  const nvml::Functions& functions = session_->functions();
  unsigned long long wanted = nvml::kEventXidCritical | nvml::kEventDoubleBitEcc;
  unsigned long long supported = 0;
  if (functions.supported_events != nullptr &&
      functions.supported_events(card.handle, &supported) == Return::kSuccess) {
    wanted &= supported;
  }
  const Return answer =
      wanted == 0 ? Return::kNotSupported : functions.register_events(card.handle, wanted, set_);
  if (answer != Return::kSuccess) {
    notes_.push_back(card.card.uuid + " tells no events, so its XID errors are not seen: " +
                     session_->library()->Error(answer, "nvmlDeviceRegisterEvents").message());
    return;
  }
  uuids_.emplace(card.handle, card.card.uuid);
}

bool NvmlEvents::Translate(const nvml::EventData& data, GpuEvent& event) const {
  if ((data.type & nvml::kEventXidCritical) != 0) {
    event.kind = GpuEvent::Kind::kXid;
    event.code = data.data;
  } else if ((data.type & nvml::kEventDoubleBitEcc) != 0) {
    event.kind = GpuEvent::Kind::kEccDouble;
    event.code = 0;
  } else {
    return false;
  }
  const auto found = uuids_.find(data.device);
  event.uuid = found == uuids_.end() ? "" : found->second;
  return true;
}

std::vector<GpuEvent> NvmlEvents::WithThoseWaiting(const nvml::EventData& first) const {
  std::vector<GpuEvent> events;
  nvml::EventData data = first;
  for (int taken = 0; taken < kMaxEvents; ++taken) {
    GpuEvent event;
    if (Translate(data, event)) {
      events.push_back(std::move(event));
    }
    data = {};
    if (session_->functions().event_set_wait(set_, &data, 0) != Return::kSuccess) {
      break;
    }
  }
  return events;
}

Result<std::vector<GpuEvent>> NvmlEvents::Wait(std::chrono::milliseconds timeout) {
  if (uuids_.empty()) {
    session_->stop().SleepFor(timeout);
    return std::vector<GpuEvent>();
  }
  std::chrono::milliseconds left = timeout;
  do {
    const std::chrono::milliseconds step = std::min(left, kStep);
    nvml::EventData data = {};
    const Return answer =
        session_->functions().event_set_wait(set_, &data, static_cast<unsigned>(step.count()));
    if (answer == Return::kSuccess) {
      return WithThoseWaiting(data);
    }
    if (answer != Return::kTimeout) {
      return session_->library()->Error(answer, "nvmlEventSetWait_v2");
    }
    left -= step;
  } while (left.count() > 0 && !session_->stop().IsSet());
  return std::vector<GpuEvent>();
}

}  // namespace aliquot::agent
