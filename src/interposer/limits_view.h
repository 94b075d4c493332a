// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "quota/limits_record.h"

// The limits record as one process sees it: mapped read-only, checked, followed when it is
// replaced. All zero is a view that is not open yet. Thread-safe once it is open; nothing blocks.
//
// The record's own part is copied when it is read. A new record is taken only when it names the
// same cards in the same order, since what was charged is counted by their places; the live values
// are read in place, and a read that meets a write gives the values before.

namespace aliquot::interposer {

enum class LimitsAnswer {
  kAbsent,
  kNotNow,   // the process has no descriptor or no memory left for it just now
  kDamaged,  // FaultOf says how
  kNotOurs,  // somebody else holds the container to its share
  kEnforced,
};

class LimitsView {
 public:
  LimitsAnswer Open(const char* path);
  // Looks whether the file at `path` is another one by now, and takes that.
  void Follow(const char* path);

  quota::LimitsFault fault() const { return fault_; }
  int cards() const { return cards_; }
  const std::uint8_t* uuid(int card) const { return card_[card].uuid; }
  std::uint64_t memory_bytes(int card) const;  // ~0 = the whole card
  std::uint32_t guaranteed_percent(int card) const;
  quota::LiveCard live(int card);

 private:
  struct Card {
    std::uint8_t uuid[16];
    std::uint64_t memory_bytes;
    std::uint32_t core_percent;
    // the last whole read of the live values
    std::uint32_t core_now;
    std::uint64_t expires_ns;
    std::uint64_t overhead_bytes;
    std::int64_t busy_correction_ns;
  };

  bool SameCards(const quota::LimitsRecord& record) const;
  void Take(const quota::LimitsRecord& record);

  const quota::LimitsRecord* record_;
  quota::LimitsFault fault_;
  std::uint32_t following_;
  dev_t device_;
  ino_t inode_;
  int cards_;
  Card card_[quota::kMaxCards];
};

}  // namespace aliquot::interposer
