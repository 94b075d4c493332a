// SPDX-License-Identifier: Apache-2.0
#include "cli/resource_flags.h"

#include <CLI/CLI.hpp>

namespace aliquot::cli {

void AddResourceFlags(CLI::App& verb, model::ResourceNames& names) {
  verb.add_option("--resource-core", names.core, "name of the share's resource")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--resource-memory", names.memory, "name of the memory's resource")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--resource-prefix", names.prefix, "that both begin with")
      ->type_name("PREFIX")
      ->capture_default_str();
}

}  // namespace aliquot::cli
