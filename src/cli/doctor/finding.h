// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace aliquot::cli {

// What one check says. kUnknown: it could not look, which `says` explains.
enum class Verdict { kOk, kWarning, kFailed, kUnknown };

struct Finding {
  std::string check;  // one word or two with '-', stable: scripts select by it
  Verdict verdict = Verdict::kOk;
  std::string says;    // one sentence
  std::string remedy;  // one sentence; "" when nothing is to be done
};
using Findings = std::vector<Finding>;

}  // namespace aliquot::cli
