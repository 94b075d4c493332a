// SPDX-License-Identifier: Apache-2.0
#include "allocator/large_review_gate.h"

#include <malloc.h>

namespace aliquot::allocator {
namespace {

admission::ReviewReply TooMany() {
  admission::ReviewReply reply;
  reply.status = 503;
  reply.body = "too many large reviews are being handled; try again later";
  reply.outcome = admission::ReviewOutcome::kUnreadable;
  reply.reason = reply.body;
  return reply;
}

// Counts one more for its life; also when a handler throws.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count), before_(count.fetch_add(1)) {}
  ~Counted() { count_.fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  int before() const { return before_; }

 private:
  std::atomic<int>& count_;
  const int before_;
};

}  // namespace

admission::ReviewReply LargeReviewGate::Run(std::size_t body_bytes,
                                            const std::function<admission::ReviewReply()>& handle) {
  if (body_bytes <= kLargeBytes) {
    return handle();
  }
  const Counted counted(running_);
  if (counted.before() >= kMostAtATime) {
    return TooMany();
  }
  admission::ReviewReply reply = handle();
  // The C library keeps freed memory per thread, and a large tree's for ever.
  malloc_trim(0);
  return reply;
}

}  // namespace aliquot::allocator
