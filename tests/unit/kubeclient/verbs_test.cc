// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/verbs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace aliquot::kubeclient {
namespace {

template <typename Table>
void ExpectEachOnce(const Table& table) {
  for (const ApiVerb& verb : table) {
    EXPECT_EQ(std::count(table.begin(), table.end(), verb), 1)
        << verb.verb << " " << verb.resource << "/" << verb.subresource;
  }
}

template <typename Table>
void ExpectNothingThatDeletesOrEscalates(const Table& table) {
  for (const ApiVerb& verb : table) {
    EXPECT_NE(verb.verb, "delete");
    EXPECT_NE(verb.verb, "*");
    EXPECT_NE(verb.resource, "secrets");
  }
}

TEST(ApiVerbs, EachIsNamedOnceInAProgramsTable) {
  ExpectEachOnce(kAllocatorVerbs);
  ExpectEachOnce(kAgentVerbs);
  ExpectEachOnce(kCommandLineVerbs);
}

TEST(ApiVerbs, NothingThatDeletesOrEscalates) {
  ExpectNothingThatDeletesOrEscalates(kAllocatorVerbs);
  ExpectNothingThatDeletesOrEscalates(kAgentVerbs);
  ExpectNothingThatDeletesOrEscalates(kCommandLineVerbs);
}

TEST(ApiVerbs, TheAllocatorWritesNoNode) {
  for (const ApiVerb& verb : kAllocatorVerbs) {
    EXPECT_TRUE(verb.resource != "nodes" || verb.verb == "list" || verb.verb == "watch");
  }
}

TEST(ApiVerbs, TheAgentWritesNoPod) {
  for (const ApiVerb& verb : kAgentVerbs) {
    EXPECT_TRUE(verb.resource != "pods" || verb.verb == "get" || verb.verb == "list" ||
                verb.verb == "watch");
  }
}

TEST(ApiVerbs, TheCommandLineChangesNothing) {
  for (const ApiVerb& verb : kCommandLineVerbs) {
    EXPECT_TRUE(verb.verb == "get" || verb.verb == "list" || verb == kRequestToken);
  }
}

}  // namespace
}  // namespace aliquot::kubeclient
