// SPDX-License-Identifier: Apache-2.0
#include "program/action_flags.h"

#include <CLI/CLI.hpp>

namespace aliquot::program {
namespace {

struct Actions {
  bool version = false;
  bool validate = false;
  bool print = false;
};

Status TakeAction(const Actions& actions, ActionFlags& flags) {
  const int asked =
      int{actions.version} + int{actions.validate} + int{actions.print} + int{!flags.probe.empty()};
  if (asked > 1) {
    return InvalidArgument(
        "more than one of --version, --validate-config, --print-config and --probe is given; "
        "keep one");
  }
  if (actions.version) {
    flags.action = ActionFlags::Action::kVersion;
  } else if (actions.validate) {
    flags.action = ActionFlags::Action::kValidateConfig;
  } else if (actions.print) {
    flags.action = ActionFlags::Action::kPrintConfig;
  } else if (!flags.probe.empty()) {
    flags.action = ActionFlags::Action::kProbe;
  }
  return Status::Ok();
}

}  // namespace

Status ParseFlagsWithActions(CLI::App& app, int argc, const char* const* argv, ActionFlags& flags) {
  Actions actions;
  app.add_option("--config", flags.config, "configuration file")->type_name("FILE");
  app.add_flag("--validate-config", actions.validate,
               "check configuration and flags, print every problem, and exit");
  app.add_flag("--print-config", actions.print, "print the configuration in force, and exit");
  app.add_flag("--version", actions.version, "print version and commit, and exit");
  app.add_option("--probe", flags.probe, "ask the running program: exit 0 when it is live or ready")
      ->check(CLI::IsMember({"live", "ready"}))
      ->type_name("live|ready");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    flags.action = ActionFlags::Action::kHelp;
    flags.help = app.help();
    return Status::Ok();
  } catch (const CLI::ParseError& error) {
    return InvalidArgument(std::string(error.what()) + "; --help lists every flag");
  }
  return TakeAction(actions, flags);
}

}  // namespace aliquot::program
