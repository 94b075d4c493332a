// SPDX-License-Identifier: Apache-2.0
#include "interposer/hook.h"

#include "interposer/cuda_types.h"
#include "interposer/driver.h"
#include "interposer/name_table.h"
#include "interposer/text.h"

namespace aliquot::interposer {
namespace {

constexpr int kNvmlLibraryNotFound = 12;
constexpr int kNvmlFunctionNotFound = 13;

// What answers for a function that cannot be called. Arguments are left alone.
CUresult NoDevice() { return CUDA_ERROR_NO_DEVICE; }
CUresult NotFound() { return CUDA_ERROR_NOT_FOUND; }
int NvmlNoLibrary() { return kNvmlLibraryNotFound; }
int NvmlNoFunction() { return kNvmlFunctionNotFound; }

// The functions that do not answer with a code: a program prints what they say.
const char* NvmlText(int) { return "NVML was not found"; }
CUresult CudaText(CUresult, const char** text) {
  if (text == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *text = "no CUDA driver was found";
  return CUDA_SUCCESS;
}

template <typename T>
void* Address(T* function) {
  return reinterpret_cast<void*>(function);
}

void* StandIn(const char* name) {
  if (Equal(name, "nvmlErrorString")) {
    return Address(NvmlText);
  }
  const bool library = DriverHandle(name) != nullptr;
  if (IsNvmlName(name)) {
    return library ? Address(NvmlNoFunction) : Address(NvmlNoLibrary);
  }
  if (!library && (Equal(name, "cuGetErrorString") || Equal(name, "cuGetErrorName"))) {
    return Address(CudaText);
  }
  return library ? Address(NotFound) : Address(NoDevice);
}

}  // namespace

void* ResolveFunction(void** slot, const char* name) {
  void* const found = DriverFunction(name);
  if (found == nullptr) {
    return StandIn(name);
  }
  __atomic_store_n(slot, found, __ATOMIC_RELEASE);
  return found;
}

}  // namespace aliquot::interposer

// For a stub whose slot is empty: where to jump.
extern "C" ALIQUOT_HIDDEN void* aliquot_resolve_row(unsigned row) {
  using namespace aliquot::interposer;
  const int known = static_cast<int>(row);
  return ResolveFunction(RowSlot(known), RowName(known));
}
