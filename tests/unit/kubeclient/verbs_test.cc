// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/verbs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace aliquot::kubeclient {
namespace {

TEST(ApiVerbs, EachIsNamedOnce) {
  for (const ApiVerb& verb : kApiVerbs) {
    EXPECT_EQ(std::count(kApiVerbs.begin(), kApiVerbs.end(), verb), 1)
        << verb.verb << " " << verb.resource << "/" << verb.subresource;
  }
}

TEST(ApiVerbs, NothingThatDeletesOrEscalates) {
  for (const ApiVerb& verb : kApiVerbs) {
    EXPECT_NE(verb.verb, "delete");
    EXPECT_NE(verb.verb, "*");
    EXPECT_NE(verb.resource, "secrets");
    EXPECT_TRUE(verb.resource != "nodes" || verb.verb == "list" || verb.verb == "watch");
  }
}

}  // namespace
}  // namespace aliquot::kubeclient
