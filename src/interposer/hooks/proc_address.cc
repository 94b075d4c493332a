// SPDX-License-Identifier: Apache-2.0
#include "interposer/proc_address.h"

#include <cstdint>

#include "interposer/cuda_types.h"
#include "interposer/hook.h"

// cuGetProcAddress in its two interfaces (CUDA 11.3 with four arguments, 12.0 with five). The
// driver chooses the function, by its own rules for name, version and stream flags; only what it
// answered is replaced. Asked for itself it answers with the interface that fits the version, and
// so do we. cuGetExportTable has no hook: its tables are the driver's affair.

using aliquot::interposer::HookOfAddress;

namespace {

CUresult Replaced(CUresult result, void** function) {
  if (result == CUDA_SUCCESS && function != nullptr) {
    *function = HookOfAddress(*function);
  }
  return result;
}

}  // namespace

ALIQUOT_HOOK(CUresult, cuGetProcAddress,
             (const char* symbol, void** function, int version, std::uint64_t flags)) {
  return Replaced(ALIQUOT_REAL(cuGetProcAddress)(symbol, function, version, flags), function);
}

ALIQUOT_HOOK(CUresult, cuGetProcAddress_v2,
             (const char* symbol, void** function, int version, std::uint64_t flags, int* status)) {
  return Replaced(ALIQUOT_REAL(cuGetProcAddress_v2)(symbol, function, version, flags, status),
                  function);
}

ALIQUOT_HOOK(CUresult, cuGetProcAddress_v2_ptsz,
             (const char* symbol, void** function, int version, std::uint64_t flags, int* status)) {
  return Replaced(ALIQUOT_REAL(cuGetProcAddress_v2_ptsz)(symbol, function, version, flags, status),
                  function);
}
