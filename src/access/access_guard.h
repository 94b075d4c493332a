// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "access/access_answer.h"
#include "access/access_cache.h"
#include "access/access_reviewer.h"
#include "access/review_budget.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "http/message.h"
#include "http/router.h"

namespace aliquot::access {

// The header that the API server's proxy passes on; it takes `Authorization` off.
inline constexpr std::string_view kTokenHeader = "X-Aliquot-Token";

// Lets those in who prove who they are: `Authorization: Bearer TOKEN`, or the token alone in
// X-Aliquot-Token. A token that was seen lately is answered from memory, others by the reviewer,
// which is asked within a budget and not under the lock. Thread-safe.
class AccessGuard {
 public:
  // Both outlive it.
  AccessGuard(AccessReviewer& reviewer, const Clock& clock, ReviewRates rates = {},
              AccessCache::Limits limits = {});

  AccessAnswer Admit(const http::Request& request);
  // The handler behind the guard: others are answered with the sentence and its status. The guard
  // outlives the handler.
  http::Handler Guard(http::Handler handler);

 private:
  // The API server is asked about so many at a time: while it is slow, the listener's other workers
  // are left to callers that are known.
  static constexpr int kAtOnce = 2;

  AccessReviewer& reviewer_;
  const Clock& clock_;
  Mutex mutex_;
  int asking_ GUARDED_BY(mutex_) = 0;
  AccessCache cache_ GUARDED_BY(mutex_);
  ReviewBudget budget_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::access
