// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace aliquot::http {

// The oldest error of this thread's OpenSSL queue in words, and empties the queue. Names reasons,
// never key material. "unknown error" when the queue is empty.
std::string TakeOpensslError();

}  // namespace aliquot::http
