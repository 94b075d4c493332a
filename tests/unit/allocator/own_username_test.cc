// SPDX-License-Identifier: Apache-2.0
#include "allocator/own_username.h"

#include <gtest/gtest.h>

#include "tests/support/test_certificates.h"

namespace aliquot::allocator {
namespace {

// {"alg":"none"} . {"sub":"system:serviceaccount:aliquot-system:aliquot-allocator","aud":"?>"} .
// signature
constexpr char kToken[] =
    "eyJhbGciOiJub25lIn0."
    "eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6YWxpcXVvdC1zeXN0ZW06YWxpcXVvdC1hbGxvY2F0b3IiLCJhdWQiOi"
    "I_PiJ9.c2ln";
constexpr char kName[] = "system:serviceaccount:aliquot-system:aliquot-allocator";

TEST(OwnUsername, IsTheSubjectOfTheServiceAccountsToken) {
  EXPECT_EQ(SubjectOfToken(kToken), kName);
  EXPECT_EQ(SubjectOfToken(std::string(kToken) + "\n"), kName);
}

TEST(OwnUsername, IsEmptyForAnyOtherToken) {
  for (const char* token :
       {"", "secret", "a.b", "a.b.c", "..", "e30.e30.e30", "e30.W10.e30", "e30.eyJzdWIiOjF9.e30"}) {
    EXPECT_EQ(SubjectOfToken(token), "") << token;
  }
}

TEST(OwnUsername, ReadsTheTokenFile) {
  const test::TemporaryDirectory directory;
  kubeclient::ClientConfig config;
  config.token.file = directory.Write("token", kToken);
  EXPECT_EQ(OwnUsername(config), kName);
  config.token.data = "opaque";
  EXPECT_EQ(OwnUsername(config), "") << "data wins over file, as for the client itself";
  config.token = {"", "/nonexistent"};
  EXPECT_EQ(OwnUsername(config), "");
}

}  // namespace
}  // namespace aliquot::allocator
