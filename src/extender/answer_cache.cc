// SPDX-License-Identifier: Apache-2.0
#include "extender/answer_cache.h"

#include <utility>

namespace aliquot::extender {
namespace {

// What an entry costs besides its reply: two copies of the UID and the containers' own nodes.
constexpr std::size_t kEntryBytes = 256;

std::size_t BytesOf(const FilterAnswer& answer) {
  return answer.body.size() + answer.reason.size() + kEntryBytes;
}

}  // namespace

std::shared_ptr<const FilterAnswer> AnswerCache::Find(const Key& key) {
  MutexLock lock(mutex_);
  const auto found = items_.find(key.uid);
  if (found == items_.end()) {
    return nullptr;
  }
  const Item& item = found->second;
  if (item.generation != key.generation || item.question != key.question) {
    return nullptr;
  }
  uses_.splice(uses_.end(), uses_, item.use);
  return item.answer;
}

void AnswerCache::Store(const Key& key, std::shared_ptr<const FilterAnswer> answer) {
  const std::size_t bytes = BytesOf(*answer);
  MutexLock lock(mutex_);
  Erase(key.uid);
  if (bytes > capacity_bytes_) {
    return;
  }
  while (bytes_ + bytes > capacity_bytes_) {
    Erase(std::string(uses_.front()));
  }
  uses_.emplace_back(key.uid);
  items_[uses_.back()] =
      Item{key.generation, key.question, std::move(answer), std::prev(uses_.end())};
  bytes_ += bytes;
}

void AnswerCache::Erase(std::string_view uid) {
  const auto found = items_.find(uid);
  if (found == items_.end()) {
    return;
  }
  bytes_ -= BytesOf(*found->second.answer);
  uses_.erase(found->second.use);
  items_.erase(found);
}

std::size_t AnswerCache::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace aliquot::extender
