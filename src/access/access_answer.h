// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace aliquot::access {

// Whether a caller of an authenticated listener may have a page, and what he is told if not. Plain
// values; the sentence holds no token.
struct AccessAnswer {
  enum class Kind {
    kAllowed,
    kUnknownCaller,  // no token, or one that proves nobody: 401
    kForbidden,      // known, without the right: 403
    kTooMany,        // more questions than are passed on: 429
    kUnavailable,    // the API server could not be asked: 503
  };

  Kind kind = Kind::kUnavailable;
  std::string sentence;  // "" when allowed

  bool allowed() const { return kind == Kind::kAllowed; }
};

// 200, 401, 403, 429 or 503.
int HttpStatusOf(AccessAnswer::Kind kind);

}  // namespace aliquot::access
