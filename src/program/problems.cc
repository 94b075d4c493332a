// SPDX-License-Identifier: Apache-2.0
#include "program/problems.h"

namespace aliquot::program {

void Problems::Add(std::string_view where, std::string_view sentence) {
  ++count_;
  if (count_ <= kMost) {
    lines_.push_back(std::string(where) + ": " + std::string(sentence));
  } else if (count_ == kMost + 1) {
    lines_.push_back("more problems follow; correct these " + std::to_string(kMost) + " first");
  }
}

}  // namespace aliquot::program
