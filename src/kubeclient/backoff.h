// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace aliquot::kubeclient {

// Uniform in [0, 1). Not shared between threads.
using UniformSource = std::function<double()>;
UniformSource SeededUniform(std::uint64_t seed);
// Seeded by the operating system.
UniformSource RandomUniform();

struct BackoffOptions {
  std::chrono::milliseconds base{200};
  // Short: what is known of the cluster grows old meanwhile, and one allocator is no crowd.
  std::chrono::milliseconds cap{5000};
  // A server may ask for more patience than this; it does not get it.
  std::chrono::milliseconds max_retry_after{60000};
};

// Exponential with full jitter: the n-th delay is uniform in [0, min(cap, base * 2^n)), so that
// clients that failed together do not return together
// (aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter). A Retry-After is waited out
// first and jittered by up to `base` on top. Pure but for the injected source.
class Backoff {
 public:
  Backoff(BackoffOptions options, UniformSource uniform);

  std::chrono::milliseconds Next(std::optional<std::chrono::seconds> retry_after = std::nullopt);
  // After a success.
  void Reset() { failures_ = 0; }

 private:
  BackoffOptions options_;
  UniformSource uniform_;
  int failures_ = 0;
};

// The delay-seconds form of Retry-After (RFC 9110, 10.2.3), the only one the API server sends.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value);

}  // namespace aliquot::kubeclient
