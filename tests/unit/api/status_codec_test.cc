// SPDX-License-Identifier: Apache-2.0
#include "api/status_codec.h"

#include <gtest/gtest.h>

#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

TEST(ParseApiStatus, ReadsConflicts) {
  const auto assigned = ParseApiStatus(Recorded("binding/409-assigned.json"));
  ASSERT_TRUE(assigned.ok());
  EXPECT_EQ(assigned->code, 409);
  EXPECT_EQ(assigned->reason, "Conflict");
  EXPECT_NE(assigned->message.find("is already assigned to node \"n1\""), std::string::npos);
  EXPECT_EQ(ParseApiStatus(Recorded("binding/409-uid.json"))->code, 409);
  EXPECT_EQ(ParseApiStatus(Recorded("binding/404.json"))->reason, "NotFound");
  EXPECT_EQ(ParseApiStatus(Recorded("binding/201.json"))->code, 201);
}

TEST(ParseApiStatus, ReadsRetryAndCauses) {
  const auto status = ParseApiStatus(Recorded("watch/pods-list-504-too-large-rv.json"));
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(status->code, 504);
  EXPECT_EQ(status->retry_after_seconds, 1);
  EXPECT_TRUE(status->HasCause("ResourceVersionTooLarge"));
  EXPECT_FALSE(status->HasCause("Other"));
}

TEST(ParseApiStatus, ReadsTheTokenOfAnExpiredList) {
  const auto status = ParseApiStatus(Recorded("watch/pods-list-410-continue.json"));
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(status->code, 410);
  EXPECT_EQ(status->reason, "Expired");
  EXPECT_FALSE(status->continue_token.empty());
}

TEST(ParseApiStatus, AnErrorPageIsNotAStatus) {
  EXPECT_FALSE(ParseApiStatus("<html>502 Bad Gateway</html>").ok());
  EXPECT_FALSE(ParseApiStatus("").ok());
}

}  // namespace
}  // namespace aliquot::api
