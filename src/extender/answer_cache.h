// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/string_map.h"

namespace aliquot::extender {

// A filter reply and what it came to, for the log and the metrics.
struct FilterAnswer {
  std::string body;
  bool fits = false;   // some node holds the pod
  std::string reason;  // the commonest refusal; "" when it fits
  // It fits nowhere, on some node only because no single card holds it.
  bool in_sum_only = false;
};

// The latest filter answer of each pod. A rejected pod is filtered again at every change of any pod
// or node, and at once after its own condition was written; most of those calls find nothing new.
//
// One answer a pod, kept while its key stands; the least recently used go first once the answers
// take more than `capacity_bytes`. Thread-safe.
class AnswerCache {
 public:
  struct Key {
    std::string_view uid;
    std::uint64_t generation = 0;  // of the ledger
    std::uint64_t question =
        0;  // hash of the names asked about, in order, and of what the pod asks for
  };

  explicit AnswerCache(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  // nullptr when there is none for exactly this key.
  std::shared_ptr<const FilterAnswer> Find(const Key& key);
  void Store(const Key& key, std::shared_ptr<const FilterAnswer> answer);

  std::size_t bytes() const;

 private:
  struct Item {
    std::uint64_t generation = 0;
    std::uint64_t question = 0;
    std::shared_ptr<const FilterAnswer> answer;
    std::list<std::string>::iterator use;
  };

  void Erase(std::string_view uid) REQUIRES(mutex_);

  const std::size_t capacity_bytes_;
  mutable Mutex mutex_;
  StringMap<Item> items_ GUARDED_BY(mutex_);
  std::list<std::string> uses_ GUARDED_BY(mutex_);  // least recent first
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace aliquot::extender
