// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/grant_name.h"

#include <gtest/gtest.h>

#include <set>

#include "agent/grant/refusal.h"

namespace aliquot::agent {
namespace {

// printf 'c0,c1' | sha256sum = 0547201a83ca699d429ef379385cdce8 53c828c29df1a317587e8978614fe222
TEST(GrantName, IsTheFirstDigitsOfTheDigestOfTheSortedIds) {
  EXPECT_EQ(GrantName({"c0", "c1"}), "g0547201a83ca699d429ef379385cdce8");
  EXPECT_EQ(GrantName({"c1", "c0"}), "g0547201a83ca699d429ef379385cdce8");
}

// printf 'c10,c2' | sha256sum: sorted as text, not as numbers
TEST(GrantName, SortsIdsAsText) {
  EXPECT_EQ(GrantName({"c2", "c10"}), "g16e7c9aa316c7898822f084c2a4014cc");
}

TEST(RefusalName, EachReasonHasItsOwn) {
  std::set<std::string_view> names;
  for (const RefusalReason reason : kAllRefusalReasons) {
    names.insert(RefusalName(reason));
  }
  EXPECT_EQ(names, (std::set<std::string_view>{
                       "no_allocation", "wrong_node", "wrong_pod", "size_mismatch", "pod_deleting",
                       "card_busy", "card_unhealthy", "no_driver_delivery", "bad_signature",
                       "record_version", "ids_in_use", "not_synced", "isolation", "storage"}));
}

}  // namespace
}  // namespace aliquot::agent
