// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include "access/access_answer.h"
#include "base/clock.h"

namespace aliquot::access {

// What the API server said of a token and a path, for a short time: a right that is taken away
// works on for as long as a yes is kept. Keyed by a hash that is salted anew in each process, so
// that no token lies in memory past its request. Bounded; refusals and permissions have room of
// their own, so that a flood of bad tokens pushes out no good one. Not thread-safe.
class AccessCache {
 public:
  struct Limits {
    std::chrono::milliseconds allowed{60000};
    std::chrono::milliseconds refused{10000};
    std::size_t entries = 256;  // of each kind
  };
  using Key = std::array<unsigned char, 32>;

  AccessCache();  // the default limits
  explicit AccessCache(Limits limits);

  Key KeyOf(std::string_view token, std::string_view path) const;
  std::optional<AccessAnswer> Find(const Key& key, SteadyTime now) const;
  // Keeps yes, 401 and 403. What only says that nobody could be asked is not kept.
  void Keep(const Key& key, const AccessAnswer& answer, SteadyTime now);
  std::size_t size() const { return allowed_.size() + refused_.size(); }

 private:
  struct Entry {
    AccessAnswer answer;
    SteadyTime until;
  };
  using Entries = std::map<Key, Entry>;

  const Limits limits_;
  Key salt_;
  Entries allowed_;
  Entries refused_;
};

}  // namespace aliquot::access
