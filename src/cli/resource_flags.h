// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/names.h"

namespace CLI {
class App;
}

namespace aliquot::cli {

// --resource-core, --resource-memory, --resource-prefix, for clusters that renamed them. `names`
// must outlive the parser.
void AddResourceFlags(CLI::App& verb, model::ResourceNames& names);

}  // namespace aliquot::cli
