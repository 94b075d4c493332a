// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "admission/handlers.h"

namespace aliquot::allocator {

// Bounds the memory that the admission listener, which asks nobody for a certificate, can be made
// to take: a review is handled as a tree of up to 20 times its text. Reviews as they come in
// everyday life, some 10 KiB, always pass; of large ones only few are handled at a time, and what
// they took is given back to the system. Thread-safe.
class LargeReviewGate {
 public:
  static constexpr std::size_t kLargeBytes = std::size_t{256} << 10;
  static constexpr int kMostAtATime = 2;

  // What `handle` answers, or status 503 with one sentence.
  admission::ReviewReply Run(std::size_t body_bytes,
                             const std::function<admission::ReviewReply()>& handle);

 private:
  std::atomic<int> running_{0};
};

}  // namespace aliquot::allocator
