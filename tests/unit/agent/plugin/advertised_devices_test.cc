// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/advertised_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Unhealthy(const AdvertisedList& list) {
  std::vector<std::string> ids;
  for (const AdvertisedDevice& device : list.devices) {
    if (!device.healthy) ids.push_back(device.id);
  }
  return ids;
}

TEST(AdvertisedDevicesTest, IdsAreThePrefixAndNumbersFromZero) {
  const AdvertisedList list = AdvertisedDevices("c", 3, 3, {});
  EXPECT_THAT(list.devices, ElementsAre(AdvertisedDevice{"c0", true}, AdvertisedDevice{"c1", true},
                                        AdvertisedDevice{"c2", true}));
  EXPECT_EQ(list.note, "");
}

TEST(AdvertisedDevicesTest, ANodeWithoutCardsAdvertisesNothing) {
  EXPECT_THAT(AdvertisedDevices("c", 0, 0, {}).devices, IsEmpty());
  EXPECT_THAT(AdvertisedDevices("c", -5, 3, {}).devices, IsEmpty());
}

TEST(AdvertisedDevicesTest, UnhealthyOnesAreTheHighestThatNobodyHolds) {
  // 6 in all, 4 healthy: two of c5, c4, c3, ... are unhealthy; c5 and c3 are held, so c4 and c2.
  EXPECT_THAT(Unhealthy(AdvertisedDevices("c", 6, 4, {"c5", "c3"})), ElementsAre("c2", "c4"));
}

TEST(AdvertisedDevicesTest, WhereTooFewAreFreeHeldOnesAreUnhealthyToo) {
  // 4 in all, 1 healthy: three unhealthy, only c0 and c1 free; then the highest held one, c3.
  EXPECT_THAT(Unhealthy(AdvertisedDevices("c", 4, 1, {"c3", "c2"})), ElementsAre("c0", "c1", "c3"));
}

TEST(AdvertisedDevicesTest, ForeignIdsInUseChangeNothing) {
  EXPECT_THAT(Unhealthy(AdvertisedDevices("c", 3, 2, {"m2", "c02", "c9", "", "core-002"})),
              ElementsAre("c2"));
}

TEST(AdvertisedDevicesTest, PastTheLimitTheRestIsLeftOutWithANote) {
  // 16 cards of 288 GiB: 16 * 1152 = 18432 units; one card lost: 17280 healthy.
  const AdvertisedList list = AdvertisedDevices("m", 18432, 17280, {});
  EXPECT_EQ(list.devices.size(), 16384u);
  EXPECT_EQ(list.devices.back().id, "m16383");
  EXPECT_THAT(Unhealthy(list), IsEmpty());
  EXPECT_THAT(list.note, HasSubstr("18432"));
  EXPECT_THAT(list.note, HasSubstr("16384"));
}

TEST(AdvertisedDevicesTest, HealthyIsExactlyAsToldForAnySetInUse) {
  const std::uint32_t seed = std::random_device()();
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t total = random() % 300;
    const std::int64_t healthy = total == 0 ? 0 : random() % (total + 1);
    std::vector<std::string> in_use;
    for (std::int64_t i = 0; i < total; ++i) {
      if (random() % 2 == 0) in_use.push_back("c" + std::to_string(i));
    }
    const AdvertisedList list = AdvertisedDevices("c", total, healthy, in_use);
    ASSERT_EQ(static_cast<std::int64_t>(list.devices.size()), total) << "seed " << seed;
    const std::vector<std::string> unhealthy = Unhealthy(list);
    ASSERT_EQ(static_cast<std::int64_t>(unhealthy.size()), total - healthy) << "seed " << seed;
    // A held one is unhealthy only if no free one is healthy.
    const std::size_t free = static_cast<std::size_t>(total) - in_use.size();
    const auto held_unhealthy =
        std::count_if(unhealthy.begin(), unhealthy.end(), [&](const std::string& id) {
          return std::find(in_use.begin(), in_use.end(), id) != in_use.end();
        });
    if (unhealthy.size() <= free) {
      ASSERT_EQ(held_unhealthy, 0) << "seed " << seed;
    }
  }
}

TEST(AdvertisedNumberTest, OnlyTheCanonicalFormHasANumber) {
  EXPECT_EQ(AdvertisedNumber("c", "c0"), 0);
  EXPECT_EQ(AdvertisedNumber("c", "c16383"), 16383);
  for (const char* id : {"c16384", "c01", "c-1", "c", "m1", "1", "", "c1 ", "C1", "c1x"}) {
    EXPECT_EQ(AdvertisedNumber("c", id), -1) << id;
  }
}

}  // namespace
}  // namespace aliquot::agent
