// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "program/problems.h"

namespace aliquot::program {

// All lines in one text, for comparisons that show the whole of what was reported.
inline std::string Text(const Problems& problems) {
  std::string text;
  for (const std::string& line : problems.lines()) {
    text += line + "\n";
  }
  return text;
}

}  // namespace aliquot::program
