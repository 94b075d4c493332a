// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::kubeclient {
namespace {

TEST(Base64, DecodesTheExamplesOfTheRfc) {  // RFC 4648, section 10
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8="), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64("Zm9vYmFy"), "foobar");
}

TEST(Base64, KeepsZeroBytes) {
  EXPECT_EQ(DecodeBase64("AAAA"), std::string(3, '\0'));
  EXPECT_EQ(DecodeBase64("AA=="), std::string(1, '\0'));
}

TEST(Base64, SkipsLineBreaks) { EXPECT_EQ(DecodeBase64("Zm9v\r\nYmFy\n"), "foobar"); }

TEST(Base64, RefusesWhatIsNot) {
  for (const char* bad : {"Zg=", "Z", "Zm9v!", "====", "Z===", "Zg==Zg=", "Zm9vYmF-"}) {
    EXPECT_EQ(DecodeBase64(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace aliquot::kubeclient
