// SPDX-License-Identifier: Apache-2.0
#include "observability/json_log.h"

#include <array>
#include <utility>

#include "observability/json_line.h"
#include "observability/repeat_limiter.h"
#include "spdlog/async_logger.h"
#include "spdlog/details/thread_pool.h"
#include "spdlog/formatter.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace aliquot::observability {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warn", "error"};

spdlog::level::level_enum ToSpdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// The line is complete when it reaches spdlog, whose patterns do not escape JSON: only the newline
// is added.
class LineFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    out.append(message.payload.data(), message.payload.data() + message.payload.size());
    out.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>();
  }
};

void AddField(JsonLine& line, const Field& field) {
  if (const auto* text = std::get_if<std::string_view>(&field.value)) {
    line.AddText(field.key, *text);
  } else if (const auto* flag = std::get_if<bool>(&field.value)) {
    line.AddFlag(field.key, *flag);
  } else {
    line.AddInteger(field.key, std::get<std::int64_t>(field.value));
  }
}

}  // namespace

Result<Level> ParseLevel(std::string_view text) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == text) return static_cast<Level>(i);
  }
  return InvalidArgument("\"" + std::string(text.substr(0, 40)) +
                         "\" is not a log level; use debug, info, warn or error");
}

std::string_view LevelName(Level level) { return kLevelNames[static_cast<std::size_t>(level)]; }

class JsonLog::Impl {
 public:
  Impl(const LogOptions& options, const Clock& clock, std::shared_ptr<spdlog::sinks::sink> sink)
      : clock_(clock),
        threshold_(options.level),
        limiter_(clock, options.repeats_per_window, options.repeat_window),
        pool_(std::make_shared<spdlog::details::thread_pool>(options.queue_lines, 1)) {
    sink->set_formatter(std::make_unique<LineFormatter>());
    logger_ = std::make_shared<spdlog::async_logger>("aliquot", std::move(sink), pool_,
                                                     spdlog::async_overflow_policy::overrun_oldest);
    logger_->set_level(ToSpdlog(options.level));
  }

  bool Wants(Level level) const { return level >= threshold_; }
  RepeatLimiter& limiter() { return limiter_; }
  std::uint64_t dropped() const { return pool_->overrun_counter(); }

  JsonLine Begin(Level level, std::string_view component, std::string_view message) const {
    JsonLine line;
    line.AddText("ts", FormatMicroTime(clock_.SystemNow()));
    line.AddText("level", LevelName(level));
    line.AddText("msg", message);
    line.AddText("component", component);
    return line;
  }

  void End(Level level, JsonLine line) {
    const std::string text = std::move(line).Finish();
    logger_->log(ToSpdlog(level), spdlog::string_view_t(text.data(), text.size()));
  }

 private:
  const Clock& clock_;
  const Level threshold_;
  RepeatLimiter limiter_;
  // The pool outlives the logger: its destructor writes every line that waits, then joins its
  // thread.
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

JsonLog::JsonLog(const LogOptions& options, const Clock& clock,
                 std::shared_ptr<spdlog::sinks::sink> sink)
    : impl_(std::make_unique<Impl>(options, clock, std::move(sink))) {}

JsonLog::~JsonLog() = default;

void JsonLog::Write(Level level, std::string_view component, std::string_view message,
                    std::initializer_list<Field> fields) {
  if (!impl_->Wants(level)) return;
  std::string key(LevelName(level));
  key.append("/").append(component).append("/").append(message);
  const RepeatLimiter::Answer answer = impl_->limiter().Ask(key);
  if (!answer.allowed) return;
  JsonLine line = impl_->Begin(level, component, message);
  for (const Field& field : fields) AddField(line, field);
  if (answer.suppressed > 0) line.AddInteger("repeats_suppressed", answer.suppressed);
  impl_->End(level, std::move(line));
}

void JsonLog::Record(const Decision& decision) {
  if (!impl_->Wants(decision.level)) return;
  JsonLine line = impl_->Begin(decision.level, decision.component, "decision");
  line.AddText("pod", decision.pod);
  line.AddText("uid", decision.uid);
  line.AddText("node", decision.node);
  line.AddText("verb", decision.verb);
  line.AddText("outcome", decision.outcome);
  line.AddText("reason", decision.reason);
  line.AddText("cards", decision.cards);
  line.AddMilliseconds("duration_ms", decision.duration);
  impl_->End(decision.level, std::move(line));
}

std::uint64_t JsonLog::dropped() const { return impl_->dropped(); }

std::shared_ptr<spdlog::sinks::sink> StderrSink() {
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

}  // namespace aliquot::observability
