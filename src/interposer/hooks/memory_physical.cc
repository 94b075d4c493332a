// SPDX-License-Identifier: Apache-2.0
// Physical memory that is mapped by hand: charged when it is created on a card, given back when
// neither a handle nor a mapping refers to it any more, in whatever order they go. What another
// process exported is charged there; memory of the host and multicast objects are not touched.
#include "interposer/memory_calls.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuMemRelease, (CUmemGenericAllocationHandle handle));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuMemMap,
                        (CUdeviceptr address, std::size_t size, std::size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags));

namespace aliquot::interposer {
namespace {

// An entry of the kind kPhysical: `count` = handles, `other` = mappings.
struct Step {
  int handles;
  int mappings;
  Allocation entry;  // as it became
  bool gone;
};

Fate Apply(Allocation& entry, void* context) {
  Step& step = *static_cast<Step*>(context);
  entry.count += static_cast<std::uint32_t>(step.handles);
  entry.other += static_cast<std::uint64_t>(step.mappings);
  step.entry = entry;
  step.gone = entry.count == 0 && entry.other == 0;
  return step.gone ? Fate::kRemove : Fate::kKeep;
}

// A handle that is not in the table is not charged.
Step Refer(CUmemGenericAllocationHandle handle, int handles, int mappings) {
  Step step{handles, mappings, {}, false};
  Allocations().Change(AllocationKind::kPhysical, handle, Apply, &step);
  return step;
}

CUresult Release(CUmemGenericAllocationHandle handle) {
  const auto real = ALIQUOT_REAL(cuMemRelease);
  Allocation known{};
  if (!Allocations().Find(AllocationKind::kPhysical, handle, known) || known.count == 0) {
    return real(handle);
  }
  // First, since the driver may give the handle's number to another thread at once.
  const Step step = Refer(handle, -1, 0);
  const CUresult result = real(handle);
  if (result == CUDA_SUCCESS) {
    if (step.gone) {
      Refund(step.entry.card, step.entry.bytes);
    }
  } else if (step.gone) {
    Allocation again = step.entry;
    again.count = 1;
    Allocations().Remember(again);
  } else {
    Refer(handle, 1, 0);
  }
  return result;
}

void DropMapping(CUmemGenericAllocationHandle handle) {
  const Step step = Refer(handle, 0, -1);
  if (step.gone) {
    Refund(step.entry.card, step.entry.bytes);
  }
}

CUresult Map(CUdeviceptr address, std::size_t size, std::size_t offset,
             CUmemGenericAllocationHandle handle, unsigned long long flags) {
  const auto real = ALIQUOT_REAL(cuMemMap);
  Allocation known{};
  const bool charged = Allocations().Find(AllocationKind::kPhysical, handle, known);
  if (charged) {
    Refer(handle, 0, 1);  // first, so that a release meanwhile does not give the bytes back
  }
  const CUresult result = real(address, size, offset, handle, flags);
  if (result != CUDA_SUCCESS) {
    if (charged) {
      DropMapping(handle);
    }
    return result;
  }
  // Strangers too: their lengths lead from one mapping of a range to the next. Without memory for
  // the entry the bytes stay charged until the process ends.
  Allocations().Remember(
      {AllocationKind::kMapping, known.card, 0, charged ? 1U : 0U, address, size, handle});
  return result;
}

// The range may hold several mappings. The program chose the addresses, so no other thread maps
// there before this call has returned.
void Unmapped(CUdeviceptr address, std::size_t size) {
  const CUdeviceptr end = address + size;
  Allocation mapping{};
  while (address < end && Allocations().Forget(AllocationKind::kMapping, address, mapping)) {
    if (mapping.count != 0) {
      DropMapping(mapping.other);
    }
    address += mapping.bytes;
  }
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(CUresult, cuMemCreate,
             (CUmemGenericAllocationHandle * handle, std::size_t size,
              const CUmemAllocationProp* properties, unsigned long long flags)) {
  const ours::HookScope scope;
  const auto driver = [&] { return ALIQUOT_REAL(cuMemCreate)(handle, size, properties, flags); };
  if (handle == nullptr || properties == nullptr || !scope.outermost() || !ours::Enforced()) {
    return driver();
  }
  const ours::Place place{ours::CardOfLocation(properties->location), nullptr};
  return ours::AllocateAt(
      place, ours::AllocationKind::kPhysical, size, driver,
      [&] {
        return ours::Described{*handle, size};
      },
      [&] { ours::Release(*handle); });
}

ALIQUOT_HOOK(CUresult, cuMemRelease, (CUmemGenericAllocationHandle handle)) {
  const ours::HookScope scope;
  return scope.outermost() && ours::Enforced() ? ours::Release(handle)
                                               : ALIQUOT_REAL(cuMemRelease)(handle);
}

ALIQUOT_HOOK(CUresult, cuMemMap,
             (CUdeviceptr address, std::size_t size, std::size_t offset,
              CUmemGenericAllocationHandle handle, unsigned long long flags)) {
  const ours::HookScope scope;
  return scope.outermost() && ours::Enforced()
             ? ours::Map(address, size, offset, handle, flags)
             : ALIQUOT_REAL(cuMemMap)(address, size, offset, handle, flags);
}

ALIQUOT_HOOK(CUresult, cuMemUnmap, (CUdeviceptr address, std::size_t size)) {
  const ours::HookScope scope;
  const CUresult result = ALIQUOT_REAL(cuMemUnmap)(address, size);
  if (scope.outermost() && result == CUDA_SUCCESS && ours::Enforced()) {
    ours::Unmapped(address, size);
  }
  return result;
}

ALIQUOT_HOOK(CUresult, cuMemRetainAllocationHandle,
             (CUmemGenericAllocationHandle * handle, void* address)) {
  const ours::HookScope scope;
  const CUresult result = ALIQUOT_REAL(cuMemRetainAllocationHandle)(handle, address);
  if (scope.outermost() && result == CUDA_SUCCESS && ours::Enforced()) {
    ours::Refer(*handle, 1, 0);
  }
  return result;
}

// An import that the driver answers with a handle of this process's own is one more handle of it.
ALIQUOT_HOOK(CUresult, cuMemImportFromShareableHandle,
             (CUmemGenericAllocationHandle * handle, void* shared, int type)) {
  const ours::HookScope scope;
  const CUresult result = ALIQUOT_REAL(cuMemImportFromShareableHandle)(handle, shared, type);
  if (scope.outermost() && result == CUDA_SUCCESS && ours::Enforced()) {
    ours::Refer(*handle, 1, 0);
  }
  return result;
}
