// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tests/simgpu/world/layout.h"

// The cards' engines: pure arithmetic on the layout, under its mutex. A card does one item at a
// time, taking the contexts in turn; an item runs to its end, or for a slice when slices are set.
// Nothing happens by itself: whoever wants to know brings the cards up to date first.

namespace aliquot::simgpu {

// Brings a card to the time `now`; never back.
void AdvanceCard(WorldLayout& world, int card, std::uint64_t now);
// Virtual time: up to the end of the item, and the clock with it. Pre: virtual_clock.
void AdvanceUntilDone(WorldLayout& world, int queue, std::uint64_t item);

// Appends work at `now`; its number. Pre: HasRoom.
std::uint64_t Submit(WorldLayout& world, int queue, std::uint32_t stream, std::uint64_t duration,
                     std::uint64_t now);
bool HasRoom(const QueueLayout& queue);
// Items of a stream that are not done.
std::uint32_t Pending(const QueueLayout& queue, std::uint32_t stream);
inline bool Done(const QueueLayout& queue, std::uint64_t item) { return item < queue.first; }
// When a done item ended; 0 when nobody remembers.
std::uint64_t FinishedAt(const QueueLayout& queue, std::uint64_t item);
// GPU time that must at least pass before the item is done.
std::uint64_t WorkUntil(const QueueLayout& queue, std::uint64_t item);

// -1 when there is none left.
int OpenQueue(WorldLayout& world, int process, int card);
// What is in it is dropped; a kernel that runs ends here.
void CloseQueue(WorldLayout& world, int queue);

}  // namespace aliquot::simgpu
