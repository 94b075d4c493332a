// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/none_backend.h"

#include <thread>

namespace aliquot::agent {

Result<std::vector<GpuEvent>> NoneBackend::WaitForEvents(std::chrono::milliseconds timeout) {
  std::this_thread::sleep_for(timeout);
  return Unavailable(why_);
}

}  // namespace aliquot::agent
