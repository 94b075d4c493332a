// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/backoff.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "base/strings.h"

namespace aliquot::kubeclient {

UniformSource SeededUniform(std::uint64_t seed) {
  auto engine = std::make_shared<std::mt19937_64>(seed);
  return [engine] { return std::uniform_real_distribution<double>(0.0, 1.0)(*engine); };
}

UniformSource RandomUniform() {
  std::random_device device;
  return SeededUniform(std::uint64_t{device()} << 32 | device());
}

Backoff::Backoff(BackoffOptions options, UniformSource uniform)
    : options_(options), uniform_(std::move(uniform)) {}

std::chrono::milliseconds Backoff::Next(std::optional<std::chrono::seconds> retry_after) {
  using std::chrono::milliseconds;
  const auto spread = [this](milliseconds limit) {
    return milliseconds(
        static_cast<milliseconds::rep>(uniform_() * static_cast<double>(limit.count())));
  };
  if (retry_after) {
    const auto asked = std::min<milliseconds>(*retry_after, options_.max_retry_after);
    return asked + spread(options_.base);
  }
  // 2^20 times any sensible base is past any sensible cap; no more is needed, and nothing
  // overflows.
  const int exponent = std::min(failures_++, 20);
  return spread(std::min(options_.cap, options_.base * (1 << exponent)));
}

std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value) {
  const auto seconds = ParseUnsigned(Trim(value));
  // A day and a century are the same to us, and the duration arithmetic must not overflow.
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(std::min<std::int64_t>(*seconds, 86400));
}

}  // namespace aliquot::kubeclient
