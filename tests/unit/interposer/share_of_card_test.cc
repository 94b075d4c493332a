// SPDX-License-Identifier: Apache-2.0

// The rules together, on a simulated card in simulated time: what each share gets over ten seconds,
// from its second second on.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/interposer/simulated_card.h"

namespace aliquot::interposer {
namespace {

constexpr std::uint64_t kUs = 1'000;
constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;

struct Workload {
  std::uint32_t percent;
  std::uint64_t kernel_ns;
};

std::vector<SimulatedShare> SharesOf(const std::vector<Workload>& workloads, bool waits) {
  std::vector<SimulatedShare> shares(workloads.size());
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Workload workload = workloads[i];
    shares[i].percent = [workload](std::uint64_t) { return workload.percent; };
    shares[i].next_kernel_ns = [workload](std::uint64_t) { return workload.kernel_ns; };
    shares[i].waits_for_each = waits;
    shares[i].guaranteed = workload.percent;
  }
  return shares;
}

// Percent of the card that each got over ten seconds.
std::vector<double> Got(std::vector<SimulatedShare>& shares) {
  SimulatedCard card(shares);
  const std::uint64_t begin = card.now() + kSecond;
  card.RunUntil(begin);
  std::vector<double> got(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    got[i] = -static_cast<double>(card.RunNs(i));
  }
  card.RunUntil(begin + 10 * kSecond);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    got[i] = (got[i] + static_cast<double>(card.RunNs(i))) / (10.0 * kSecond) * 100;
  }
  return got;
}

void ExpectShares(const std::vector<Workload>& workloads, bool waits) {
  auto shares = SharesOf(workloads, waits);
  const std::vector<double> got = Got(shares);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    EXPECT_NEAR(got[i], workloads[i].percent, 2.0)
        << workloads.size() << " shares, kernels of " << workloads[i].kernel_ns / kUs << " us, "
        << (waits ? "each waited for" : "queued");
  }
}

class ShareOfCardTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ShareOfCardTest, ALoneShareGetsItsPercent) {
  for (const std::uint32_t percent : {10U, 20U, 50U, 80U}) {
    ExpectShares({{percent, GetParam()}}, false);
  }
}

TEST_P(ShareOfCardTest, ALoneShareThatWaitsForEachKernelGetsItsPercent) {
  for (const std::uint32_t percent : {10U, 20U, 50U}) {
    ExpectShares({{percent, GetParam()}}, true);
  }
}

TEST_P(ShareOfCardTest, TwoSharesGetTheirPercent) {
  ExpectShares({{30, GetParam()}, {50, GetParam()}}, false);
  ExpectShares({{30, GetParam()}, {50, GetParam()}}, true);
}

TEST_P(ShareOfCardTest, FiveSharesGetTheirPercent) {
  const std::uint64_t kernel = GetParam();
  ExpectShares({{10, kernel}, {10, kernel}, {20, kernel}, {20, kernel}, {30, kernel}}, false);
}

INSTANTIATE_TEST_SUITE_P(Kernels, ShareOfCardTest,
                         ::testing::Values(10 * kUs, 100 * kUs, 1 * kMs, 10 * kMs, 100 * kMs));

TEST(MixedShareOfCardTest, SmallKernelsAreNotStarvedByLongOnes) {
  ExpectShares({{50, 10 * kUs}, {40, 100 * kMs}}, false);
  ExpectShares({{20, 1 * kMs}, {70, 100 * kMs}}, false);
}

TEST(MixedShareOfCardTest, OneFunctionThatTakesAsLongAsItsArgumentsSayIsHeldToo) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  auto shares = SharesOf({{20, kMs}}, false);
  shares[0].next_kernel_ns = [&random](std::uint64_t) {
    constexpr std::uint64_t kLengths[] = {10 * kUs, 1 * kMs, 10 * kMs};
    return kLengths[random() % 3];
  };
  EXPECT_NEAR(Got(shares)[0], 20.0, 4.0);
}

TEST(MixedShareOfCardTest, WithoutTheAgentNoShareOfEqualKernelsTakesMoreThanItsOwn) {
  for (const std::uint64_t kernel : {10 * kUs, 1 * kMs, 100 * kMs}) {
    auto shares = SharesOf({{20, kernel}, {50, kernel}}, false);
    for (SimulatedShare& share : shares) {
      share.corrected = false;
    }
    const std::vector<double> got = Got(shares);
    EXPECT_LE(got[0], 22.0);
    EXPECT_LE(got[1], 52.0);
  }
}

TEST(MixedShareOfCardTest, AChangedShareHoldsWithinASecond) {
  auto shares = SharesOf({{80, 1 * kMs}}, false);
  const std::uint64_t change = 5 * kSecond;
  shares[0].percent = [change](std::uint64_t now) { return now < change ? 80U : 20U; };
  SimulatedCard card(shares);
  card.RunUntil(change + kSecond);
  const std::uint64_t before = card.RunNs(0);
  card.RunUntil(change + 3 * kSecond);
  EXPECT_NEAR(static_cast<double>(card.RunNs(0) - before) / (2.0 * kSecond) * 100, 20.0, 2.0);
}

TEST(MixedShareOfCardTest, ALoneShareThatMayUseAllLosesNothing) {
  for (const std::uint64_t kernel : {10 * kUs, 1 * kMs, 100 * kMs}) {
    auto shares = SharesOf({{100, kernel}}, false);
    shares[0].guaranteed = 10;
    EXPECT_GE(Got(shares)[0], 98.0) << kernel / kUs << " us";
  }
}

TEST(MixedShareOfCardTest, WhatIsBorrowedIsBackWithinASecondOfQueuedWork) {
  // 50 % of another begins at 5 s, and the borrower is told at once: what it had queued may delay
  // the other, but not for a second.
  auto shares = SharesOf({{50, 10 * kMs}, {50, 10 * kMs}}, false);
  const std::uint64_t begin = 5 * kSecond;
  shares[0].percent = [begin](std::uint64_t now) { return now < begin ? 100U : 50U; };
  shares[1].next_kernel_ns = [begin](std::uint64_t now) {
    return now < begin ? std::uint64_t{0} : 10 * kMs;
  };
  SimulatedCard card(shares);
  card.RunUntil(begin + kSecond);
  const std::uint64_t before = card.RunNs(1);
  card.RunUntil(begin + 3 * kSecond);
  EXPECT_GE(static_cast<double>(card.RunNs(1) - before) / (2.0 * kSecond) * 100, 48.0);
}

}  // namespace
}  // namespace aliquot::interposer
