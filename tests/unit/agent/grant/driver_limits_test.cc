// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/driver_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {
namespace {

using testing::HasSubstr;

// A node that can.
class DriverLimits : public testing::Test {
 protected:
  DriverLimits() {
    machine_.driver = "615.10";
    machine_.memory_limits = true;
    vendor_.memory_limits = {{"GPU-a", {}}, {"GPU-b", {}}};
    driver_.way = DriverDelivery::Way::kCdi;
  }
  std::string Problem(const std::vector<GrantedCard>& cards, bool cgroup_v2 = true) {
    driver_.vendor = std::make_shared<const VendorEdits>(vendor_);
    return DriverLimitsProblem(cards, machine_, driver_, cgroup_v2);
  }

  Machine machine_;
  VendorEdits vendor_;
  DriverDelivery driver_;
  const std::vector<GrantedCard> cards_{{"GPU-a", 0, 30, 4096}, {"GPU-b", 1, 30, 4096}};
};

TEST_F(DriverLimits, CanBeHadWhereDriverToolkitAndNodeDo) { EXPECT_EQ(Problem(cards_), ""); }

TEST_F(DriverLimits, WhatIsMissingIsNamed) {
  EXPECT_EQ(Problem(cards_, false),
            "needs control groups of version 2, which this node does not have");
  EXPECT_THAT(Problem({{"GPU-c", 2, 30, 4096}}),
              HasSubstr("the hook apply-cuda-memory-limits for card GPU-c"));
  EXPECT_THAT(Problem({{"GPU-a", 0, 30, 4096}, {"GPU-b", 1, 30, 2048}}),
              HasSubstr("the same amount of memory on each card"));
  driver_.way = DriverDelivery::Way::kMirror;
  EXPECT_THAT(Problem(cards_), HasSubstr("needs driver.delivery: cdi"));
  machine_.memory_limits = false;
  EXPECT_THAT(Problem(cards_), HasSubstr("R615 or later), and this node's is 615.10"));
}

}  // namespace
}  // namespace aliquot::agent
