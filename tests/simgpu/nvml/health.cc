// SPDX-License-Identifier: Apache-2.0
// Memory that has gone bad: since Ampere rows are remapped, before that pages were retired.
#include "tests/simgpu/nvml/exports.h"
#include "tests/simgpu/nvml/world.h"

namespace aliquot::simgpu {

Return nvmlDeviceGetRemappedRows(Device device, unsigned* correctable, unsigned* uncorrectable,
                                 unsigned* pending, unsigned* failed) {
  const Call call("nvmlDeviceGetRemappedRows", device);
  if (!call.ok()) {
    return call.answer();
  }
  if (call.card().cc_major < 8) {
    return Return::kNotSupported;
  }
  *correctable = 0;
  *pending = call.card().uncorrectable_pending ? 1 : 0;
  *failed = call.card().remap_failed ? 1 : 0;
  *uncorrectable = *pending + *failed;
  return Return::kSuccess;
}

Return nvmlDeviceGetRetiredPagesPendingStatus(Device device, EnableState* pending) {
  const Call call("nvmlDeviceGetRetiredPagesPendingStatus", device);
  if (!call.ok()) {
    return call.answer();
  }
  if (call.card().cc_major >= 8) {
    return Return::kNotSupported;
  }
  *pending = call.card().uncorrectable_pending ? EnableState::kEnabled : EnableState::kDisabled;
  return Return::kSuccess;
}

}  // namespace aliquot::simgpu
