// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interposer/cuda_types.h"

// Which card of the container's record a device of the driver is. The driver numbers what it sees
// (CUDA_VISIBLE_DEVICES, its own order), the record names UUIDs: answers are found by UUID once and
// kept. Thread-safe. -1: no card of the record. Pre for all: Enforced().

namespace aliquot::interposer {

int CardOfDevice(CUdevice device);
// Of the calling thread's context; -1 without one.
int CardOfCurrentContext();

struct ContextPlace {
  CUdevice device;  // -1: no such context
  int card;
};
// Any context of this process, current or not. Each thread keeps the last answer, so that this
// costs no call of the driver's.
ContextPlace PlaceOfContext(CUcontext context);
// A context ends or has ended: what threads keep is asked for anew, since the next one may get the
// same address.
void ForgetContextPlaces();
// The device of a card, or -1 while CUDA does not show it.
CUdevice DeviceOfCard(int card);

}  // namespace aliquot::interposer
