// SPDX-License-Identifier: Apache-2.0
#include "topology/link.h"

#include <gtest/gtest.h>

namespace aliquot::topology {
namespace {

TEST(ParseLink, ReadsEveryWordAndWritesItAgain) {
  for (const char* word :
       {"NV1", "NV12", "NV18", "NV36", "C2C", "PIX", "PXB", "PHB", "NODE", "SYS"}) {
    const Result<Link> link = ParseLink(word);
    ASSERT_TRUE(link.ok()) << word;
    EXPECT_EQ(FormatLink(*link), word);
  }
}

TEST(ParseLink, BondedNvlinksAddUp) {
  // 25 GB/s a link: NV1 25, NV2 50, NV18 450.
  EXPECT_EQ(ParseLink("NV1")->gbps, 25);
  EXPECT_EQ(ParseLink("NV2")->gbps, 50);
  EXPECT_EQ(ParseLink("NV18")->gbps, 450);
  EXPECT_EQ(ParseLink("NV18")->nvlinks, 18);
}

TEST(ParseLink, ClassesGetSlowerInTheirOrder) {
  const char* order[] = {"NV1", "PIX", "PXB", "PHB", "NODE", "SYS"};
  for (std::size_t i = 1; i < std::size(order); ++i) {
    EXPECT_LT(ParseLink(order[i])->gbps, ParseLink(order[i - 1])->gbps) << order[i];
  }
}

TEST(ParseLink, SocIsTheOlderNameOfSys) {
  EXPECT_EQ(ParseLink("SOC")->link_class, LinkClass::kSys);
  EXPECT_EQ(FormatLink(*ParseLink("SOC")), "SYS");
}

TEST(ParseLink, RefusesWhatIsNoLinkClassAndNamesIt) {
  for (const char* word : {"", "NV", "NV0", "NV37", "NV-1", "NV1.5", "nv1", "sys", "SYSSYS", "X",
                           "NV99999999999999999999"}) {
    const Result<Link> link = ParseLink(word);
    ASSERT_FALSE(link.ok()) << word;
    EXPECT_EQ(link.status().message(), "link is \"" + std::string(word) +
                                           "\", not a link class; use NV1 to NV36, C2C, PIX, PXB, "
                                           "PHB, NODE or SYS");
  }
}

}  // namespace
}  // namespace aliquot::topology
