// SPDX-License-Identifier: Apache-2.0
// aliquotctl completion: the script that a shell loads.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "cli/complete/scripts.h"
#include "cli/verb.h"

namespace aliquot::cli {

void AddCompletionVerb(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "the completion script of a shell");
  verb->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "fish", "zsh"}));
  verb->callback([shell, &run] {
    run = [shell](Streams& streams) {
      streams.out << CompletionScript(*shell);
      return Status::Ok();
    };
  });
}

}  // namespace aliquot::cli
