// SPDX-License-Identifier: Apache-2.0
#include "interposer/context_memory.h"

#include "interposer/cards.h"
#include "interposer/memory_calls.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuDevicePrimaryCtxGetState, (CUdevice, unsigned*, int*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDevicePrimaryCtxRetain, (CUcontext*, CUdevice));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice device));

namespace aliquot::interposer {
namespace {

constexpr AllocationKind kOfContexts[] = {AllocationKind::kPointer, AllocationKind::kArray,
                                          AllocationKind::kMipmap};

struct Marking {
  std::uint64_t from;
  std::uint64_t to;
};

Fate Mark(Allocation& entry, void* context) {
  const Marking& marking = *static_cast<Marking*>(context);
  if (entry.flags == 0 && entry.other == marking.from) {
    entry.other = marking.to;
  }
  return Fate::kKeep;
}

struct Sweep {
  std::uint64_t mark;
  std::uint64_t bytes[quota::kMaxCards];
};

Fate Take(Allocation& entry, void* context) {
  Sweep& sweep = *static_cast<Sweep*>(context);
  if (entry.flags != 0 || entry.other != sweep.mark) {
    return Fate::kKeep;
  }
  sweep.bytes[entry.card] += entry.bytes;
  return Fate::kRemove;
}

void MarkAll(Marking marking) {
  for (const AllocationKind kind : kOfContexts) {
    Allocations().ChangeAll(kind, Mark, &marking);
  }
}

}  // namespace

ContextMemoryEnd::ContextMemoryEnd(CUcontext context)
    : handle_(reinterpret_cast<std::uint64_t>(context)) {
  ForgetContextPlaces();
  if (handle_ != 0) {
    MarkAll({handle_, handle_ + 1});
  }
}

void ContextMemoryEnd::Ended(bool ended) {
  ForgetContextPlaces();  // again: a thread may have asked in between
  if (handle_ == 0) {
    return;
  }
  if (!ended) {
    MarkAll({handle_ + 1, handle_});
    return;
  }
  Sweep sweep{handle_ + 1, {}};
  for (const AllocationKind kind : kOfContexts) {
    Allocations().ChangeAll(kind, Take, &sweep);
  }
  for (int card = 0; card < CardCount(); ++card) {
    Refund(card, sweep.bytes[card]);
    SettlePools(card);
  }
}

bool PrimaryContextIsActive(CUdevice device) {
  unsigned flags = 0;
  int active = 0;
  return ALIQUOT_REAL(cuDevicePrimaryCtxGetState)(device, &flags, &active) == CUDA_SUCCESS &&
         active != 0;
}

CUcontext PrimaryContextOf(CUdevice device) {
  CUcontext context = nullptr;
  if (!PrimaryContextIsActive(device) ||
      ALIQUOT_REAL(cuDevicePrimaryCtxRetain)(&context, device) != CUDA_SUCCESS) {
    return nullptr;
  }
  ALIQUOT_REAL(cuDevicePrimaryCtxRelease_v2)(device);
  return context;
}

}  // namespace aliquot::interposer
