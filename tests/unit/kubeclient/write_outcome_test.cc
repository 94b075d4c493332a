// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/write_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace aliquot::kubeclient {
namespace {

using model::WriteOutcome;
using ::testing::HasSubstr;

CallResult Replied(int status, const std::string& body = "") {
  CallResult result;
  result.outcome = CallResult::Outcome::kReply;
  result.reply.status = status;
  result.reply.body = body;
  return result;
}

std::string Recorded(const std::string& name) {
  std::ifstream file(ALIQUOT_SOURCE_DIR "/tests/data/recorded/binding/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(WriteOutcome, FollowsTheTableByStatus) {
  struct Case {
    int status;
    WriteOutcome outcome;
  };
  const Case cases[] = {
      {200, WriteOutcome::kDone},     {201, WriteOutcome::kDone},     {301, WriteOutcome::kRefused},
      {400, WriteOutcome::kRefused},  {401, WriteOutcome::kRefused},  {403, WriteOutcome::kRefused},
      {404, WriteOutcome::kNotFound}, {409, WriteOutcome::kConflict}, {413, WriteOutcome::kRefused},
      {422, WriteOutcome::kRefused},  {429, WriteOutcome::kRefused},  {500, WriteOutcome::kUnknown},
      {502, WriteOutcome::kUnknown},  {503, WriteOutcome::kUnknown},  {504, WriteOutcome::kUnknown},
      {0, WriteOutcome::kUnknown},    {100, WriteOutcome::kUnknown},
  };
  for (const Case& c : cases)
    EXPECT_EQ(WriteReplyOf(Replied(c.status)).outcome, c.outcome) << c.status;
}

TEST(WriteOutcome, ReadsRecordedRepliesToABinding) {
  struct Case {
    const char* file;
    int status;
    WriteOutcome outcome;
    const char* message;
  };
  const Case cases[] = {
      {"201.json", 201, WriteOutcome::kDone, ""},
      {"400-name.json", 400, WriteOutcome::kRefused, "name in URL does not match"},
      {"404.json", 404, WriteOutcome::kNotFound, "not found"},
      {"409-assigned.json", 409, WriteOutcome::kConflict, "already assigned to node"},
      {"409-deleting.json", 409, WriteOutcome::kConflict, "is being deleted"},
      {"409-gated.json", 409, WriteOutcome::kConflict, "schedulingGates"},
      {"409-uid.json", 409, WriteOutcome::kNotFound, "UID in precondition"},
  };
  for (const Case& c : cases) {
    const std::string body = Recorded(c.file);
    ASSERT_FALSE(body.empty()) << c.file;
    const model::WriteReply reply = WriteReplyOf(Replied(c.status, body));
    EXPECT_EQ(reply.outcome, c.outcome) << c.file;
    EXPECT_THAT(reply.message, HasSubstr(c.message)) << c.file;
  }
}

TEST(WriteOutcome, WhatWasNotSentIsRefusedAndWhatMayHaveBeenIsUnknown) {
  CallResult result;
  result.message = "connection refused";
  result.outcome = CallResult::Outcome::kNotSent;
  EXPECT_EQ(WriteReplyOf(result).outcome, WriteOutcome::kRefused);
  EXPECT_THAT(WriteReplyOf(result).message, HasSubstr("connection refused"));
  result.outcome = CallResult::Outcome::kUnknown;
  EXPECT_EQ(WriteReplyOf(result).outcome, WriteOutcome::kUnknown);
}

TEST(WriteOutcome, ABodyThatIsNoStatusStillGivesASentence) {
  for (const char* body : {"", "<html>", "[]", "{\"message\":5}"}) {
    const model::WriteReply reply = WriteReplyOf(Replied(502, body));
    EXPECT_EQ(reply.outcome, WriteOutcome::kUnknown) << body;
    EXPECT_EQ(reply.message, "the API server answered 502") << body;
  }
}

}  // namespace
}  // namespace aliquot::kubeclient
