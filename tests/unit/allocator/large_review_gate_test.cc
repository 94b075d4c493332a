// SPDX-License-Identifier: Apache-2.0
#include "allocator/large_review_gate.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace aliquot::allocator {
namespace {

constexpr std::size_t kLarge = LargeReviewGate::kLargeBytes + 1;

admission::ReviewReply Answer() { return {}; }

// Runs `innermost` while `large` large reviews are being handled.
admission::ReviewReply Beside(LargeReviewGate& gate, int large,
                              const std::function<admission::ReviewReply()>& innermost) {
  if (large == 0) {
    return innermost();
  }
  return gate.Run(kLarge, [&] { return Beside(gate, large - 1, innermost); });
}

TEST(LargeReviewGate, AsManyLargeReviewsAsAllowedAndNotOneMore) {
  LargeReviewGate gate;
  const auto large = [&] { return gate.Run(kLarge, Answer); };
  EXPECT_EQ(Beside(gate, LargeReviewGate::kMostAtATime - 1, large).status, 200);
  const admission::ReviewReply refused = Beside(gate, LargeReviewGate::kMostAtATime, large);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body, "too many large reviews are being handled; try again later");
  EXPECT_EQ(refused.outcome, admission::ReviewOutcome::kUnreadable);
  EXPECT_EQ(large().status, 200) << "the others have ended";
}

TEST(LargeReviewGate, ReviewsOfUsualSizeAlwaysPass) {
  LargeReviewGate gate;
  const auto usual = [&] { return gate.Run(LargeReviewGate::kLargeBytes, Answer); };
  EXPECT_EQ(Beside(gate, LargeReviewGate::kMostAtATime, usual).status, 200);
}

TEST(LargeReviewGate, AHandlerThatThrowsLeavesItsPlace) {
  LargeReviewGate gate;
  for (int i = 0; i <= LargeReviewGate::kMostAtATime; ++i) {
    EXPECT_THROW(
        gate.Run(kLarge, []() -> admission::ReviewReply { throw std::runtime_error("x"); }),
        std::runtime_error);
  }
  EXPECT_EQ(gate.Run(kLarge, Answer).status, 200);
}

}  // namespace
}  // namespace aliquot::allocator
