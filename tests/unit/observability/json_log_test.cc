// SPDX-License-Identifier: Apache-2.0
#include "observability/json_log.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "spdlog/sinks/base_sink.h"
#include "spdlog/sinks/ostream_sink.h"

namespace aliquot::observability {
namespace {

using nlohmann::json;

class JsonLogTest : public testing::Test {
 protected:
  JsonLogTest() { Open({}); }

  void Open(const LogOptions& options) {
    log_ = std::make_unique<JsonLog>(options, clock_,
                                     std::make_shared<spdlog::sinks::ostream_sink_mt>(out_));
  }
  // Ends the log, which writes what waits, and parses its lines.
  std::vector<json> Lines() {
    log_.reset();
    std::vector<json> lines;
    std::istringstream in(out_.str());
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
    return lines;
  }

  FakeClock clock_;
  std::ostringstream out_;
  std::unique_ptr<JsonLog> log_;
};

TEST_F(JsonLogTest, ADecisionIsOneLineWithEveryKey) {
  Decision decision;
  decision.component = "extender";
  decision.pod = "team-a/notebook";
  decision.uid = "6a1d";
  decision.node = "dgx-0";
  decision.verb = "bind";
  decision.outcome = "bound";
  decision.cards = "main=3";
  decision.duration = std::chrono::microseconds(2500);
  log_->Record(decision);
  log_.reset();
  // FakeClock starts one day after the epoch.
  EXPECT_EQ(out_.str(),
            "{\"ts\":\"1970-01-02T00:00:00.000000Z\",\"level\":\"info\",\"msg\":\"decision\","
            "\"component\":\"extender\",\"pod\":\"team-a/notebook\",\"uid\":\"6a1d\","
            "\"node\":\"dgx-0\",\"verb\":\"bind\",\"outcome\":\"bound\",\"reason\":\"\","
            "\"cards\":\"main=3\",\"duration_ms\":2.500}\n");
}

TEST_F(JsonLogTest, FieldsKeepTheirTypes) {
  const char* text = "a char pointer is text";
  log_->Warn("http", "refused", {{"why", text}, {"tls", true}, {"status", 413}});
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("level"), "warn");
  EXPECT_EQ(lines[0].at("component"), "http");
  EXPECT_EQ(lines[0].at("msg"), "refused");
  EXPECT_EQ(lines[0].at("why"), text);
  EXPECT_EQ(lines[0].at("tls"), true);
  EXPECT_EQ(lines[0].at("status"), 413);
}

TEST_F(JsonLogTest, TextFromOutsideStaysOnItsLine) {
  log_->Error("http", "bad request", {{"text", "x\n{\"level\":\"info\"}%s%n{}"}});
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("text"), "x\n{\"level\":\"info\"}%s%n{}");
}

TEST_F(JsonLogTest, LinesBelowTheLevelAreNotWritten) {
  LogOptions options;
  options.level = Level::kWarn;
  Open(options);
  log_->Info("http", "quiet");
  log_->Record(Decision{});
  log_->Warn("http", "loud");
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("msg"), "loud");
}

TEST_F(JsonLogTest, RepeatsAreHeldBackAndCounted) {
  LogOptions options;
  options.repeats_per_window = 1;
  Open(options);
  for (int i = 0; i < 4; ++i) log_->Warn("kubeclient", "watch ended");
  log_->Warn("kubeclient", "list failed");
  clock_.Advance(options.repeat_window);
  log_->Warn("kubeclient", "watch ended");
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_FALSE(lines[0].contains("repeats_suppressed"));
  EXPECT_EQ(lines[1].at("msg"), "list failed");
  EXPECT_EQ(lines[2].at("repeats_suppressed"), 3);
}

TEST_F(JsonLogTest, DecisionsAreNeverHeldBack) {
  LogOptions options;
  options.repeats_per_window = 1;
  Open(options);
  for (int i = 0; i < 50; ++i) log_->Record(Decision{});
  EXPECT_EQ(Lines().size(), 50u);
}

// A sink that accepts nothing until it is opened.
class StuckSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void WaitUntilEntered() {
    std::unique_lock<std::mutex> lock(gate_mutex_);
    gate_.wait(lock, [&] { return entered_; });
  }
  void OpenGate() {
    std::lock_guard<std::mutex> lock(gate_mutex_);
    open_ = true;
    gate_.notify_all();
  }
  int lines() {
    std::lock_guard<std::mutex> lock(gate_mutex_);
    return lines_;
  }
  std::string last() {
    std::lock_guard<std::mutex> lock(gate_mutex_);
    return last_;
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::unique_lock<std::mutex> lock(gate_mutex_);
    entered_ = true;
    gate_.notify_all();
    gate_.wait(lock, [&] { return open_; });
    ++lines_;
    last_ = std::string(message.payload.data(), message.payload.size());
  }
  void flush_() override {}

 private:
  std::mutex gate_mutex_;
  std::condition_variable gate_;
  bool entered_ = false;
  bool open_ = false;
  int lines_ = 0;
  std::string last_;
};

TEST_F(JsonLogTest, AFullQueueDropsTheOldestLinesAndNeverBlocks) {
  auto sink = std::make_shared<StuckSink>();
  LogOptions options;
  options.queue_lines = 4;
  JsonLog log(options, clock_, sink);
  log.Record(Decision{});  // in the sink, which is stuck
  sink->WaitUntilEntered();
  for (int i = 0; i < 10; ++i) {
    const std::string uid = std::to_string(i);
    Decision decision;
    decision.uid = uid;
    log.Record(decision);  // would hang here if the log waited
  }
  EXPECT_EQ(log.dropped(), 6u);
  sink->OpenGate();
}

TEST_F(JsonLogTest, WhatWaitsIsWrittenAtTheEndNewestKept) {
  auto sink = std::make_shared<StuckSink>();
  LogOptions options;
  options.queue_lines = 4;
  auto log = std::make_unique<JsonLog>(options, clock_, sink);
  log->Record(Decision{});
  sink->WaitUntilEntered();
  for (int i = 0; i < 10; ++i) {
    const std::string uid = std::to_string(i);
    Decision decision;
    decision.uid = uid;
    log->Record(decision);
  }
  sink->OpenGate();
  log.reset();
  EXPECT_EQ(sink->lines(), 5);
  EXPECT_EQ(json::parse(sink->last()).at("uid"), "9");
}

TEST(LogLevel, NamesAndValuesAgree) {
  for (const Level level : {Level::kDebug, Level::kInfo, Level::kWarn, Level::kError}) {
    const Result<Level> parsed = ParseLevel(LevelName(level));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, level);
  }
}

TEST(LogLevel, AnotherWordIsRefusedWithTheChoices) {
  const Result<Level> parsed = ParseLevel("loud");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().message(),
            "\"loud\" is not a log level; use debug, info, warn or error");
}

}  // namespace
}  // namespace aliquot::observability
