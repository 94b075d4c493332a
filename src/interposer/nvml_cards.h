// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interposer/nvml_types.h"

// Which of NVML's cards are the container's. Nothing is kept between calls: NVML may be closed and
// opened again, and what it shows may change. Thread-safe. Pre for all: Enforced(), and the call is
// the outermost one of its thread (these ask the driver).

namespace aliquot::interposer {

inline constexpr int kMostNvmlCards = 64;

// The cards that NVML shows inside, in the order of their PCI addresses (CUDA's order too, since
// the agent sets CUDA_DEVICE_ORDER=PCI_BUS_ID). A card that the driver has lost has no handle, only
// the driver's answer.
struct ShownCards {
  int count;
  nvmlDevice_t handle[kMostNvmlCards];
  nvmlReturn_t answer[kMostNvmlCards];
};

// How the driver enumerates: NVML has an old and a new way.
struct DriverCards {
  nvmlReturn_t (*count)(unsigned*);
  nvmlReturn_t (*handle)(unsigned, nvmlDevice_t*);
};

// Not NVML_SUCCESS: the driver does not enumerate, and says why.
nvmlReturn_t ListShownCards(const DriverCards& driver, ShownCards& shown);

// The card of the record that a handle is; -1 for another's card or a part of a card (MIG).
int CardOfHandle(nvmlDevice_t device);
// Whether the container may see the card, or the part of a card, behind a handle.
bool BelongsHere(nvmlDevice_t device);
// Keeps what belongs here at the front of a list; returns how many.
unsigned KeepOwn(nvmlDevice_t* devices, unsigned count);

// The card whose memory and time are shown as a share of it; -1 where the driver's own figures are
// right: no enforcement, another's card, or a card that is the container's alone.
int SharedCard(nvmlDevice_t device);

}  // namespace aliquot::interposer
