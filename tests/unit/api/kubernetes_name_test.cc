// SPDX-License-Identifier: Apache-2.0
#include "api/kubernetes_name.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::api {
namespace {

TEST(KubernetesName, SubdomainsAndLabels) {
  EXPECT_TRUE(IsDnsSubdomain("ip-10-0-0-1.eu-west-1.compute.internal"));
  EXPECT_TRUE(IsDnsLabel("kube-system"));
  EXPECT_TRUE(IsDnsSubdomain(std::string(63, 'a') + "." + std::string(63, 'b')));
  for (const char* bad :
       {"", ".", "a.", "-a", "a-", "A", "a/b", "a..b", "../x", "a?b", "a b", "a%2f"}) {
    EXPECT_FALSE(IsDnsSubdomain(bad)) << bad;
  }
  EXPECT_FALSE(IsDnsLabel("a.b"));
  EXPECT_FALSE(IsDnsLabel(std::string(64, 'a')));
  EXPECT_FALSE(IsDnsSubdomain(std::string(254, 'a')));
}

TEST(KubernetesName, QualifiedNames) {
  EXPECT_TRUE(IsQualifiedName("aliquot.io/allocation"));
  EXPECT_TRUE(IsQualifiedName("tencent.com/predicate-gpu-idx-0"));
  EXPECT_TRUE(IsQualifiedName("plain"));
  for (const char* bad : {"", "/a", "a/", "a/b/c", "UP.io/a", "a/-b", "a/b-", "a/b c"}) {
    EXPECT_FALSE(IsQualifiedName(bad)) << bad;
  }
}

TEST(KubernetesName, Uids) {
  EXPECT_TRUE(IsUid("2f472cb7-52bc-4c6e-92e6-74c5b024fb96"));
  EXPECT_FALSE(IsUid(""));
  EXPECT_FALSE(IsUid("a/b"));
  EXPECT_FALSE(IsUid(std::string(129, 'a')));
}

}  // namespace
}  // namespace aliquot::api
