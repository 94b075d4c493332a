// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Memory of the container's cards: charged before the driver is asked, settled after. The rule is
// src/quota/charge.h's; this is the process's side of it.

namespace aliquot::interposer {

// Bytes asked for and not settled yet. Ends by Commit, or takes them back. On one thread; costs
// next to nothing where the card has no limit. No driver call inside.
class MemoryCharge {
 public:
  // card < 0, or a card without a limit: always admitted, still counted where there is a card.
  MemoryCharge(int card, std::uint64_t bytes);
  ~MemoryCharge();
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

  // False: over the limit. Unless a second try is admitted it is counted as denied.
  bool admitted() const { return admitted_; }
  // Once more, after something was given back.
  bool TryAgain();
  // And for less. Pre: it was not admitted.
  bool TryLess(std::uint64_t bytes);
  // The driver gave `bytes` (padding may make them more than asked for; what is above the limit
  // then is held all the same, since the driver has given it).
  void Commit(std::uint64_t bytes);

 private:
  const int card_;
  std::uint64_t bytes_;
  bool admitted_ = false;
  bool settled_ = false;
};

// What was committed and is given back. Never more than this process holds.
void Refund(int card, std::uint64_t bytes);

// Of the whole container: bytes held now, overhead included. What processes that are gone left is
// cleared first. May ask the driver what its pools hold.
std::uint64_t HeldBytes(int card);

// Bytes that the driver gave without being asked for them by a charge: held, above the limit or
// not.
void Hold(int card, std::uint64_t bytes);

// Total and free bytes as the container sees a card of which the driver says these; the one rule
// for cuMemGetInfo, cuDeviceTotalMem and NVML.
struct MemoryView {
  std::uint64_t total;
  std::uint64_t free;
};
MemoryView ViewOf(int card, std::uint64_t driver_total, std::uint64_t driver_free);

}  // namespace aliquot::interposer
