// SPDX-License-Identifier: Apache-2.0
#include "observability/repeat_limiter.h"

namespace aliquot::observability {

RepeatLimiter::Answer RepeatLimiter::Ask(std::string_view key) {
  const SteadyTime now = clock_.SteadyNow();
  MutexLock lock(mutex_);
  auto found = windows_.find(key);
  if (found == windows_.end()) {
    if (windows_.size() >= kMaxKeys) windows_.clear();
    found = windows_.emplace(std::string(key), Window{now, 0, 0}).first;
  }
  Window& window = found->second;
  if (now - window.start >= window_) {
    window.start = now;
    window.let_through = 0;
  }
  if (window.let_through >= burst_) {
    ++window.suppressed;
    return {};
  }
  ++window.let_through;
  Answer answer{true, window.suppressed};
  window.suppressed = 0;
  return answer;
}

}  // namespace aliquot::observability
