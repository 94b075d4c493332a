// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Names and order of cards. Pure; no function allocates or calls the C library.

namespace aliquot::interposer {

inline constexpr std::size_t kUuidBytes = 16;

// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" (either case) as 16 bytes. False: it is no such text.
bool ReadUuid(const char* text, std::uint8_t* uuid);

// What NVML shows in the container is chosen from what the driver shows.
struct CardCandidate {
  void* handle;         // null: the driver gives none
  unsigned answer;      // why not, NVML's number; 0 with a handle
  int card;             // of the record; -1: another's, or unknown for want of a handle
  std::uint64_t place;  // PCI domain, bus, device; unused without a handle
};

// Keeps the cards of a record of `record_cards`, in the order of their places, at the front, and
// returns how many. A card that the driver cannot name, for another reason than `no_permission`, is
// kept while one of the record's is missing (it may be that one, and its numbers must not move when
// it fails), behind the candidate that came before it.
int ArrangeCards(CardCandidate* candidates, int count, int record_cards, unsigned no_permission);

}  // namespace aliquot::interposer
