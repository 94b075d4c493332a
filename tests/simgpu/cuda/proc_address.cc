// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/proc_address.h"

#include <cstring>

#include "tests/simgpu/cuda/driver.h"

namespace aliquot::simgpu {
namespace {

constexpr int kNewest = 1'000'000;

// The newest row of the name that the version may have; per-thread ones first when asked for. The
// newer function tells by its status alone that there is none (the driver 535 does so).
CUresult Look(const char* symbol, void** function, int version, cuuint64_t flags, bool newer,
              int driver_version, CUdriverProcAddressQueryResult* status) {
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const ProcAddress* plain = nullptr;
  const ProcAddress* own = nullptr;
  bool known = false;
  for (int i = 0; i < kProcAddressCount; ++i) {
    const ProcAddress& row = kProcAddresses[i];
    if (std::strcmp(row.name, symbol) == 0 && row.version <= driver_version) {
      known = true;
      if (row.version <= version) {
        (row.per_thread ? own : plain) = &row;
      }
    }
  }
  const ProcAddress* const row = per_thread && own != nullptr ? own : plain;
  *function = row == nullptr ? nullptr : row->address;
  if (status != nullptr) {
    *status = row != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : known        ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                             : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return row != nullptr || newer ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult Ask(const Entry& entry, const char* symbol, void** function, int version, cuuint64_t flags,
             bool newer, CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr || flags > 3) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Driver& driver = entry.driver();
  if (driver.world == nullptr) {
    driver.world = WorldFile::Open();
  }
  // A driver has what there was in its time, however new the version that is asked for.
  const int most = driver.world == nullptr ? kNewest : driver.world->layout().cuda_version;
  return Look(symbol, function, version, flags, newer, most, status);
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  SIM_ENTER(kNothing);
  return Ask(entry, symbol, function, version, flags, false, nullptr);
}

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  SIM_ENTER(kNothing);
  return Ask(entry, symbol, function, version, flags, true, status);
}
