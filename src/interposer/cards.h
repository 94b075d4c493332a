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
// The device of a card, or -1 while CUDA does not show it.
CUdevice DeviceOfCard(int card);

}  // namespace aliquot::interposer
