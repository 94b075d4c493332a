// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/verb.h"

namespace CLI {
class App;
}

namespace aliquot::cli {

// The hidden verb that the shells' scripts and kubectl call. Prints a candidate a line, a
// description behind a tab, and at the end ":4" (no paths) or ":0" (paths, where there is no
// candidate): the protocol of Cobra's completion, which kubectl takes from a plugin's
// kubectl_complete-NAME (github.com/spf13/cobra, site/content/completions/_index.md). Never fails.
void Complete(const CLI::App& app, const std::vector<std::string>& words, const Clock& clock,
              Streams& streams);

}  // namespace aliquot::cli
