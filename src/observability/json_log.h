// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "observability/decision_log.h"
#include "observability/log.h"

namespace spdlog::sinks {
class sink;
}

namespace aliquot::observability {

struct LogOptions {
  Level level = Level::kInfo;  // lines below it are not written
  // Lines that wait for the sink. When it is full the oldest is dropped and counted: a slow disk or
  // pipe never slows a decision.
  std::size_t queue_lines = 8192;
  // Of one (component, message) at one level; decisions are not limited.
  int repeats_per_window = 10;
  std::chrono::nanoseconds repeat_window = std::chrono::seconds(10);
};

// "debug", "info", "warn", "error".
Result<Level> ParseLevel(std::string_view text);
std::string_view LevelName(Level level);

// The program's log: one JSON object a line, written by one thread of its own through spdlog to the
// sink it is given. Every line has ts (RFC 3339, UTC, microseconds), level, msg and component; a
// decision adds pod, uid, node, verb, outcome, reason, cards and duration_ms, each always present.
// The first line let through after repeats were held back adds repeats_suppressed.
//
// Thread-safe. The clock must outlive it. The destructor writes what waits.
class JsonLog final : public Log, public DecisionLog {
 public:
  JsonLog(const LogOptions& options, const Clock& clock, std::shared_ptr<spdlog::sinks::sink> sink);
  ~JsonLog() override;
  JsonLog(const JsonLog&) = delete;
  JsonLog& operator=(const JsonLog&) = delete;

  void Write(Level level, std::string_view component, std::string_view message,
             std::initializer_list<Field> fields) override;
  void Record(const Decision& decision) override;

  // Lines dropped so far because the queue was full.
  std::uint64_t dropped() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The sink of a program: standard error, unbuffered.
std::shared_ptr<spdlog::sinks::sink> StderrSink();

}  // namespace aliquot::observability
