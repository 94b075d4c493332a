// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace aliquot::extender {

// What a verb answers, free of any HTTP library. With status 200 `body` is JSON; with any other it
// is one sentence of plain text.
struct Reply {
  int status = 200;
  std::string body;
};

}  // namespace aliquot::extender
