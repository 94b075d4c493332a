// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(Status, ContextGoesBeforeTheSentence) {
  const Status status =
      InvalidArgument("weight is -1; use 0 or more").WithContext("config.yaml line 3");
  EXPECT_EQ(status.message(), "config.yaml line 3: weight is -1; use 0 or more");
  EXPECT_EQ(status.ToString(), "INVALID_ARGUMENT: " + status.message());
}

TEST(Status, ContextOfSuccessIsSuccess) { EXPECT_TRUE(Status::Ok().WithContext("loading").ok()); }

TEST(Result, HoldsEitherValueOrReason) {
  const Result<int> value(7);
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  const Result<int> error(NotFound("no card 9"));
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace aliquot
