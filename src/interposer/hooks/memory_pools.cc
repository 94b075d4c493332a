// SPDX-License-Identifier: Apache-2.0
// Pools themselves: which card one takes memory from, and what its end or a trim gives back. A pool
// that another process exported is charged there.
#include "interposer/memory_calls.h"

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(CUresult, cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps* properties)) {
  const ours::HookScope scope;
  const CUresult result = ALIQUOT_REAL(cuMemPoolCreate)(pool, properties);
  if (scope.outermost() && result == CUDA_SUCCESS && ours::Enforced()) {
    ours::PoolCreated(*pool, *properties);
  }
  return result;
}

ALIQUOT_HOOK(CUresult, cuMemPoolImportFromShareableHandle,
             (CUmemoryPool * pool, void* handle, int type, unsigned long long flags)) {
  const ours::HookScope scope;
  const CUresult result =
      ALIQUOT_REAL(cuMemPoolImportFromShareableHandle)(pool, handle, type, flags);
  if (scope.outermost() && result == CUDA_SUCCESS && ours::Enforced()) {
    ours::PoolImported(*pool);
  }
  return result;
}

ALIQUOT_HOOK(CUresult, cuMemPoolDestroy, (CUmemoryPool pool)) {
  const ours::HookScope scope;
  const auto driver = ALIQUOT_REAL(cuMemPoolDestroy);
  return scope.outermost() && ours::Enforced() ? ours::DestroyPool(pool, driver) : driver(pool);
}

ALIQUOT_HOOK(CUresult, cuMemPoolTrimTo, (CUmemoryPool pool, std::size_t keep)) {
  const ours::HookScope scope;
  const CUresult result = ALIQUOT_REAL(cuMemPoolTrimTo)(pool, keep);
  if (scope.outermost() && result == CUDA_SUCCESS && ours::Enforced()) {
    ours::SettlePool(ours::KeyOf(pool));
  }
  return result;
}
