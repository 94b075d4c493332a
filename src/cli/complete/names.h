// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/complete/question.h"

namespace aliquot::cli {

// The names that a completion asks for, of the cluster or the kubeconfig: those that come within
// two seconds, after two more for a credential plugin, and none at all where anything is wrong.
// Nobody wants a sentence in the middle of a command line.
std::vector<std::string> NamesFor(const CompletionQuestion& question, const Clock& clock);

}  // namespace aliquot::cli
