// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace aliquot::http {

// Bytes that the bodies now being received may take, over all connections of a server. Thread-safe.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes) : left_(bytes) {}

  // False, and nothing taken, when fewer bytes are left.
  bool Reserve(std::size_t bytes) {
    std::size_t left = left_.load(std::memory_order_relaxed);
    while (left >= bytes) {
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void Release(std::size_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> left_;
};

}  // namespace aliquot::http
