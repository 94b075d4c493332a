// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_checks.h"

namespace aliquot::agent {
namespace {

using nvml::Return;

// Notes what an answer says of the card itself; UNAVAILABLE when it is not about the card.
Status Judge(const NvmlLibrary& library, Return answer, std::string_view function,
             CardCheck& check) {
  if (answer == Return::kGpuIsLost) {
    check.present = false;
  } else if (answer == Return::kResetRequired) {
    check.uncorrectable_pending = true;
  } else if (answer != Return::kSuccess) {
    Status status = library.Error(answer, function);
    if (status.code() == StatusCode::kUnavailable) {
      return status;
    }
  }
  return Status::Ok();
}

}  // namespace

Result<CardCheck> CheckNvmlCard(NvmlSession& session, nvml::Device device,
                                const std::string& uuid) {
  const nvml::Functions& functions = session.functions();
  const NvmlLibrary& library = *session.library();
  CardCheck check;
  check.uuid = uuid;
  // The memory is asked of the card itself; a UUID would come from NVML's own books.
  nvml::Memory memory = {};
  Status status =
      Judge(library, functions.memory(device, &memory), "nvmlDeviceGetMemoryInfo", check);
  if (status.ok() && functions.remapped_rows != nullptr) {
    unsigned correctable = 0;
    unsigned uncorrectable = 0;
    unsigned pending = 0;
    unsigned failed = 0;
    const Return answer =
        functions.remapped_rows(device, &correctable, &uncorrectable, &pending, &failed);
    status = Judge(library, answer, "nvmlDeviceGetRemappedRows", check);
    if (answer == Return::kSuccess) {
      check.uncorrectable_pending |= pending != 0;
      check.remap_failed |= failed != 0;
    }
  }
  if (status.ok() && functions.retired_pages_pending != nullptr) {
    auto pending = nvml::EnableState::kDisabled;
    const Return answer = functions.retired_pages_pending(device, &pending);
    status = Judge(library, answer, "nvmlDeviceGetRetiredPagesPendingStatus", check);
    if (answer == Return::kSuccess) {
      check.uncorrectable_pending |= pending == nvml::EnableState::kEnabled;
    }
  }
  if (!status.ok()) {
    return status;
  }
  return check;
}

}  // namespace aliquot::agent
