// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/verb.h"
#include "observability/build_info.h"

namespace aliquot::cli {

int RunCommandLine(int argc, const char* const* argv, Streams& streams) {
  CLI::App app(
      "Asks how Aliquot places the GPU shares of Kubernetes pods, and whether they are held.",
      "aliquotctl");
  bool version = false;
  app.add_flag("--version", version, "print version and commit, and exit");
  Run run;
  AddConvertVerb(app, run);
  AddTopologyVerb(app, run);
  AddGetVerb(app, run);
  AddSimulateVerb(app, run);
  AddVerifyVerb(app, run);
  AddWhyVerb(app, run);
  AddDoctorVerb(app, run);
  AddSchedulerConfigVerb(app, run);
  AddTopVerb(app, run);
  AddVersionVerb(app, run);
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto verbs = app.get_subcommands();
    streams.out << (verbs.empty() ? app.help() : verbs.front()->help());
    return kDone;
  } catch (const CLI::ParseError& error) {
    streams.err << error.what() << "; --help lists every flag\n";
    return kProblem;
  }
  if (version) {
    streams.out << observability::Version() << ' ' << observability::Commit() << '\n';
    return kDone;
  }
  if (!run) {
    streams.err << "no verb is given; use get, why, simulate, verify, topology or doctor, --help "
                   "says more\n";
    return kProblem;
  }
  const Status status = run(streams);
  if (!status.ok()) {
    streams.err << status.message() << '\n';
    return kProblem;
  }
  streams.out.flush();
  if (!streams.out) {
    streams.err << "the answer could not be written; is the disk full or the pipe closed?\n";
    return kProblem;
  }
  return streams.end;
}

}  // namespace aliquot::cli
