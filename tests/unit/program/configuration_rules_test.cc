// SPDX-License-Identifier: Apache-2.0
#include "program/configuration_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/program/problems_of.h"

namespace aliquot::program {
namespace {

class ConfigurationRulesTest : public testing::Test {
 protected:
  const Origins origins_{{"listen.monitor", "f.yaml:3"}};
  Problems problems_;
  ConfigurationRules rules_{origins_, problems_};
};

TEST_F(ConfigurationRulesTest, ABreachStandsWhereTheValueComesFrom) {
  rules_.Complain("listen.monitor", "is wrong; correct it");
  rules_.Complain("other", "is wrong; correct it");
  EXPECT_EQ(Text(problems_),
            "f.yaml:3: listen.monitor is wrong; correct it\n"
            "configuration: other is wrong; correct it\n");
}

TEST_F(ConfigurationRulesTest, AListenAddressIsReadOrRefused) {
  const auto address = rules_.CheckListenAddress("listen.monitor", "[::1]:80");
  ASSERT_TRUE(address.has_value());
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(Text(problems_), "");
  EXPECT_FALSE(rules_.CheckListenAddress("listen.monitor", "eighty").has_value());
  EXPECT_EQ(
      Text(problems_),
      "f.yaml:3: listen.monitor is \"eighty\"; write host:port, [v6 address]:port or :port\n");
}

TEST_F(ConfigurationRulesTest, AMonitorListensOnLoopbackOnly) {
  for (const char* address : {"127.0.0.1:0", "127.1.2.3:80", "[::1]:8080"}) {
    rules_.CheckMonitorAddress("listen.monitor", address);
  }
  EXPECT_EQ(Text(problems_), "");
  for (const char* address : {":8080", "[::]:8080", "10.0.0.1:80", "127.0.0.1.example.org:80"}) {
    const std::size_t before = problems_.count();
    rules_.CheckMonitorAddress("listen.monitor", address);
    EXPECT_EQ(problems_.count(), before + 1) << address;
  }
}

TEST_F(ConfigurationRulesTest, ResourceNamesAreTwoExtendedResourcesWithThePrefix) {
  rules_.CheckResourceNames({"a.io/core", "a.io/memory", "a.io/"});
  EXPECT_EQ(Text(problems_), "");
  rules_.CheckResourceNames({"a.io/core", "a.io/core", "a.io/"});
  rules_.CheckResourceNames({"cpu", "a.io/memory", "b"});
  EXPECT_EQ(
      Text(problems_),
      "configuration: resourceNames.memory is \"a.io/core\", which is resourceNames.core too; "
      "give two names\n"
      "configuration: resourceNames.core is \"cpu\"; give an extended resource name such as "
      "tencent.com/vcuda-core\n"
      "configuration: resourceNames.prefix is \"b\"; give a text with which both resource "
      "names begin\n");
}

}  // namespace
}  // namespace aliquot::program
