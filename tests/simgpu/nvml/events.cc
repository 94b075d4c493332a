// SPDX-License-Identifier: Apache-2.0
// Events: those of the state file with a number above all that were there at the registration.
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "tests/simgpu/nvml/exports.h"
#include "tests/simgpu/nvml/world.h"

struct aliquot::agent::nvml::EventSetHandle {
  std::map<std::string, unsigned long long> wanted;  // UUID -> kinds of event
  std::uint64_t seen = 0;                            // number of the last one delivered
  int watch = -1;                                    // inotify on the state file's folder
};

namespace aliquot::simgpu {
namespace {

using Clock = std::chrono::steady_clock;

unsigned long long KindOf(const Event& event) {
  return event.ecc_double ? nvml::kEventDoubleBitEcc : nvml::kEventXidCritical;
}

bool Wants(const nvml::EventSetHandle& set, const Event& event) {
  if (event.card.empty()) {
    return !set.wanted.empty();
  }
  const auto found = set.wanted.find(event.card);
  return found != set.wanted.end() && (found->second & KindOf(event)) != 0;
}

// The next event of the set; false when there is none.
bool Take(const Call& call, nvml::EventSetHandle& set, EventData* data) {
  for (const Event& event : call.machine().events) {
    if (event.sequence <= set.seen || !Wants(set, event)) {
      continue;
    }
    set.seen = event.sequence;
    *data = {};
    for (std::size_t i = 0; i < call.machine().cards.size(); ++i) {
      if (call.machine().cards[i].uuid == event.card) {
        data->device = HandleOf(i);
      }
    }
    data->type = KindOf(event);
    data->data = event.xid;
    return true;
  }
  return false;
}

// Sleeps until something happens in the folder.
void AwaitChange(int watch, int timeout_ms) {
  struct pollfd wanted = {watch, POLLIN, 0};
  if (poll(&wanted, 1, timeout_ms) > 0) {
    char bytes[4096];
    while (read(watch, bytes, sizeof(bytes)) > 0) {
    }
  }
}

}  // namespace

Return nvmlEventSetCreate(EventSet* set) {
  const Call call("nvmlEventSetCreate");
  if (!call.ok()) {
    return call.answer();
  }
  auto* made = new nvml::EventSetHandle;
  for (const Event& event : call.machine().events) {
    made->seen = std::max(made->seen, event.sequence);
  }
  const std::string& path = call.state_path();
  made->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  const std::size_t slash = path.rfind('/');
  if (made->watch >= 0 && slash != std::string::npos) {
    inotify_add_watch(made->watch, path.substr(0, slash).c_str(),
                      IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE);
  }
  *set = made;
  return Return::kSuccess;
}

Return nvmlEventSetFree(EventSet set) {
  if (set == nullptr) {
    return Return::kInvalidArgument;
  }
  if (set->watch >= 0) {
    close(set->watch);
  }
  delete set;
  return Return::kSuccess;
}

Return nvmlDeviceGetSupportedEventTypes(Device device, unsigned long long* kinds) {
  const Call call("nvmlDeviceGetSupportedEventTypes", device);
  if (call.ok()) {
    *kinds = nvml::kEventXidCritical | nvml::kEventDoubleBitEcc;
  }
  return call.answer();
}

Return nvmlDeviceRegisterEvents(Device device, unsigned long long kinds, EventSet set) {
  const Call call("nvmlDeviceRegisterEvents", device);
  if (call.ok()) {
    set->wanted[call.card().uuid] |= kinds;
  }
  return call.answer();
}

Return nvmlEventSetWait_v2(EventSet set, EventData* data, unsigned timeout_ms) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    {
      const Call call("nvmlEventSetWait_v2");
      if (!call.ok()) {
        return call.answer();
      }
      if (Take(call, *set, data)) {
        return Return::kSuccess;
      }
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return Return::kTimeout;
    }
    AwaitChange(set->watch, static_cast<int>(left));
  }
}

}  // namespace aliquot::simgpu
